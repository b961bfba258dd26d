// Background parts that have no effect: nothing starts them, nobody can call them, or they call no valid host; and
// texts that look like templates.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

const head = `project: demo
modules: [auth, users, roles, workers, audit_logs]
entities:
  listing:
    fields: { title: string, note: json?, n: int? }
    permissions: { admin: { all: true } }
`;

function found(sections: string): string[] {
  return checkBlueprint(`${head}${sections}\n`).diagnostics.map(({ code, severity, message, hint }) => {
    expect(hint).not.toBeNull();
    return `${severity} ${code}: ${/`[^`]*`/.exec(message)?.[0] ?? ""}`;
  });
}

const step = (text: string): string => `workers:\n  w:\n    on: listing.created\n    steps:\n      - ${text}`;
const note = (value: string): string => step(`audit.write: { with: { note: ${value} } }`);

describe("braces of other template languages", () => {
  test.each([
    [note('"{{ record.title }}"'), ["`{{ record.title }}`"]],
    [note('"a {{record.title}} b ${ record.id } c"'), ["`{{record.title}}`", "`${ record.id }`"]],
    [note('"${{ record.title }} {{ record.id }}"'), ["`{{ record.id }}`"]],
    [note(`'\${{ "{{ record.title }}" }}'`), []],
    [note('"{ a } {{ }} ${} ${1} }"'), []],
    [step('record.create: { with: { entity: listing, title: "${record.title}" } }'), ["`${record.title}`"]],
    [
      step('record.create: { with: { entity: listing, title: a, note: { a: ["{{ record.title }}"] } } }'),
      ["`{{ record.title }}`"],
    ],
    [step('http.request: { with: { url: "https://a.example/{{ record.id }}", method: GET } }'), ["`{{ record.id }}`"]],
  ])("%s", (text, shown) =>
    expect(found(text).filter((one) => !one.includes("endless_work"))).toEqual(
      shown.map((one) => `warning foreign_template: ${one}`),
    ),
  );

  test("are not an expression in a condition", () => {
    expect(found(step('audit.write: { if: "{{ record.n == 1 }}" }'))).toEqual(["error invalid_template: "]);
    expect(found(step('audit.write: { if: "${record.n == 1}" }'))).toEqual(["error invalid_template: "]);
  });
});

describe("background parts that nothing starts", () => {
  const steps = "steps: [audit.write]";
  test.each([
    [`workflows:\n  w: { on: manual, ${steps} }`, ["`w`"]],
    [`workflows:\n  w: { on: [listing.created, manual], ${steps} }`, []],
    [`workers:\n  w: { on: schedule, ${steps} }`, ["`w`"]],
    [`workers:\n  w: { ${steps} }`, ["`w`"]],
    [`workers:\n  w: { ${steps} }\nschedules:\n  s: { cron: "@daily", run: w }`, []],
    [`workflows:\n  w: { on: manual, ${steps} }\nschedules:\n  s: { cron: "@daily", run: w }`, []],
    [`workers:\n  w: { ${steps} }\nactions:\n  a: { mode: async, permissions: { user: true }, steps: [w] }`, []],
    [
      `workers:\n  w: { ${steps} }\nworkflows:\n  f: { on: listing.created, steps: [{ worker.run: { with: { worker: w } } }] }`,
      [],
    ],
    [
      `workers:\n  w: { ${steps} }\n  v: { on: listing.created, steps: [{ action: audit.write, compensate: [w] }] }`,
      [],
    ],
  ])("%s", (text, names) => expect(found(text)).toEqual(names.map((name) => `warning work_never_starts: ${name}`)));

  test("no report next to another mistake, because a name may be misspelt there", () => {
    expect(found(`workers:\n  w: { ${steps} }\nschedules:\n  s: { cron: "@daily", run: v }`)).toEqual([
      "error unknown_worker: `v`",
    ]);
  });
});

test.each([
  ["a: { steps: [audit.write] }", true],
  ["a: { permissions: {}, steps: [audit.write] }", true],
  ["a: { permissions: { user: true }, steps: [audit.write] }", false],
])("an action that nobody can call: %s", (action, isTold) =>
  expect(found(`actions:\n  ${action}`).includes("warning action_without_caller: `a`")).toBe(isTold),
);

describe("hosts that are not public", () => {
  const hosts = ["localhost:3000", "127.0.0.1", "[::1]"].map((host) => `http://${host}/jobs`);
  const others = [
    "10.0.0.1",
    "172.16.0.9",
    "192.168.1.4",
    "169.254.169.254",
    "100.64.0.1",
    "2130706433",
    "[fd00::1]",
    "db.internal",
  ];
  test.each([...hosts, ...others.map((host) => `https://${host}/jobs`)])("%s", (url) =>
    expect(
      found(`workers:\n  w: { on: listing.created, http: { url: "${url}" } }`).map((one) => one.split(":")[0]),
    ).toEqual(["warning private_host"]),
  );

  test.each(["example.com", "8.8.8.8", "172.32.0.1", "localhost.example.com", "[2606:4700::1]"])("but not %s", (host) =>
    expect(found(`workers:\n  w: { on: listing.created, http: { url: "https://${host}/jobs" } }`)).toEqual([]),
  );
});

test.each([
  ["wait: 5m", "Write `delay: 5m`."],
  ["approve: admin", "Write `approval: { roles: [admin] }`."],
  ["approval: [admin]", "For example `approval: { roles: [admin], timeout: 2d }`."],
  ["audit.write: hello", "Put the input of an action under `with`: `audit.write: { with: { ... } }`."],
  ["delay: 5 minutes", "Write `5m`. Write a duration from `1s` to `365d`."],
  ["delay: 2 Hours", "Write `2h`. Write a duration from `1s` to `365d`."],
  ["delay: 400d", "Write a duration from `1s` to `365d`."],
  ["send_text", /^Known actions: record\.create, .*http\.request, .* and the names of workers\.$/],
])("a step with a small mistake: %s", (text, hint) => {
  const [told, second] = checkBlueprint(`${head}${step(text)}\n`).diagnostics;
  expect([told?.hint, second]).toEqual([typeof hint === "string" ? hint : expect.stringMatching(hint), undefined]);
});

test("a NUL in a text or a key of a template can't be stored", () => {
  expect(found(note('"a\\0"'))).toEqual(["error invalid_template: "]);
  expect(found(step('http.request: { with: { url: "https://a.example", body: { "a\\0": 1 } } }'))).toEqual([
    "error invalid_template: ",
  ]);
});

describe("the published examples have none of these warnings", () => {
  const root = join(import.meta.dirname, "../../../..");
  const folders = ["docs", "docs/examples", "docs/blueprint", "apps/control/src/blueprints/templates"];
  const files = folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)));
  const texts = files
    .filter((name) => /\.(?:yaml|md)$/.test(name))
    .flatMap((name): [string, string][] => {
      const text = readFileSync(join(root, name), "utf8");
      if (name.endsWith(".yaml")) return [[name, text]];
      return [...text.matchAll(/```yaml\n(project:[\s\S]*?)```/g)].map((match) => [name, match[1] ?? ""]);
    });
  const told = ["foreign_template", "work_never_starts", "action_without_caller", "private_host"];

  test("exist", () => expect(texts.length).toBeGreaterThan(8));
  test.each(texts)("%s", (_, text) => {
    expect(checkBlueprint(text).diagnostics.filter(({ code }) => told.includes(code))).toEqual([]);
  });
});
