// Changes after which a delete destroys records that can't be restored.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(`project: sample\nmodules: [auth, users, roles]\nentities:\n${text}`);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const soft = "soft_delete: true, ";
const entity = (name: string, options: string, fields: string): string =>
  `  ${name}: { ${options}fields: { name: string?${fields} }, permissions: { admin: { all: true } } }\n`;
const pair = (parent: string, child: string, reference: string): Model =>
  modelOf(`${entity("shelf", parent, "")}${entity("book", child, reference)}`);

const cascade = ', shelf_id: "ref(shelf)? on_delete(cascade)"';
const restrict = ', shelf_id: "ref(shelf)? on_delete(restrict)"';
const standing = { table: "books", column: "shelf_id", target: "shelves" };

function told(before: Model, after: Model): unknown[] {
  return diffModels(before, after)
    .filter(({ kind }) => kind === "cascade_destroys")
    .map(({ path, referring }) => [path, referring ?? null]);
}

test.each<[string, Model, Model, unknown[]]>([
  [
    "soft_delete for the parent",
    pair("", "", cascade),
    pair(soft, "", cascade),
    [{ ...standing, keepsDeleted: false }],
  ],
  ["a cascade", pair(soft, "", restrict), pair(soft, "", cascade), [{ ...standing, keepsDeleted: true }]],
  [
    "no soft_delete for the child",
    pair(soft, soft, cascade),
    pair(soft, "", cascade),
    [{ ...standing, keepsDeleted: true }],
  ],
  ["a new reference", pair(soft, "", ""), pair(soft, "", cascade), [null]],
  ["a new child", modelOf(entity("shelf", soft, "")), pair(soft, "", cascade), [null]],
  ["what was so already", pair(soft, "", cascade), pair(soft, "", `${cascade}, note: text?`), []],
  ["a cascade between those that are marked", pair(soft, soft, restrict), pair(soft, soft, cascade), []],
  ["a cascade from a parent that is destroyed", pair("", "", restrict), pair("", "", cascade), []],
  [
    "a new parent with a new child",
    modelOf(entity("other", "", "")),
    modelOf(entity("other", "", "") + entity("shelf", soft, "") + entity("book", "", cascade)),
    [],
  ],
])("%s", (_, before, after, found) => {
  expect(told(before, after)).toEqual(found.map((referring) => ["book.shelf_id", referring]));
});

test("an existing cascade is not reported again under another name", () => {
  const before = pair(soft, "", cascade);
  const after = modelOf(
    `${entity("shelf", soft, "")}${entity("volume", "was: book, ", cascade.replace("cascade)", "cascade) was(shelf_id)").replace("shelf_id:", "rack_id:"))}`,
  );
  expect(told(before, after)).toEqual([]);
});
