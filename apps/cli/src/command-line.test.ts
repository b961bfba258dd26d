// Commands as a person calls them: what they print where, what they write, and their exit codes.
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

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const code = await runCommandLine(args, env, createTerminal(stream("out"), stream("err"), undefined));
  return { code, ...written };
}

describe("validate", () => {
  test("0 and what it declares", async () => {
    writeFileSync(blueprint, valid);
    const { code, out, err } = await run(["validate", blueprint]);
    expect([code, out, err]).toEqual([0, `${blueprint} is valid: project notes with note\n`, ""]);
  });

  test("1 and every diagnostic with place, code, line, caret and hint", async () => {
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

  test("2 where the file can't be read", async () => {
    expect(await run(["validate", join(folder, "none.yaml")])).toMatchObject({ code: 2 });
    expect(await run(["validate", folder])).toMatchObject({ code: 2, err: `error: ${folder}: that is a folder\n` });
  });
});

describe("fmt", () => {
  const untidy = valid.replace("title: string", 'title:   "string"   # shown in lists');

  test("writes the canonical form, keeps comments, and then finds nothing to do", async () => {
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

  test("leaves what it can't parse as it is", async () => {
    writeFileSync(blueprint, "project: [a\n");
    expect(await run(["fmt", blueprint])).toMatchObject({ code: 1 });
    expect(readFileSync(blueprint, "utf8")).toBe("project: [a\n");
  });
});

describe("compile", () => {
  test("writes the four files, the same bytes each time", async () => {
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

  test("writes nothing where there are errors", async () => {
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
])("$args is a wrong call: 2", async ({ args, says }) => {
  const { code, out, err } = await run(args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(says);
});

test("--help is no mistake", async () => {
  expect(await run(["--help"])).toMatchObject({ code: 0, err: "" });
});

describe("up", () => {
  test("a port in use is named by its variable, before anything is started", async () => {
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

  test("a port that is none, or is wanted twice", async () => {
    expect(await run(["up"], { PLINTH_API_PORT: "http" })).toMatchObject({
      code: 2,
      err: 'error: PLINTH_API_PORT must be a port from 1 to 65535; it is "http"\n',
    });
    const twice = await run(["up"], { PLINTH_HOME: folder, PLINTH_API_PORT: "45123", PLINTH_CONSOLE_PORT: "45123" });
    expect(twice.err).toContain("PLINTH_API_PORT and PLINTH_CONSOLE_PORT are both 45123");
  });
});
