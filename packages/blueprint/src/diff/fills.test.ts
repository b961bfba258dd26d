// A value from `fill` counts as readable: if it shows more than its readers could read, or gives access through a rule
// that reads it, the change counts as looser, and an AI can't propose it.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import { protect } from "./protect.ts";

function modelOf(fields: readonly string[], read = "true"): Model {
  const { model, diagnostics } = checkBlueprint(`project: fills
modules: [auth, users]
entities:
  shop:
    fields: { owner_name: string }
    permissions: { admin: { all: true } }
  note:
    fields:
      title: string
      hidden: text internal = ""
      personal: string pii
      shop_id: ref(shop)
${fields.map((field) => `      ${field}\n`).join("")}    permissions:
      user: { read: ${read}, create: true }
`);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const looser = (before: Model, after: Model): readonly (string | undefined)[] =>
  diffModels(before, after).flatMap(({ classes, witness }) =>
    classes.includes("loosens_access") ? [witness?.summary] : [],
  );
const touched = (before: Model, after: Model): readonly string[] =>
  protect(before, after, "ai", diffModels(before, after)).map(({ path }) => path);

describe.each([
  ["an internal field", "copy: text? fill(hidden)", /A `user` can now read `copy`/],
  ["what another record holds", "copy: string? fill(shop.owner_name)", /A `user` can now read `copy`/],
  ["what is now masked in logs", "copy: string? fill(personal)", /in logs, through `copy`/],
])("a new field that is filled from %s", (_, field, wanted) => {
  const [before, after] = [modelOf([]), modelOf([field])];
  test("loosens access", () => expect(looser(before, after)).toEqual([expect.stringMatching(wanted)]));
  test("can't be proposed by an AI", () => expect(touched(before, after)).toContain("note.copy"));
  test("does so once", () => expect(looser(after, modelOf([field, "more: int?"]))).toEqual([]));
});

test.each(["copy: string? fill(title)", "copy: string? fill('x')", "copy: text? internal fill(hidden)"])(
  "%s loosens nothing",
  (field) => expect(looser(modelOf([]), modelOf([field]))).toEqual([]),
);

test("an existing field that gives readers access once it is filled", () => {
  const [before, after] = [modelOf(["open: bool?"], "open"), modelOf(["open: bool? fill(title != '')"], "open")];
  expect(looser(before, after).length).toBeGreaterThan(0);
  expect(touched(before, after)).toContain("note.open");
});
