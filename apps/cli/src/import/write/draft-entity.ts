// Writes one table as an entity. In: the table and the plan. Out: its fields, uniques, indexes and checks. The other sides of its
// relations are named later, when all entities are known.
import type { ForeignColumn, ForeignList, ForeignReference, ForeignTable } from "../foreign-schema.ts";
import { type EntityDraft, entityIn, hasField, hasUnique, isKeyed, type LongField } from "./draft.ts";
import { draftField, helpText } from "./draft-field.ts";
import { createNames, fieldName, type Names, relationName, singular, snakeCase } from "./names.ts";
import { isIdOf, type Plan } from "./plan-entities.ts";

/** The fields that every record has implicitly. */
const ownNames = ["id", "version", "created_at", "updated_at"];
const timesOfRecord: readonly string[] = ["created_at", "updated_at"];

export function draftEntity(table: ForeignTable, name: string, plan: Plan): EntityDraft {
  const { inventory } = plan;
  const draft: EntityDraft = {
    name,
    table,
    plural: plan.plurals.get(name) ?? null,
    help: helpText(table.comment),
    fields: new Map(),
    fieldOf: new Map(),
    referenceOf: new Map(),
    uniques: [],
    indexes: [],
    checks: new Map(),
    proposals: [],
  };
  inventory.expressed(table.item, (model) => entityIn(model, name) !== undefined);
  inventory.expressed(table.comment?.item, (model) => entityIn(model, name)?.help !== null);
  if (draft.help === null) inventory.leftOut(table.comment?.item, "It is empty.");
  const names = createNames(ownNames);
  const references = referencesOf(table, plan);
  const named = new Map<string, string>();
  for (const column of table.columns) {
    const reference = references.get(column.name);
    if (reference !== undefined) named.set(column.name, giveName(referenceName(column, reference), names));
  }
  for (const column of table.columns) {
    const reference = references.get(column.name);
    const field = named.get(column.name);
    if (reference !== undefined && field !== undefined) draftReference(draft, column, reference, field, plan);
    else draftColumn(draft, column, names, plan);
  }
  leaveOtherReferences(table, references, plan);
  draftKey(draft, plan);
  for (const list of table.uniques) draftUnique(draft, list, plan);
  for (const list of table.indexes) draftIndex(draft, list, plan);
  return draft;
}

/** A name for a field that is also free for its relation: `author_id` is called `author` in rules. */
function giveName(wanted: string, names: Names): string {
  const isFree = (one: string): boolean => !names.has(one) && !names.has(relationName(one));
  let name = wanted;
  for (let n = 2; !isFree(name); n++) name = `${wanted.replace(/_id$/, "")}_${n}${wanted.endsWith("_id") ? "_id" : ""}`;
  names.take(name);
  names.take(relationName(name));
  return name;
}

/** A key that is itself a reference can't be called `id`. */
function referenceName(column: ForeignColumn, reference: ForeignReference): string {
  if (snakeCase(column.name, "field") !== "id") return fieldName(column.name);
  return `${singular(snakeCase(reference.table.split(".").at(-1) ?? "", "record"))}_id`;
}

/** Column > its reference. If a column has several, the first. References with one column come before the others. */
function referencesOf(table: ForeignTable, plan: Plan): ReadonlyMap<string, ForeignReference> {
  const found = new Map<string, ForeignReference>();
  const byLength = [...table.references].sort((one, other) => one.columns.length - other.columns.length);
  for (const reference of byLength) {
    const column = keyColumn(table, reference, plan);
    if (column !== null && !found.has(column)) found.set(column, reference);
  }
  return found;
}

/**
 * The single column that identifies the record, or null. It can be part of a key of several columns, such as `(survey_id,
 * workspace_id)`. Then the others must be required, because a key with an empty column refers to nothing.
 */
function keyColumn(table: ForeignTable, reference: ForeignReference, plan: Plan): string | null {
  const { columns, targetColumns } = reference;
  const target = plan.schema.tables.find((one) => one.id === reference.table);
  const isUser = plan.schema.usersElsewhere.includes(reference.table);
  if (!isUser && (target === undefined || !plan.entities.has(reference.table))) return null;
  const named = (name: string): ForeignColumn | undefined => table.columns.find((one) => one.name === name);
  const found = columns.find((name, at) => {
    const others = columns.filter((one) => one !== name);
    const isId = isUser ? columns.length === 1 : isIdOf(target as ForeignTable, [targetColumns[at] ?? ""]);
    return isId && named(name)?.list === false && others.every((one) => named(one)?.optional === false);
  });
  return found ?? null;
}

function problemOf({ table: id, targetColumns, columns }: ForeignReference, { schema, entities }: Plan): string {
  const isThere = schema.tables.some((one) => one.id === id) && entities.has(id);
  if (!isThere) return `It refers to ${id}, which wasn't imported. The value is kept.`;
  return columns.length > 1
    ? `Its key has several columns (${columns.join(", ")}), and a reference is one record's id. Their values are kept, but Plinth doesn't check that they belong together.`
    : `It refers to ${id}(${targetColumns.join(", ")}), which doesn't identify one record. The value is kept.`;
}

function leaveOtherReferences(table: ForeignTable, taken: ReadonlyMap<string, ForeignReference>, plan: Plan): void {
  const { inventory } = plan;
  for (const reference of table.references) {
    if ([...taken.values()].includes(reference)) continue;
    const column = keyColumn(table, reference, plan);
    const other = column === null ? undefined : taken.get(column);
    const behind = "Its relation wasn't imported.";
    for (const item of [reference.onDeleteItem, reference.onUpdateItem, reference.back?.item])
      inventory.leftOut(item, behind);
    if (other === undefined) inventory.leftOut(reference.item, problemOf(reference, plan));
    else if (other.table !== reference.table)
      inventory.leftOut(reference.item, "Its column is already another reference.");
    else
      inventory.changed(
        reference.item,
        `The field of ${column} already refers to that record; ${unchecked(reference)}`,
      );
  }
}

const unchecked = ({ columns }: ForeignReference): string =>
  `Plinth doesn't check that the values of ${columns.join(" and ")} belong together.`;

function draftReference(
  draft: EntityDraft,
  column: ForeignColumn,
  reference: ForeignReference,
  name: string,
  plan: Plan,
): void {
  const { inventory } = plan;
  const entity = plan.entities.get(reference.table) ?? "";
  const onDelete = deleteRule(column, reference, plan);
  const help = helpText(column.comment);
  draft.fields.set(name, {
    type: entity === "user" ? "user_ref" : `ref(${entity})`,
    ...(column.optional && { optional: true }),
    ...(onDelete !== "restrict" && { on_delete: onDelete }),
    ...(help !== null && { help }),
  });
  draft.fieldOf.set(column.name, name);
  draft.referenceOf.set(name, reference);
  const holds = hasField(draft.name, name, ({ type }) =>
    entity === "user" ? type.kind === "user_ref" : type.kind === "ref" && type.entity === entity,
  );
  inventory.expressed(column.item, holds);
  if (reference.columns.length === 1) inventory.expressed(reference.item, holds);
  else inventory.changed(reference.item, `The reference uses only ${column.name}; ${unchecked(reference)}`);
  inventory.expressed(
    column.required,
    hasField(draft.name, name, (field) => !field.optional),
  );
  inventory.expressed(
    column.comment?.item,
    hasField(draft.name, name, (field) => field.help !== null),
  );
  inventory.expressed(
    reference.onDeleteItem,
    hasField(draft.name, name, ({ type }) => "onDelete" in type && type.onDelete === onDelete),
  );
  // A record's id never changes, so there is nothing to do on update.
  inventory.expressed(reference.onUpdateItem, holds);
  if (column.default !== null && column.default.item !== column.item)
    inventory.leftOut(column.default.item, "A reference has no default.");
}

function deleteRule(
  column: ForeignColumn,
  { onDelete, onDeleteItem, item }: ForeignReference,
  { inventory }: Plan,
): string {
  if (onDelete === "set_default") {
    inventory.changed(onDeleteItem ?? item, "A reference has no default value, so a delete is refused instead.");
    return "restrict";
  }
  if (onDelete !== "set_null" || column.optional) return onDelete;
  // The source also refuses such a delete, because the column must have a value.
  inventory.changed(
    onDeleteItem ?? item,
    "The reference is required, so it can't be set to null: the delete is refused, like in the source.",
  );
  return "restrict";
}

function draftColumn(draft: EntityDraft, column: ForeignColumn, names: Names, plan: Plan): void {
  const { inventory } = plan;
  const { table } = draft;
  const isKey = table.key?.columns.length === 1 && table.key.columns[0] === column.name;
  if (isKey && draftOwnKey(draft, column, names, plan)) return;
  const plain = snakeCase(column.name, "field");
  const isTaken = [...draft.fieldOf.values()].includes(plain);
  if (timesOfRecord.includes(plain) && column.type.kind === "datetime" && !column.list && !isTaken) {
    draftTime(draft, column, plain, plan);
    return;
  }
  if (plain === "id" && table.key?.columns.includes(column.name) && isMade(column)) {
    draftPartOfKey(draft, column, names, plan);
    return;
  }
  const wanted = ownNames.includes(plain) ? `${plain}_value` : fieldName(column.name);
  const field = names.has(wanted) && !names.has(`${wanted}_value`) ? `${wanted}_value` : wanted;
  const name = names.give(field);
  const long =
    column.generated === null ? draftField(column, { entity: draft.name, field: name, at: "entity" }, inventory) : null;
  if (long === null) return;
  draft.fields.set(name, long);
  draft.fieldOf.set(column.name, name);
  if (name !== snakeCase(column.name, "")) inventory.changed(column.item, `The field is called \`${name}\`.`);
}

/** The times at which a record was created and last changed, which Plinth maintains. */
function draftTime(draft: EntityDraft, column: ForeignColumn, name: string, { inventory }: Plan): void {
  draft.fieldOf.set(column.name, name);
  const holds = hasField(draft.name, name);
  inventory.expressed(column.required, holds);
  const fallback = column.default?.value.kind;
  if (fallback === "now" || fallback === "updated_at") inventory.expressed(column.item, holds);
  else
    inventory.changed(
      column.item,
      `Only Plinth writes \`${name}\`, at each ${name === "created_at" ? "create" : "change"}.`,
    );
  if (column.optional)
    inventory.changed(
      column.item,
      "Every record has this time. If it is empty in a row, `import data` writes the row's other time, or 1970-01-01.",
    );
  if (fallback === "now" || fallback === "updated_at") inventory.expressed(column.default?.item, holds);
  else inventory.changed(column.default?.item, "It has the current time.");
  inventory.leftOut(column.comment?.item, `\`${name}\` explains itself.`);
}

/** Records get new UUIDs. An old key of another type is kept in a separate field, so that data and references can be imported. */
function draftOwnKey(draft: EntityDraft, column: ForeignColumn, names: Names, plan: Plan): boolean {
  const { inventory } = plan;
  const made = isMade(column);
  if (column.type.kind === "uuid" && !column.list) {
    for (const item of [column.item, column.required, draft.table.key?.item])
      inventory.expressed(item, hasField(draft.name, "id"));
    if (made) inventory.expressed(column.default?.item, hasField(draft.name, "id"));
    else inventory.changed(column.default?.item, "Plinth creates the ids.");
    if (!made && column.default === null) inventory.changed(column.item, "Plinth creates the ids, not the caller.");
    inventory.leftOut(column.comment?.item, "`id` explains itself.");
    draft.fieldOf.set(column.name, "id");
    return true;
  }
  const plain = snakeCase(column.name, "field");
  const name = names.give(plain === "id" ? "legacy_id" : fieldName(column.name));
  const place = { entity: draft.name, field: name, at: "entity" } as const;
  const long = draftField({ ...column, default: null, optional: column.optional || made }, place, inventory);
  if (made) inventory.changed(column.default?.item, "Plinth creates the ids.");
  else inventory.leftOut(column.default?.item, "The caller gives the key.");
  if (long === null) {
    inventory.changed(draft.table.key?.item, "Plinth's id is the key.");
    return true;
  }
  draft.fields.set(name, isKeyed(long) ? { ...long, unique: true } : long);
  draft.fieldOf.set(column.name, name);
  const kept = name === plain ? "under its name" : `as \`${name}\``;
  if (made || name !== plain)
    inventory.changed(
      column.item,
      `Records get ids from Plinth (UUIDs); the key of the source is kept ${kept}, to import data and references.`,
    );
  // Plinth's id is required. The old key of new records stays empty unless somebody sets it.
  if (made)
    inventory.changed(column.required, "New records have an id; the key of the source is for imported records.");
  return true;
}

/** Whether the source creates the values, so that no caller knows one. */
function isMade(column: ForeignColumn): boolean {
  return column.default?.value.kind === "uuid" || column.default?.value.kind === "autoincrement";
}

/** An `id` in a key of several columns: new records have Plinth's id, and the old one stays unique with the others. */
function draftPartOfKey(draft: EntityDraft, column: ForeignColumn, names: Names, { inventory }: Plan): void {
  const name = names.give("legacy_id");
  const place = { entity: draft.name, field: name, at: "entity" } as const;
  const long = draftField({ ...column, default: null, optional: true }, place, inventory);
  inventory.changed(column.default?.item, "Plinth creates the ids.");
  if (long === null) return;
  draft.fields.set(name, long);
  draft.fieldOf.set(column.name, name);
  inventory.changed(column.item, `Records get ids from Plinth (UUIDs); the one of the source is kept as \`${name}\`.`);
  inventory.changed(column.required, "New records have an id; the key of the source is for imported records.");
}

function draftKey(draft: EntityDraft, plan: Plan): void {
  const { key } = draft.table;
  if (key === null || plan.inventory.isSettled(key.item)) return;
  draftUnique(draft, key, plan);
}

function draftUnique(draft: EntityDraft, list: ForeignList, { inventory }: Plan): void {
  const fields = fieldsOf(draft, list);
  if (typeof fields === "string") {
    inventory.leftOut(list.item, fields);
    return;
  }
  // Ids are always unique.
  if (fields.includes("id")) inventory.expressed(list.item, hasField(draft.name, "id"));
  else {
    inventory.expressed(list.item, hasUnique(draft.name, fields));
    const [first = "", ...more] = fields;
    const field = draft.fields.get(first);
    const key = [...fields].sort().join(" ");
    if (more.length === 0 && field !== undefined) draft.fields.set(first, unique(field));
    else if (!draft.uniques.some((one) => [...one].sort().join(" ") === key)) draft.uniques.push(fields);
  }
}

function unique({ index: _, ...field }: LongField): LongField {
  return { ...field, unique: true };
}

function draftIndex(draft: EntityDraft, list: ForeignList, { inventory }: Plan): void {
  const fields = fieldsOf(draft, list);
  if (typeof fields === "string") {
    inventory.leftOut(list.item, fields);
    return;
  }
  const key = fields.join(" ");
  const [first = "", ...more] = fields;
  const field = draft.fields.get(first);
  const isReference = more.length === 0 && field !== undefined && /^(?:ref\(|user_ref)/.test(field.type);
  const isUnique = draft.uniques.some((one) => one.join(" ") === key) || (more.length === 0 && field?.unique === true);
  // References, unique fields and ids already have an index.
  if (first === "id" || isReference || isUnique) inventory.expressed(list.item, hasField(draft.name, first));
  else {
    inventory.expressed(
      list.item,
      (model) => entityIn(model, draft.name)?.indexes.some((one) => one.join(" ") === key) === true,
    );
    if (more.length === 0 && field !== undefined) draft.fields.set(first, { ...field, index: true });
    else if (!draft.indexes.some((one) => one.join(" ") === key)) draft.indexes.push(fields);
  }
}

/** The fields of a list of columns, or the reason why there are none. */
function fieldsOf(draft: EntityDraft, { columns }: ForeignList): string[] | string {
  const fields: string[] = [];
  for (const column of columns) {
    const name = draft.fieldOf.get(column);
    if (name === undefined) return `Its field ${column} wasn't imported.`;
    const field = draft.fields.get(name);
    if (field !== undefined && !isKeyed(field))
      return `\`${name}\` has the type \`${field.type}\`, which a unique or an index can't contain.`;
    fields.push(name);
  }
  return fields.length === new Set(fields).size ? fields : "It contains one field twice.";
}
