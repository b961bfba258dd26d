// Writes the table of the app's users. In: the table and the plan. Out: profile fields of the built-in `user`, and a separate
// entity for fields that a profile can't have: unique, required, a reference, or one field too many. Credentials are not
// imported, because the module auth has its own.
import type { ForeignColumn, ForeignPolicy, ForeignTable } from "../foreign-schema.ts";
import { createInventory } from "../inventory.ts";
import type { EntityDraft, LongField } from "./draft.ts";
import { draftEntity } from "./draft-entity.ts";
import { draftField, leaveColumn } from "./draft-field.ts";
import { createNames, fieldName, type Names, snakeCase } from "./names.ts";
import type { Plan } from "./plan-entities.ts";
import { ruleOf } from "./rule-text.ts";
import { powerName, secretName } from "./sensitive-names.ts";
import { fieldProblem } from "./try-declaration.ts";

export interface UsersDraft {
  readonly profile: ReadonlyMap<string, LongField>;
  /** Column > field of the built-in `user`. */
  readonly profileOf: ReadonlyMap<string, string>;
  readonly details: EntityDraft | null;
}

/** The fields of every user, and names that are reserved. */
const builtin = ["id", "email", "name", "created_at", "updated_at"];
const reserved = [
  ...builtin,
  ..."roles version password password_hash created_by deleted_at organizations memberships sessions is".split(" "),
];
const PROFILE_FIELDS_MAX = 50;

export function draftUsers(table: ForeignTable, plan: Plan): UsersDraft {
  const { inventory } = plan;
  inventory.changed(table.item, "It becomes the built-in `user`; its columns are profile fields.");
  inventory.leftOut(table.comment?.item, "The built-in `user` has no help of its own.");
  const profile = new Map<string, LongField>();
  const profileOf = new Map<string, string>();
  const names = createNames(reserved);
  const apart = columnsApart(table);
  const isOwn = ownPolicies(table).length > 0;
  const detailed: ForeignColumn[] = [];
  for (const column of table.columns) {
    if (takeBuiltin(column, table, { profile, profileOf, names }, plan)) continue;
    if (secretName.test(snakeCase(column.name, "")))
      leaveColumn(column, "Credentials aren't imported: users sign in with the module auth.", inventory);
    else if (
      apart.has(column.name) ||
      profile.size >= PROFILE_FIELDS_MAX ||
      !draftProfile(column, { profile, profileOf, names }, isOwn, plan)
    )
      detailed.push(column);
  }
  const details = detailed.length === 0 ? null : draftDetails(table, detailed, plan);
  settleLists(table, details, plan);
  return { profile, profileOf, details };
}

/** Columns with properties that profiles don't have. */
function columnsApart(table: ForeignTable): ReadonlySet<string> {
  const key = table.key?.columns.length === 1 ? [] : (table.key?.columns ?? []);
  const uniques = table.uniques.flatMap((list) => list.columns);
  const checked = table.checks.length > 0 ? table.columns.map((column) => column.name) : [];
  return new Set([...key, ...uniques, ...checked, ...table.references.flatMap((reference) => reference.columns)]);
}

/** The policies that let users change their own row. None if a restrictive one limits them. */
function ownPolicies({ security, key }: ForeignTable): readonly ForeignPolicy[] {
  const [id, second] = key?.columns ?? [];
  if (security === null || id === undefined || second !== undefined) return [];
  const own = "id == current_user.id";
  if (!security.policies.every((policy) => policy.permissive)) return [];
  return security.policies.filter(({ operation, roles, using, check }) => {
    const isForUsers = roles.every((role) => role === "authenticated" || role === "public");
    const parts = [using, check].filter((part) => part !== null);
    const rules = parts.map(({ tree }) =>
      tree === null ? null : ruleOf(tree, (name) => (name === id ? { field: "id", kind: "user" } : null)),
    );
    return ["update", "all"].includes(operation) && isForUsers && rules.length > 0 && rules.every((one) => one === own);
  });
}

interface Profile {
  readonly profile: Map<string, LongField>;
  readonly profileOf: Map<string, string>;
  readonly names: Names;
}

function takeBuiltin(
  column: ForeignColumn,
  table: ForeignTable,
  { profile, profileOf, names }: Profile,
  plan: Plan,
): boolean {
  const { inventory } = plan;
  const name = snakeCase(column.name, "field");
  const isKey = table.key?.columns.length === 1 && table.key.columns[0] === column.name;
  const isText = column.type.kind === "text" || column.type.kind === "as_text";
  const isTime = column.type.kind === "datetime" && (name === "created_at" || name === "updated_at");
  if (!isKey && !isTime && !(isText && !column.list && (name === "email" || name === "name"))) return false;
  if (!isKey) profileOf.set(column.name, name);
  inventory.expressed(column.item);
  inventory.leftOut(column.comment?.item, "A built-in field has no help of its own.");
  const kind = column.default?.value.kind;
  const isMade = isTime ? kind === "now" || kind === "updated_at" : isKey && kind === "uuid";
  if (isMade) inventory.expressed(column.default?.item);
  else inventory.changed(column.default?.item, "Plinth creates it, or it is empty.");
  if (name === "name")
    inventory.changed(column.required, "The name of a user can be empty, because sign-up doesn't require it.");
  else inventory.expressed(column.required);
  if (name === "email" && column.optional) inventory.changed(column.item, "Every user has an email address.");
  if (!isKey) return true;
  inventory.expressed(table.key?.item);
  if (column.type.kind === "uuid" || table.references.some((one) => one.columns[0] === column.name)) return true;
  const legacy: LongField = {
    type: column.type.kind === "text" ? "text" : "bigint",
    optional: true,
    writable: "admin",
  };
  const kept = names.give("legacy_id");
  profile.set(kept, legacy);
  profileOf.set(column.name, kept);
  inventory.changed(
    column.item,
    "Users get ids from Plinth (UUIDs); the old one is kept as `legacy_id`, to import data and references.",
  );
  return true;
}

/** False if a profile can't have it unchanged. */
function draftProfile(
  column: ForeignColumn,
  { profile, profileOf, names }: Profile,
  isOwn: boolean,
  plan: Plan,
): boolean {
  const plain = fieldName(column.name);
  if (!column.optional && column.default === null) return false;
  const name = names.has(plain) ? `${plain}_value` : plain;
  const place = { entity: "user", field: name, at: "profile" } as const;
  // Tried without the inventory: columns that don't fit in a profile are listed where they end up.
  const trial = draftField(column, place, createInventory());
  if (trial !== null && fieldProblem(name, trial, "profile") !== null) return false;
  const long = draftField(column, place, plan.inventory);
  // A field that is left out is already in the inventory.
  if (long === null) return true;
  // No list of names is complete, so users write a field only if the source lets them.
  const isOpen = isOwn && !powerName.test(name);
  const field: LongField = isOpen ? long : { ...long, writable: "admin" };
  if (!isOpen)
    plan.inventory.changed(column.item, "Only admins can write it. Remove `writable(admin)` if users may change it.");
  names.take(name);
  profile.set(name, field);
  profileOf.set(column.name, name);
  if (name !== snakeCase(column.name, "")) plan.inventory.changed(column.item, `The field is called \`${name}\`.`);
  return true;
}

function draftDetails(table: ForeignTable, columns: readonly ForeignColumn[], plan: Plan): EntityDraft {
  const kept = new Set(columns.map((column) => column.name));
  const whole = (list: { readonly columns: readonly string[] }): boolean => list.columns.every((one) => kept.has(one));
  const name = plan.nameEntity("user_detail");
  const own: ForeignTable = {
    ...table,
    columns,
    comment: null,
    key: table.key !== null && whole(table.key) ? table.key : null,
    uniques: table.uniques.filter(whole),
    indexes: table.indexes.filter(whole),
    references: table.references.filter(whole),
    links: [],
    security: null,
  };
  const draft = draftEntity(own, name, plan);
  const user = { type: "user_ref", unique: true, on_delete: "cascade" } as const;
  const fields = [...draft.fields];
  draft.fields.clear();
  draft.fields.set(createNames(draft.fieldOf.values()).give("user_id"), user);
  for (const [key, field] of fields) draft.fields.set(key, field);
  for (const column of columns)
    plan.inventory.changed(
      column.item,
      `It is in \`${name}\`, one for each user, because a profile can't have unique, required or reference fields.`,
    );
  return draft;
}

function settleLists(table: ForeignTable, details: EntityDraft | null, { inventory }: Plan): void {
  const isBuiltin = (columns: readonly string[], names: readonly string[]): boolean =>
    columns.length === 1 && names.includes(snakeCase(columns[0] ?? "", ""));
  for (const list of [...table.uniques, ...table.indexes, ...(table.key === null ? [] : [table.key])]) {
    if (inventory.isSettled(list.item)) continue;
    if (isBuiltin(list.columns, ["email", "id"])) inventory.expressed(list.item);
    else inventory.leftOut(list.item, "Profile fields have no unique and no index of their own.");
  }
  const behind = "It belongs to the table of users, which Plinth manages.";
  for (const check of table.checks) if (details === null) inventory.leftOut(check.item, behind);
  for (const reference of table.references) {
    if (inventory.isSettled(reference.item)) continue;
    const isId = isBuiltin(reference.columns, ["id"]);
    for (const item of [reference.item, reference.onDeleteItem, reference.onUpdateItem, reference.back?.item])
      if (isId) inventory.changed(item, "A user is one record here, not two.");
      else inventory.leftOut(item, "Its column wasn't imported.");
  }
  if (table.security === null) return;
  inventory.leftOut(
    table.security.item,
    "Users can see and change themselves; the section `users:` sets what others can read.",
  );
  const own = ownPolicies(table);
  for (const policy of table.security.policies)
    if (own.includes(policy))
      inventory.changed(policy.item, "Users can write their own profile fields, except those for admins.");
    else inventory.leftOut(policy.item, behind);
}
