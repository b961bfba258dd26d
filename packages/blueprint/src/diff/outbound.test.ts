// Changes of `webhooks.out`: events that endpoints can newly receive, that they no longer receive, or that are stored
// for a shorter time.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";

function modelOf(out: string, entity = "listing", modules = "auth, users, roles, webhooks"): Model {
  const section = out === "" ? "" : `webhooks:\n  out: ${out}\n`;
  const was = entity === "listing" ? "" : "\n    was: listing";
  const text = `project: shop\nmodules: [${modules}]\nentities:\n  ${entity}:${was}\n    fields: { title: string }\n${section}`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const outOf = (before: Model, after: Model): string[] =>
  diffModels(before, after)
    .filter(({ path }) => path === "webhooks.out")
    .map(({ kind, classes }) => `${kind} ${classes.join(" ")}`);

test.each<[string, string, string, string[]]>([
  ["nothing", "{ retry: 3 }", "{ retry: 3 }", []],
  ["another retry", "{ retry: 3 }", "{ retry: 4 }", ["background_changed safe"]],
  ["defaults for what had none", "", "{ retry: 3, concurrency: 2 }", ["background_added safe"]],
  ["fewer events than any", "", "{ events: [listing.created] }", ["background_added breaking"]],
  [
    "one event more",
    "{ events: [listing.created] }",
    "{ events: [listing.created, listing.deleted] }",
    ["background_changed widens_egress"],
  ],
  [
    "another event",
    "{ events: [listing.created] }",
    "{ events: [listing.deleted] }",
    ["background_changed widens_egress breaking"],
  ],
  ["any event again", "{ events: [listing.created] }", "{ retry: 3 }", ["background_changed widens_egress"]],
  [
    "the section goes, and its limit with it",
    "{ events: [listing.created] }",
    "",
    ["background_removed widens_egress"],
  ],
  ["switched off", "{ retry: 3 }", "{ retry: 3, enabled: false }", ["background_changed breaking"]],
  ["switched on", "{ enabled: false }", "{ enabled: true }", ["background_changed widens_egress"]],
  ["whole records", "{ payload: thin }", "{ payload: full }", ["background_changed widens_egress"]],
  ["kept shorter", "{ retention: 9d }", "{ retention: 8d }", ["background_changed destructive"]],
  ["kept longer", "{ retention: 8d }", "{ retention: 9d }", ["background_changed safe"]],
])("%s", (_, before, after, changes) => {
  expect(outOf(modelOf(before), modelOf(after))).toEqual(changes);
});

test("events follow their entity's name", () => {
  expect(outOf(modelOf("{ events: [listing.created] }"), modelOf("{ events: [offer.created] }", "offer"))).toEqual([]);
});

test("the events of a first section are reported; a section without events reports none", () => {
  const none = modelOf("", "listing", "auth, users, roles");
  expect(outOf(none, modelOf("{ events: [listing.created] }"))).toEqual(["background_added widens_egress"]);
  expect(outOf(none, modelOf("{ retry: 3 }"))).toEqual(["background_added safe"]);
});
