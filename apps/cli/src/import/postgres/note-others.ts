// Tells what a Postgres database has beside its tables. In: the catalogue. Out: items of the inventory with the reason why each
// stays behind, and the enums, which come along with the fields that use them.
import type { ForeignEnum } from "../foreign-schema.ts";
import type { Inventory, ItemKind } from "../inventory.ts";
import type { Catalogue, TypeRow } from "./catalogue.ts";

/** What becomes of each; the key is what the catalogue's query calls it. */
const reasons: Readonly<Record<string, readonly [ItemKind, string]>> = {
  view: ["views", "A view's query has no counterpart; write a view of an entity, or computed fields."],
  "materialized view": [
    "materialized views",
    "A view's query has no counterpart; write a view of an entity, or computed fields.",
  ],
  "foreign table": ["foreign tables", "Its rows are in another database."],
  "owned sequence": ["sequences", "It numbers the rows of a table, which have ids of the service."],
  sequence: ["sequences", "A sequence of one's own has no counterpart; `sequence(prefix)` numbers records."],
  function: ["functions", "No code comes along; write it as actions, workers or computed fields."],
  trigger: ["triggers", "No code comes along; write it as workers, checks or computed fields."],
  rule: ["rules", "Rules that rewrite queries have no counterpart."],
  comment: ["comments", "What it is about did not come along."],
  grant: ["grants", "Roles of the database are not those of the API: write permissions."],
  extension: ["extensions", "The service decides what its databases have installed."],
  statistics: ["other", "The service's tables have the usual statistics."],
  operator: ["other", "Operators of one's own have no counterpart."],
  collation: ["other", "Texts are compared by code point."],
  "text search configuration": ["other", "`search: { language }` says how texts are searched."],
  "event trigger": ["triggers", "It is about changes of the schema, which the service makes."],
  publication: ["other", "Changes are followed by `realtime` and webhooks."],
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
      inventory.changed(inventory.found("domains", path), "Its fields have the type that it is over, and its checks.");
    else if (row.kind === "c")
      inventory.leftOut(
        inventory.found("composite types", path),
        "It has no counterpart; write fields of it as object{...}.",
      );
    else inventory.leftOut(inventory.found("other", `${path} (type)`), "A type of one's own has no counterpart.");
    if (row.comment !== null) inventory.leftOut(inventory.found("comments", path), "A type has no help of its own.");
  }
  return enums;
}

/** An enum of another schema is none of this import, but where a column uses it, its values count. */
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
