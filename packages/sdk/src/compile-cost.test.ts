// The cost of the SDK's types for an app's compiler and editor. It is counted in types, and not timed.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, expect, test } from "vitest";

mkdirSync(join(import.meta.dirname, "../.plinth"), { recursive: true });
const folder = mkdtempSync(join(import.meta.dirname, "../.plinth/cost-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const from = (path: string): string => JSON.stringify(`./${relative(folder, join(import.meta.dirname, path))}`);
const app = `import { type Client, createClient } from ${from("index.ts")};
import { live } from ${from("live.ts")};
import { createHooks } from ${from("react.ts")};
import type { EveryType } from ${from("../../compiler/src/testdata/every-type/sdk.d.ts")};

const db: Client<EveryType> = createClient<EveryType>({ project: "every-type", apiKey: "plk_pub_x" });
const samples = db.entity("sample");
export const list = live(samples, { where: { an_int: { gt: 3 } }, sort: "-an_int" });
export const { useFindMany } = createHooks(db);
export async function run(): Promise<unknown> {
  const found = await samples.findMany({
    where: { a_user: { name: "Ana" }, a_ref: { created_by: { email: { contains: "a" } } } },
    sort: ["-a_ref.created_by.name", "an_int"],
    fields: ["a_string"],
    expand: { a_ref: { expand: { samples: { where: { an_enum: "one" } } } } },
  });
  await samples.update("1", { an_int: 3 }, { version: 1 });
  const rows = await samples.aggregate({ select: ["count"], groupBy: ["a_ref.an_enum"], sort: "-count" });
  const [made] = await db.batch((plan) => [plan.entity("sample").create({})]);
  return [found[0]?.a_ref?.samples[0]?.a_text, rows[0]?.count, made.a_date];
}
`;

test("an app with all field types makes the compiler build fewer than 60,000 types", () => {
  writeFileSync(join(folder, "app.ts"), app);
  // An app is not a library, so it writes no declarations.
  const compilerOptions = { declaration: false, isolatedDeclarations: false };
  const options = { extends: "../../tsconfig.json", compilerOptions, include: ["."] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  const tsc = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--extendedDiagnostics"], { encoding: "utf8" });
  expect(stdout).not.toContain("error TS");
  const types = Number(/^Types:\s+(\d+)$/m.exec(stdout)?.[1]);
  expect(types).toBeGreaterThan(10_000);
  expect(types).toBeLessThan(60_000);
}, 60_000);
