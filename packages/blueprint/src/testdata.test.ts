// Every invalid blueprint in testdata contains its expected diagnostics: `# expect: code line:column`. No others are
// allowed.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import { diagnosticCatalogue } from "./text/diagnostic.ts";

const directory = new URL("testdata/invalid/", import.meta.url);
const files = readdirSync(directory).filter((name) => name.endsWith(".yaml"));

test.each(files)("%s", (name) => {
  const text = readFileSync(new URL(name, directory), "utf8");
  const expected = [...text.matchAll(/^# expect: (\w+ \d+:\d+)$/gm)].map((match) => match[1]);
  expect(expected.length).toBeGreaterThan(0);
  // Most of them have no permissions, because they show something else.
  const isUnasked = (code: string): boolean => code === "entity_unused" && !text.includes("# expect: entity_unused");
  const found = checkBlueprint(text).diagnostics.flatMap(({ code, span }) =>
    isUnasked(code) ? [] : [`${code} ${span.start.line}:${span.start.column}`],
  );
  expect(found).toEqual(expected);
  const texts = checkBlueprint(text).diagnostics.flatMap(({ message, hint }) => [message, hint ?? ""]);
  expect(texts.filter((one) => one.length > 200)).toEqual([]);
});

describe("there is a blueprint for every code", () => {
  // Only the example in the catalogue generates a file of a megabyte.
  const codes = Object.keys(diagnosticCatalogue).filter((code) => code !== "blueprint_too_large");
  test.each(codes)("%s", (code) => expect(files).toContain(`${code.replaceAll("_", "-")}.yaml`));
});
