// Changes of search: their summaries and classes.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";

function modelOf(note: string, language?: string): Model {
  const search = language === undefined ? "" : `search: { language: ${language} }\n`;
  const text = `project: demo\nmodules: [auth, users]\n${search}entities:\n  listing:\n    fields:\n      title: string\n      note: text? ${note}\n    permissions:\n      public: { read: true }\n`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

test.each<[string, Model, Model, string[]]>([
  ["searchable", modelOf(""), modelOf("searchable"), ["backfill: `note` of `listing` is now found by search."]],
  [
    "another weight, and similar words",
    modelOf("searchable"),
    modelOf("searchable(A, fuzzy)"),
    [
      "backfill: `note` of `listing` now has the weight A in search, instead of D, and is now also found by similar words.",
    ],
  ],
  ["the weight that it has anyway", modelOf("searchable"), modelOf("searchable(D)"), []],
  [
    "no longer searchable",
    modelOf("searchable(A, fuzzy)"),
    modelOf(""),
    ["breaking: `note` of `listing` is no longer found by search."],
  ],
  [
    "another language of nothing",
    modelOf(""),
    modelOf("", "german"),
    ["safe: Search now finds german, instead of words exactly as they are written."],
  ],
  [
    "another language of what is searched",
    modelOf("searchable", "german"),
    modelOf("searchable", "french"),
    ["backfill: Search now finds french, instead of german."],
  ],
])("%s", (_, before, after, expected) => {
  expect(diffModels(before, after).map(({ classes, summary }) => `${classes.join("+")}: ${summary}`)).toEqual(expected);
});
