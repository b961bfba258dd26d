// The samples' OpenAPI documents pass the rules that Redocly recommends. Tools generate poor clients from a document
// with problems.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { compileModel } from "../compile.ts";

const samples = join(import.meta.dirname, "../testdata");
const documents = readdirSync(samples, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith("openapi.json"),
);

const config = await createConfig({
  extends: ["recommended"],
  // We can't choose the licence of an app's API.
  rules: { "info-license": "off" },
});

async function problemsIn(source: string): Promise<readonly string[]> {
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`);
}

test("the samples have documents", () => expect(documents.length).toBeGreaterThan(2));

test.each(documents)("%s has no problem", async (path) => {
  expect(await problemsIn(readFileSync(join(samples, path), "utf8"))).toEqual([]);
});

const examples = join(import.meta.dirname, "../../../../docs/examples");

test.each(readdirSync(examples))("docs/examples/%s has no problem", async (file) => {
  const { model } = checkBlueprint(readFileSync(join(examples, file), "utf8"));
  if (model === null) throw new Error("it has errors");
  expect(await problemsIn(JSON.stringify(compileModel(model).openapi))).toEqual([]);
});

/** Schemas that refer to themselves, directly or through others; only JSON itself must do so. */
function circles(document: unknown): readonly string[] {
  const { schemas } = (document as { components: { schemas: Readonly<Record<string, unknown>> } }).components;
  const next = (name: string): readonly string[] =>
    [...JSON.stringify(schemas[name] ?? null).matchAll(/#\/components\/schemas\/([^"/]+)/g)].map(([, to = ""]) => to);
  const reachable = (name: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    for (const stack = [...next(name)]; stack.length > 0; ) {
      const one = stack.pop() ?? "";
      if (!seen.has(one)) stack.push(...next(one));
      seen.add(one);
    }
    return seen;
  };
  return Object.keys(schemas).filter((name) => name !== "Json" && reachable(name).has(name));
}

test.each(readdirSync(examples))(
  "no schema of docs/examples/%s contains itself, because validators can't follow circles",
  (file) => {
    const { model } = checkBlueprint(readFileSync(join(examples, file), "utf8"));
    if (model === null) throw new Error("it has errors");
    expect(circles(compileModel(model).openapi)).toEqual([]);
  },
);

test("a wrong example is found", async () => {
  const [path = ""] = documents;
  const source = readFileSync(join(samples, path), "utf8").replace('"expires_in": 900', '"expires_in": "soon"');
  expect((await problemsIn(source)).join()).toContain("expires_in");
});
