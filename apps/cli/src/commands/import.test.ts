// `plinth import` as a person calls it: its output, the files that it writes, and its exit codes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommandLine } from "../command-line.ts";
import { createTerminal } from "../terminal.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-import-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(args: readonly string[]) {
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const code = await runCommandLine(args, {}, createTerminal(stream("out"), stream("err"), undefined));
  return { code, ...written };
}

test("a missing file, and a file with an error, which is reported with its line", async () => {
  expect(await run(["import", "prisma", join(folder, "none.prisma")])).toMatchObject({ code: 2, out: "" });
  const file = join(folder, "broken.prisma");
  writeFileSync(file, "model A {\n  id Int @id\n}\nmodel {\n}\n");
  const { code, err } = await run(["import", "prisma", file]);
  expect([code, err]).toEqual([1, expect.stringContaining("can't be read as a Prisma schema, line 4: ")]);
});

test("writes a file, prints the inventory and the next step, and doesn't overwrite an existing file", async () => {
  const [file, out] = [join(folder, "notes.prisma"), join(folder, "notes.yaml.new")];
  writeFileSync(file, "model Note {\n  id Int @id\n  text String\n  photo Bytes?\n}\n");
  const { code, err } = await run(["import", "prisma", file, "--out", out]);
  expect(code).toBe(0);
  expect(err).toMatch(/^tables +1 +1 +0 +0 +0$/m);
  expect(err).toMatch(/^all +7 +5 +1 +1 +0$/m);
  expect(err).toContain("  fields: The type Bytes has no counterpart.\n    Note.photo\n");
  expect(err).toContain(`Written to ${out}. Next: plinth dev ${out}\n`);
  expect(await run(["validate", out])).toMatchObject({ code: 0 });
  expect(await run(["import", "prisma", file, "--out", out])).toMatchObject({ code: 1 });
  const json = await run(["import", "prisma", file, "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({
    blueprint: readFileSync(out, "utf8"),
    inventory: expect.arrayContaining([
      { kind: "tables", found: 1, expressed: 1, changed: 0, leftOut: 0, unaccounted: 0 },
    ]),
    notes: [
      { kind: "changed", of: "fields", path: "Note.id" },
      { kind: "left_out", of: "fields", path: "Note.photo" },
    ],
    proposals: [],
  });
});

test("the project gets the name of the folder above the folder of schemas", async () => {
  const schemas = join(folder, "Green Grocer", "prisma", "schema");
  mkdirSync(schemas, { recursive: true });
  writeFileSync(join(schemas, "a.prisma"), "model A {\n  id Int @id\n}\n");
  const { code, out } = await run(["import", "prisma", schemas]);
  expect([code, out.split("\n")[0]]).toEqual([0, "project: green-grocer"]);
  rmSync(join(schemas, "a.prisma"));
  expect(await run(["import", "prisma", schemas])).toMatchObject({ code: 2 });
});
