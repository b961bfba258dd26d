// Lists the objects of a Postgres database other than tables. In: the catalogue. Out: items of the inventory with the reason why
// each is left out, and the enums, which are imported with their fields.
import type { ForeignEnum } from "../foreign-schema.ts";
import type { Inventory, ItemKind } from "../inventory.ts";
import type { Catalogue, TypeRow } from "./catalogue.ts";

/** The inventory's kind and reason for each. The key is the name in the catalogue's query. */
const reasons: Readonly<Record<string, readonly [ItemKind, string]>> = {
  view: ["views", "A view's query has no counterpart; write a view of an entity, or computed fields."],
  "materialized view": [
    "materialized views",
    "A view's query has no counterpart; write a view of an entity, or computed fields.",
  ],
  "foreign table": ["foreign tables", "Its rows are in another database."],
  "owned sequence": ["sequences", "It numbers the rows of a table. Plinth creates the ids."],
  sequence: ["sequences", "A separate sequence has no counterpart; `sequence(prefix)` numbers records."],
  function: ["functions", "Code isn't imported; write it as actions, workers or computed fields."],
  trigger: ["triggers", "Code isn't imported; write it as workers, checks or computed fields."],
  rule: ["rules", "Rules that rewrite queries have no counterpart."],
  comment: ["comments", "Its subject wasn't imported."],
  grant: ["grants", "The API doesn't use the roles of the database; write permissions."],
  extension: ["extensions", "Plinth decides which extensions its databases have."],
  statistics: ["other", "Plinth's tables have the usual statistics."],
  operator: ["other", "Custom operators have no counterpart."],
  collation: ["other", "Texts are compared by code point."],
  "text search configuration": ["other", "`search: { language }` sets how texts are searched."],
  "event trigger": ["triggers", "It runs on changes of the schema, which only Plinth makes."],
  publication: ["other", "`realtime` and webhooks publish changes."],
};

export function noteOthers({ others }: Catalogue, inventory: Inventory): void {
  for (const { what, path } of others) {
    const [kind, text] = reasons[what] ?? ["other", "It has no counterpart."];
    const isPlain = ["views", "functions", "sequences"].includes(kind);
    inventory.leftOut(inventory.found(kind, isPlain ? path : `${path}${kind === "other" ? ` (${what})` : ""}`), text);
  }
}

/** Out: the enums by their oid. */
export function noteTypes({ types }: Catalogue, inventory: Inventory): ReadonlyMap<number, ForeignEnum> {
  const enums = new Map<number, ForeignEnum>();
  for (const row of types) {
    const path = `${row.schema}.${row.name}`;
    if (row.kind === "e") enums.set(row.oid, enumOf(row, path, inventory));
    if (!row.own || row.kind === "e") continue;
    if (row.kind === "d")
      inventory.changed(inventory.found("domains", path), "Its fields have its base type and its checks.");
    else if (row.kind === "c")
      inventory.leftOut(
        inventory.found("composite types", path),
        "It has no counterpart; write its fields as object{...}.",
      );
    else inventory.leftOut(inventory.found("other", `${path} (type)`), "A custom type has no counterpart.");
    if (row.comment !== null) inventory.leftOut(inventory.found("comments", path), "A type has no help of its own.");
  }
  return enums;
}

/** An enum of another schema isn't imported, but if a column uses it, its values are in the inventory. */
function enumOf(row: TypeRow, path: string, inventory: Inventory): ForeignEnum {
  return {
    name: row.name,
    item: row.own ? inventory.found("enums", path) : { kind: "enums", path },
    comment: row.comment === null || !row.own ? null : { text: row.comment, item: inventory.found("comments", path) },
    values: row.labels.map((name) => ({
      name,
      item: row.own
        ? inventory.found("enum values", `${path}.${name}`)
        : { kind: "enum values", path: `${path}.${name}` },
    })),
  };
}
