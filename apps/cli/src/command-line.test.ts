// Commands as a person calls them: their output, the files that they write, and their exit codes.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCommandLine } from "./command-line.ts";
import { createTerminal } from "./terminal.ts";

const valid = `project: notes
modules: [auth, users]

entities:
  note:
    fields:
      title: string
    permissions:
      public:
        read: true
`;

let folder: string;
let blueprint: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-cli-"));
  blueprint = join(folder, "notes.yaml");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Watched {
  readonly columns: number;
  readonly noColour?: string;
}

/** `watched`: the width of a terminal, in columns. */
async function run(args: readonly string[], env: Record<string, string> = {}, watched?: Watched) {
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    ...(watched === undefined ? {} : { isTTY: true, columns: watched.columns }),
    write: (text: string) => {
      written[name] += text;
    },
  });
  const code = await runCommandLine(args, env, createTerminal(stream("out"), stream("err"), watched?.noColour));
  return { code, ...written };
}

describe("validate", () => {
  test("0 and the declared entities", async () => {
    writeFileSync(blueprint, valid);
    const { code, out, err } = await run(["validate", blueprint]);
    expect([code, out, err]).toEqual([0, `${blueprint} is valid: project notes with note\n`, ""]);
  });

  test("1 and every diagnostic with position, code, line, caret and hint", async () => {
    writeFileSync(blueprint, valid.replace("string", "strng").replace("modules:", "modles:"));
    const { code, out, err } = await run(["validate", blueprint]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`--> ${blueprint}:7:14\n`);
    expect(err).toContain("7 |       title: strng\n  |              ^^^^^\n");
    expect(err).toContain("= hint: Did you mean `string`?");
    expect(err).toContain(`--> ${blueprint}:2:1\n`);
    expect(err).toMatch(/notes\.yaml: \d errors?/);
    expect(err).not.toContain("\u001b[");
  });

  test("2 if the file can't be read", async () => {
    expect(await run(["validate", join(folder, "none.yaml")])).toMatchObject({ code: 2 });
    expect(await run(["validate", folder])).toMatchObject({ code: 2, err: `error: ${folder}: that is a folder\n` });
  });
});

describe("fmt", () => {
  const untidy = valid.replace("title: string", 'title:   "string"   # shown in lists');

  test("writes the canonical form with comments, and then finds nothing to change", async () => {
    writeFileSync(blueprint, untidy);
    expect(await run(["fmt", blueprint, "--check"])).toMatchObject({ code: 1 });
    expect(readFileSync(blueprint, "utf8")).toBe(untidy);
    expect(await run(["fmt", blueprint])).toMatchObject({ code: 0 });
    const formatted = readFileSync(blueprint, "utf8");
    expect(formatted).toContain("# shown in lists");
    expect(await run(["fmt", blueprint, "--check"])).toMatchObject({ code: 0, out: "", err: "" });
    expect(await run(["fmt", blueprint])).toMatchObject({ code: 0, out: "" });
    expect(readFileSync(blueprint, "utf8")).toBe(formatted);
  });

  test("doesn't change a file that it can't parse", async () => {
    writeFileSync(blueprint, "project: [a\n");
    expect(await run(["fmt", blueprint])).toMatchObject({ code: 1 });
    expect(readFileSync(blueprint, "utf8")).toBe("project: [a\n");
  });
});

describe("compile", () => {
  test("writes the same four files each time", async () => {
    writeFileSync(blueprint, valid);
    const [first, second] = [join(folder, "a/b"), join(folder, "c")];
    expect(await run(["compile", blueprint, "--out", first])).toMatchObject({ code: 0, err: "" });
    expect(await run(["compile", blueprint, "--out", second])).toMatchObject({ code: 0 });
    expect(readdirSync(first).sort()).toEqual(["bundle.json", "openapi.json", "schema.sql", "sdk.d.ts"]);
    for (const name of readdirSync(first)) {
      expect(readFileSync(join(first, name), "utf8")).toBe(readFileSync(join(second, name), "utf8"));
    }
    expect(JSON.parse(readFileSync(join(first, "bundle.json"), "utf8"))).toMatchObject({ project: "notes" });
    expect(readFileSync(join(first, "sdk.d.ts"), "utf8")).toContain("export interface Notes");
  });

  test("writes nothing if there are errors", async () => {
    writeFileSync(blueprint, valid.replace("string", "strng"));
    expect(await run(["compile", blueprint, "--out", join(folder, "out")])).toMatchObject({ code: 1 });
    expect(readdirSync(folder)).toEqual(["notes.yaml"]);
  });
});

test.for([
  { args: [], says: "Usage: plinth" },
  { args: ["vlidate", "x"], says: "unknown command 'vlidate'" },
  { args: ["validate"], says: "missing required argument 'file'" },
  { args: ["compile", "x.yaml"], says: "--out" },
  { args: ["validate", "a", "b"], says: "too many arguments" },
  { args: ["users", "grant", "--project", "x"], says: "--email" },
  { args: ["runs", "list"], says: "--project" },
  { args: ["runs", "list", "--project", "x", "--status", "done"], says: "needs_attention" },
  { args: ["runs", "list", "--project", "x", "--limit", "0"], says: "from 1 to 100" },
  { args: ["events", "tail"], says: "--project" },
  { args: ["schedules", "pause", "--project", "x"], says: "missing required argument 'name'" },
  { args: ["schedules", "list"], says: "--project" },
  { args: ["signing-secret", "rotate"], says: "--project" },
  { args: ["webhooks", "trigger", "--project", "x"], says: "missing required argument 'id'" },
  { args: ["webhooks", "deliveries", "--project", "x", "--status", "sent"], says: "revoked" },
  { args: ["webhooks", "sources"], says: "--project" },
  { args: ["webhooks", "requests", "--project", "x", "--status", "sent"], says: "unmapped" },
  { args: ["webhooks", "secret", "--project", "x"], says: "missing required argument 'source'" },
  { args: ["webhooks", "secret", "stripe", "--project", "x", "--overlap", "169"], says: "from 0 to 168" },
])("$args is wrong usage: 2", async ({ args, says }) => {
  const { code, out, err } = await run(args, { PLINTH_HOME: folder });
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(says);
});

test("a command about a project uses the only known project, and needs a name if there are several", async () => {
  const know = (...names: readonly string[]): void => {
    const projects = Object.fromEntries(names.map((name) => [name, {}]));
    writeFileSync(join(folder, "secrets.json"), JSON.stringify({ developer: { projects } }));
  };
  const trigger = () => run(["webhooks", "trigger", "nonsense"], { PLINTH_HOME: folder });
  know("shop");
  expect((await trigger()).err).toContain("`plinth webhooks endpoints --project shop` shows the ids");
  know("shop", "club");
  expect(await trigger()).toMatchObject({ code: 2, err: expect.stringContaining("--project club, --project shop") });
  know();
  expect(await trigger()).toMatchObject({ code: 2, err: expect.stringContaining("`plinth dev FILE`") });
});

test("--help succeeds, shows the exit codes, and fits the terminal", async () => {
  const { code, out, err } = await run(["--help"], {}, { columns: 80 });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^Exit codes:\n {2}0 .+\n {2}1 .+\n {2}2 /m);
  expect(out.split("\n").filter((line) => line.length > 95)).toEqual([]);
});

test("schema prints the JSON Schema for editors, or writes it", async () => {
  const { code, out, err } = await run(["schema"]);
  expect([code, err]).toEqual([0, ""]);
  const schema = JSON.parse(out);
  expect(schema).toMatchObject({ $schema: "http://json-schema.org/draft-07/schema#", type: "object" });
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(["project", "entities", "tests"]));
  const file = join(folder, "schema.json");
  expect(await run(["schema", "--out", file])).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toBe(out);
  expect(await run(["schema", "--out", folder])).toMatchObject({ code: 1, out: "" });
});

describe("up", () => {
  test("a port in use is reported with its variable before anything is started", async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    const port = String(typeof address === "object" && address !== null ? address.port : 0);
    const home = join(folder, "home");
    try {
      const result = await run(["up"], { PLINTH_HOME: home, PLINTH_CONTROL_PORT: port });
      expect(result.code).toBe(1);
      expect(result.err).toContain(`port ${port} for the control API is in use: set PLINTH_CONTROL_PORT`);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  test("an invalid port, and a port that is used twice", async () => {
    expect(await run(["up"], { PLINTH_API_PORT: "http" })).toMatchObject({
      code: 2,
      err: 'error: PLINTH_API_PORT must be a port from 1 to 65535; it is "http"\n',
    });
    const twice = await run(["up"], { PLINTH_HOME: folder, PLINTH_API_PORT: "45123", PLINTH_CONSOLE_PORT: "45123" });
    expect(twice.err).toContain("PLINTH_API_PORT and PLINTH_CONSOLE_PORT are both 45123");
  });
});

const tested = `project: shop
modules: [auth, users, roles]

entities:
  bike:
    fields:
      name: string
      status: enum[draft, on_sale] = draft
      seller_id: user_ref = current_user.id
    permissions:
      public:
        read: status == on_sale
      owner:
        update: seller_id == current_user.id

tests:
  users:
    ana: { roles: [user] }
  rows:
    bike:
      shown: { name: A, status: on_sale, seller_id: ana }
      hidden: { name: B, seller_id: ana }
  expect:
    - { as: public, list: bike, sees: [shown] }
    - { as: ana, update: bike.hidden, allow: true }
`;

describe("validate --json, and the blueprint's tests", () => {
  test("prints one object on stdout for valid and invalid blueprints", async () => {
    writeFileSync(blueprint, tested);
    const fine = await run(["validate", blueprint, "--json"]);
    expect([fine.code, fine.err]).toEqual([0, ""]);
    expect(JSON.parse(fine.out)).toEqual({ valid: true, diagnostics: [], tests: 2 });
    writeFileSync(blueprint, tested.replace("sees: [shown]", "sees: [hidden]"));
    const failed = await run(["validate", blueprint, "--json"]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toMatchObject({ valid: false, diagnostics: [{ code: "test_failed" }] });
  });
});

describe("diff and plan", () => {
  let changed: string;
  beforeEach(() => {
    writeFileSync(blueprint, tested);
    changed = join(folder, "changed.yaml");
  });

  test("a change that loosens access shows a witness and the required consents", async () => {
    writeFileSync(
      changed,
      tested.replace("read: status == on_sale", "read: true").replace("sees: [shown]", "sees: [shown, hidden]"),
    );
    const { code, out } = await run(["diff", blueprint, changed]);
    expect(code).toBe(0);
    expect(out).toMatch(/loosens access/);
    expect(out).toMatch(/! public can now read a bike with status draft/);
    expect(out).toMatch(/loosens_access bike\.permissions\.public\.read/);
    const { out: json } = await run(["diff", blueprint, changed, "--json"]);
    expect(JSON.parse(json)).toMatchObject({
      changes: [{ kind: "permission_changed", witness: { role: "public", record: { status: "draft" } } }],
      refused: [],
    });
  });

  test("no change needs no consent", async () => {
    writeFileSync(changed, `# the same\n${tested}`);
    const { code, out } = await run(["diff", blueprint, changed]);
    expect([code, out]).toEqual([0, "Nothing changes.\n"]);
  });

  test("in a terminal: coloured unless NO_COLOR is set, and no line is longer than the terminal is wide", async () => {
    writeFileSync(
      changed,
      tested
        .replace(
          "read: status == on_sale",
          'read: status == on_sale || name.startsWith("A") && price > 0 && colour != null',
        )
        .replace(
          "name: string",
          "name: string\n      price: int = 0\n      colour: string?\n      weight: float?\n      seats: int?\n      sold_on: date?",
        )
        .replace("name: A", "name: A, colour: red"),
    );
    const coloured = await run(["diff", blueprint, changed], {}, { columns: 60 });
    expect(coloured.out).toContain("[\u001b[33mloosens access\u001b[0m]");
    const { out } = await run(["diff", blueprint, changed], {}, { columns: 60, noColour: "1" });
    expect(out).not.toContain("\u001b");
    expect(out.split("\n").filter((line) => line.length > 60)).toEqual([]);
    expect(out).toMatch(/^\d changes: .*\d safe$/m);
    const whole = await run(["diff", blueprint, changed]);
    expect(whole.out.replace(/\s+/g, " ")).toBe(out.replace(/\s+/g, " "));
  });

  test("the output shows only the part of a long line around the error", async () => {
    const long = `read: status == on_sale ${'|| name == "A" '.repeat(10)}|| nme == "B" ${'|| name == "C" '.repeat(10)}`;
    writeFileSync(changed, tested.replace("read: status == on_sale", long));
    const { err } = await run(["validate", changed], {}, { columns: 60, noColour: "1" });
    const lines = err.split("\n");
    const at = lines.findIndex((line) => line.includes('nme == "B"'));
    expect(lines[at]?.length).toBe(60);
    expect(lines[at]).toMatch(/\| \.\.\..*\.\.\.$/);
    expect(lines[at]?.slice(lines[at + 1]?.indexOf("^"))).toMatch(/^nme == "B"/);
  });

  test("warnings about the old version are not shown", async () => {
    const warned = tested.replace("modules: [auth,", "modules: [storage, auth,");
    writeFileSync(blueprint, warned);
    writeFileSync(changed, tested);
    expect(await run(["diff", blueprint, changed])).toMatchObject({ code: 0, err: "" });
    expect((await run(["diff", changed, blueprint])).err).toContain("module_not_served");
  });

  test("a plan between two files prints each step with its SQL", async () => {
    writeFileSync(changed, tested.replace("name: string", "name: string\n      price: int = 0"));
    const { code, out } = await run(["plan", blueprint, changed]);
    expect(code).toBe(0);
    expect(out).toMatch(/^While the old version serves:\n {2}1\. /m);
    expect(out).toMatch(/alter table "bikes" add column "price" integer not null default 0/);
    const { steps } = JSON.parse((await run(["plan", blueprint, changed, "--json"])).out);
    expect(steps.length).toBeGreaterThan(0);
  });

  test("plan without a second file and without a project is wrong usage; blueprints with errors aren't compared", async () => {
    expect((await run(["plan", blueprint])).code).toBe(2);
    writeFileSync(changed, tested.replace("string", "strng"));
    const { code, err } = await run(["diff", blueprint, changed]);
    expect(code).toBe(1);
    expect(err).toContain("unknown_type");
  });
});

describe("explain", () => {
  beforeEach(() => writeFileSync(blueprint, tested));

  test("shows the part of the rule that decided, and its line", async () => {
    const { code, out } = await run(["explain", blueprint, "read", "bike.hidden"]);
    expect(code).toBe(0);
    expect(out).toContain("public read bike.hidden: denied");
    expect(out).toContain(`public: status == "on_sale"\n    does not hold (${blueprint}:12)\n`);
  });

  test("shows the part of a rule that denies, without calling an unknown part false", async () => {
    const narrowed = tested.replace("read: status == on_sale", "read: status == on_sale && !hidden");
    writeFileSync(blueprint, narrowed.replace("name: string", "name: string\n      hidden: bool = false"));
    const record = '{"name":"C","status":"on_sale","hidden":true}';
    const { out } = await run(["explain", blueprint, "read", "bike", "--record", record]);
    expect(out).toContain(`decided by hidden (${blueprint}:13)`);
  });

  test("shows the role that allows it", async () => {
    const { out } = await run(["explain", blueprint, "update", "bike.hidden", "--as", "ana", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ allowed: true, grants: [{ role: "owner", allowed: true }] });
  });

  test("explains a user and a record that are in no test", async () => {
    const args = ["--user", '{"roles":["user"]}', "--record", '{"name":"C","status":"on_sale"}'];
    const { out } = await run(["explain", blueprint, "read", "bike", ...args]);
    expect(out).toContain("a user with user read bike: allowed");
  });

  test.each([
    [["jump", "bike.hidden"], "there is no operation jump"],
    [["read", "bike.gone"], "The tests have no row bike.gone"],
    [["read", "bike.hidden", "--as", "eve"], "There is no user eve. Known users: public, ana"],
    [["read", "bike", "--record", "{"], "--record must be a JSON object"],
  ])("%j is wrong usage", async (args, message) => {
    const { code, err } = await run(["explain", blueprint, ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe("an environment", () => {
  test.each([
    ["a project that is another one", ["runs", "list", "--project", "notes--preview", "--env", "development"]],
    ["a hosted project, which its key names", ["events", "tail", "--env", "preview"]],
    ["no project of the local Plinth", ["plan", "a.yaml", "b.yaml", "--env", "preview"]],
  ])("2 if it is named in addition to %s", async (_, args) => {
    expect(await run(args, { PLINTH_HOME: folder })).toMatchObject({ code: 2, err: expect.stringMatching(/project/) });
  });

  test("2 if production is to be deleted, or without --yes", async () => {
    const named = ["--project", "notes"];
    expect(await run(["environments", "delete", "production", ...named, "--yes"])).toMatchObject({ code: 2 });
    expect(await run(["environments", "delete", "preview", ...named])).toMatchObject({
      code: 2,
      err: "error: this deletes preview with its data, keys and connections: run it again with --yes\n",
    });
  });
});
