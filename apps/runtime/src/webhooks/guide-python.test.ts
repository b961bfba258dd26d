// The guide's receiver in Python, run unchanged if there is a `python3`: it accepts what the `standardwebhooks` package
// signs, and refuses everything that differs.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const guide = readFileSync(join(import.meta.dirname, "../../../../docs/blueprint/webhooks-out.md"), "utf8");
const [, receiver = ""] = /```python\n([\s\S]*?)```/.exec(guide) ?? [];
const judging = `${receiver}
import json, sys
print(json.dumps([is_genuine(one["headers"], one["body"].encode(), one["secret"]) for one in json.load(sys.stdin)]))
`;

const [secret, other] = ["first", "other"].map((text) => `whsec_${Buffer.from(text).toString("base64")}`) as [
  string,
  string,
];
const body = '{"name":"Fähre"}';

function headersOf(by: string, at = new Date()): Readonly<Record<string, string>> {
  const [id, seconds] = ["msg_1", String(Math.floor(at.getTime() / 1_000))];
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": new Webhook(by).sign(id, at, body) };
}

it.skipIf(!hasPython)("the receiver in Python takes what is genuine, and nothing else", () => {
  const minutes = (count: number): Date => new Date(Date.now() + count * 60_000);
  const both = `${headersOf(other)["webhook-signature"]} ${headersOf(secret)["webhook-signature"]}`;
  const cases: readonly (readonly [headers: object, body: string, genuine: boolean])[] = [
    [headersOf(secret), body, true],
    [{ ...headersOf(secret), "webhook-signature": both }, body, true],
    [headersOf(secret), `${body} `, false],
    [headersOf(other), body, false],
    [headersOf(secret, minutes(-6)), body, false],
    [headersOf(secret, minutes(6)), body, false],
    [{ ...headersOf(secret), "webhook-id": "msg_2" }, body, false],
    [{ ...headersOf(secret), "webhook-timestamp": "soon" }, body, false],
    [{ ...headersOf(secret), "webhook-signature": "v1,ü" }, body, false],
    // Anybody can call the address.
    [{}, body, false],
  ];
  const input = JSON.stringify(cases.map(([headers, text]) => ({ headers, body: text, secret })));
  const judged = JSON.parse(execFileSync("python3", ["-c", judging], { input, encoding: "utf8" }));
  expect(judged).toEqual(cases.map(([, , genuine]) => genuine));
});
