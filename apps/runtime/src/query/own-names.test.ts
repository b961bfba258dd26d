// Every name of ours begins with an underscore, and every author's name begins with a letter, so no field can shadow an
// alias. This test checks each statement of the examples: bare words are SQL's or ours, and quoted ones, which may be
// authors', follow the row that they belong to.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { checkName } from "@plinth/blueprint";
import { describe, expect, test } from "vitest";
import { bundleOf } from "../http/testing/test-cell.ts";
import { wholeBlueprint } from "../http/testing/whole-blueprint.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { nothingKept } from "../project/derived.ts";
import { everyStatement } from "./testing/every-statement.ts";
import { strayNames } from "./testing/stray-names.ts";

const examples = new URL("../../../../packages/compiler/src/testdata/", import.meta.url);
const blueprints = readdirSync(examples)
  .map((name) => [name, new URL(`${name}/blueprint.yaml`, examples)] as const)
  .filter(([, file]) => existsSync(file))
  .map(([name, file]) => [name, readFileSync(file, "utf8")] as const);

function releaseOf(blueprint: string): ActiveRelease {
  return {
    projectId: "prj_x" as ActiveRelease["projectId"],
    slug: "x",
    releaseId: "rel_x",
    bundle: bundleOf(blueprint),
    schema: '"t_x"',
    plans: nothingKept(),
    own: nothingKept(),
  };
}

describe("the reader of this test", () => {
  test.each([
    ['select to_jsonb(x) from (select _r."a" as "a" from "t"."b" _r) x', ["x", "x"]],
    ['select "a" from "t"."b" _r', ['"a"']],
    ['select _r."a" as "a" from "t"."b" _r order by _r."a"', []],
    ['insert into "t"."b" ("a", "c") select _n."a", _n."c" from _n', []],
    ['update "t"."b" _r set "a" = _n."a", "c" = now() from _n where _r."id" = _n."id"', []],
    ['update "t"."b" _r set "a" = _n."a" from _n where "id" = _n."id"', ['"id"']],
    ["select count(*), 'x y'::text from _n", []],
  ])("%s", (text, expected) => {
    expect(strayNames(text)).toEqual(expected);
  });
});

test("no name in a blueprint begins with an underscore", () => {
  for (const kind of ["entity", "plural", "field", "member", "relation", "check", "role", "enum value"] as const) {
    expect(checkName("_cur", kind)?.code).toBe("invalid_name");
  }
});

test.each([...blueprints, ["the whole language", wholeBlueprint] as const])("statements of %s", (_, blueprint) => {
  const texts = [...everyStatement(releaseOf(blueprint))];
  expect(texts.length).toBeGreaterThan(20);
  const strays = texts.flatMap((text) => strayNames(text).map((name) => `${name} in ${text}`));
  expect(strays.slice(0, 5)).toEqual([]);
});
