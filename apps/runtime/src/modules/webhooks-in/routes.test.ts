// The routes of inbound webhooks over HTTP: who is let in, what is refused and limited, and that nothing of another
// project is found. A denial changes nothing.
import { createHmac } from "node:crypto";
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alone, callModule, deploy, makeKey, makeProject, publicationOf } from "../../modes/testing/cell.ts";
import { type HooksCell, openHooksCell } from "./testing/hooks.ts";

const TEXT = `project: routes
modules: [auth, users, roles, webhooks, audit_logs]
api: { requests_per_second: 5, burst: 30 }
entities:
  note:
    fields: { name: string }
    permissions: { admin: { all: true } }
webhooks:
  in:
    github: { verify: github, type: headers.x-github-event, events: { push: code.pushed } }
`;
const SECRET = "a secret of the repository";

const routes = [
  { method: "GET", path: "/v1/webhooks/sources" },
  { method: "POST", path: "/v1/webhooks/secrets", body: { source: "github", secret: SECRET } },
  { method: "POST", path: "/v1/webhooks/secrets/{secret}/remove", body: {} },
  { method: "GET", path: "/v1/webhooks/requests" },
  { method: "GET", path: "/v1/webhooks/requests/{request}" },
  { method: "POST", path: "/v1/webhooks/requests/{request}/replay", body: {} },
  { method: "POST", path: "/v1/webhooks/requests/replay", body: { source: "github" } },
] as const;

let hooks: HooksCell;
let other: string;
let ids: { readonly secret: string; readonly request: string };
beforeAll(async () => {
  hooks = await openHooksCell(TEXT);
  const { cell } = hooks.work;
  const { model } = checkBlueprint(TEXT.replace("github:", "gitlab:"));
  if (model === null) throw new Error("the other project's blueprint is wrong");
  const another = await makeProject(cell);
  await deploy(cell, publicationOf(another, compileModel(model), null));
  other = (await makeKey(cell, another, { role: "admin" })).key;
  const { id: secret } = await hooks.call("/v1/webhooks/secrets", { source: "github", secret: SECRET });
  const signature = `sha256=${createHmac("sha256", SECRET).update("{}").digest("hex")}`;
  await hooks.send("github", { body: "{}", headers: { "x-hub-signature-256": signature, "x-github-event": "star" } });
  ids = { secret, request: (await hooks.call("/v1/webhooks/requests"))[0].id };
});
afterAll(() => hooks.close());

interface Asked {
  readonly key?: string;
  readonly body?: unknown;
}

const pathOf = (path: string): string => path.replace("{secret}", ids.secret).replace("{request}", ids.request);

async function ask(method: string, path: string, { key, body }: Asked) {
  const response = await fetch(hooks.url + pathOf(path), {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, code: ((await response.json()) as { readonly code?: string }).code };
}

const kept = () =>
  Promise.all([
    hooks.work.sql("SELECT id, expires_at FROM plinth.inbound_secrets ORDER BY id"),
    hooks.work.sql("SELECT id, status, repeats, replayed_at FROM plinth.inbound_requests ORDER BY id"),
    hooks.work.sql("SELECT count(*) FROM {schema}.audit_log"),
    hooks.work.sql("SELECT count(*) FROM plinth.outbox"),
  ]);

describe.each(routes)("$method $path", (route) => {
  const { method, path } = route;
  const body = "body" in route ? route.body : undefined;

  it("is only for admins of this project", async () => {
    const before = await kept();
    expect(await ask(method, path, { body })).toEqual({ status: 401, code: "unauthenticated" });
    expect(await ask(method, path, { body, key: "plk_sec_none" })).toMatchObject({ status: 401 });
    expect(await ask(method, path, { body, key: hooks.publishable })).toMatchObject({ status: 403 });
    if (/\{|replay|secrets/.test(path))
      expect(await ask(method, path, { body, key: other })).toMatchObject({ status: 404 });
    expect(await kept()).toEqual(before);
  });

  it("lets a viewer of the console change nothing, and read no content", async () => {
    const { cell, projectId } = hooks.work;
    const release = await cell.registry.get(projectId);
    if (release === null) throw new Error("nothing is deployed");
    const match = cell.modules.match(method, pathOf(path), release);
    const principal = { kind: "operator", email: "viewer@example.com", roles: ["admin"], readOnly: true } as const;
    const answer = match?.answer({
      projectId,
      principal,
      release,
      organization: null,
      tenant: cell.scopeOf(projectId),
      cursors: { seal: () => "", open: () => null },
      inner: alone,
      incoming: {
        ...{ id: "req_test", method, path: pathOf(path), query: "", ip: "192.0.2.1" },
        headers: { "content-type": "application/json" },
        body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
      },
    });
    const isOpen = method === "GET" && !path.includes("{");
    if (isOpen) expect(await answer).toMatchObject({ status: 200 });
    else await expect(answer).rejects.toMatchObject({ code: "forbidden" });
  });

  it("is limited", async () => {
    const { key } = await makeKey(hooks.work.cell, hooks.work.projectId, { kind: "publishable" });
    const statuses = new Set<number>();
    for (let at = 0; at < 1_000 && !statuses.has(429); at++)
      statuses.add((await ask(method, path, { body, key })).status);
    expect(statuses).toEqual(new Set([403, 429]));
  });
});

it("an admin of another project sees that project's sources and requests", async () => {
  const { cell } = hooks.work;
  const read = async (path: string) =>
    JSON.parse(String((await callModule(cell, { method: "GET", path, key: other })).body));
  expect((await read("/v1/webhooks/sources")).data).toMatchObject([{ name: "gitlab", enabled: false }]);
  expect((await read("/v1/webhooks/requests")).data).toEqual([]);
});
