// Resolves names. In: a name or a path of an expression. Out: the typed value or to-many relation. It never decides
// whether a bare word is an enum value; the checker calls it only if it is not.
import type { Checking } from "./checking.ts";
import type { Problem } from "./problem.ts";
import { resolveInWork } from "./resolve-value.ts";
import { type FieldSchema, type RecordSchema, relationName } from "./schema.ts";
import { type Reach, rowsOf, type Scope, specialNames } from "./scope.ts";
import { type Anchor, substitute } from "./substitute.ts";
import { didYouMean } from "./suggest.ts";
import type { Located, Syntax } from "./syntax.ts";
import type { Expression, RowName, Type } from "./tree.ts";
import { someNode } from "./walk.ts";

/** The maximum number of to-one steps in a path. Each is a look-up in the statement. */
export const PATH_STEPS_MAX = 4;

const userTypes: Readonly<Record<string, Type>> = {
  id: { kind: "uuid" },
  email: { kind: "text" },
  roles: { kind: "list", of: { kind: "text" } },
};

const requestTypes: Readonly<Record<"ip" | "key_kind", Type>> = {
  ip: { kind: "text" },
  key_kind: { kind: "enum", values: ["publishable", "secret"] },
};

export type Resolved =
  /** `computed` if the name is a computed field, which is replaced by its expression. */
  | { readonly expression: Expression; readonly computed?: true }
  | { readonly relation: ToMany }
  /** The bare name of a rule, which is checked in its place. */
  | { readonly rule: string }
  | { readonly problem: Problem };

/** A to-many relation of the record at the end of a path. */
export interface ToMany {
  readonly row: string;
  readonly path: readonly string[];
  readonly name: string;
  /** The record on the other side. */
  readonly record: string;
}

interface Step extends Located {
  readonly name: string;
}

/** Resolves `name` or `a.b.c`. */
export function resolvePath(syntax: Syntax, checking: Checking): Resolved {
  const path = pathOf(syntax);
  if (path === null) return wrong(syntax, "expression_not_supported", "There must be a name before a dot.", null);
  const [head, ...rest] = path;
  if (head === undefined) return wrong(syntax, "expression_syntax", "A name is missing.", null);
  const { scope } = checking;
  if (scope.work !== undefined) {
    if (head.name === "current_user" && scope.work.user) return resolveUser(syntax, rest, scope);
    if (head.name === "record" || head.name === "old") return resolveWorkRow(syntax, head.name, path, scope);
    const record = scope.work.rows.includes("record") ? scope.schema.records.get(scope.record) : undefined;
    if (!scope.work.values.has(head.name) && record !== undefined && findField(record, head.name) !== null) {
      const hint = `To use the field of the record, write \`record.${head.name}\`.`;
      return wrong(head, "unknown_name", `There is no \`${head.name}\` here.`, hint);
    }
    return resolveInWork(path, scope.work);
  }
  const variable = checking.variables.get(head.name);
  if (variable !== undefined)
    return resolveOnRow(syntax, { row: head.name, record: variable, word: head, steps: rest }, scope);
  if (head.name === "current_user" && scope.reach === undefined) return resolveUser(syntax, rest, scope);
  if (head.name === "record" || head.name === "old" || head.name === "new") {
    const row = rowCalled(head.name, scope);
    if (row === null) return noRow(head, scope);
    return resolveOnRow(syntax, { row, record: scope.record, word: head, steps: rest }, scope);
  }
  // A field with the name `now` hides the time. In contrast, `input.` and `request.` with a name after the dot are
  // never a field.
  const isRow = (head.name === "input" || head.name === "request") && rest.length > 0;
  if (isMember(head.name, scope) && !isRow) {
    return resolveOnRow(syntax, { row: bareRow(scope), record: scope.record, word: null, steps: path }, scope);
  }
  if (specialNames.includes(head.name)) return resolveSpecial(syntax, head, rest, scope);
  if (scope.schema.rules.has(head.name) && rest.length === 0) return { rule: head.name };
  const record = scope.schema.records.get(scope.record);
  if (record === undefined) return wrong(head, "unknown_name", `There is no record \`${scope.record}\`.`, null);
  return unknownMember(head, record, true, checking);
}

/** Whether a bare word is a field of the record, or the reference or relation of one. */
export function isMember(name: string, scope: Scope): boolean {
  if (scope.work !== undefined) return scope.work.values.has(name);
  const record = scope.schema.records.get(scope.record);
  return record !== undefined && (findField(record, name) !== null || record.relations.has(name));
}

/**
 * The record of an event, or the record before the change: only its own fields, because the event carries no other
 * record.
 */
function resolveWorkRow(syntax: Syntax, row: "record" | "old", path: readonly Step[], scope: Scope): Resolved {
  const [word, field, further] = path;
  if (word === undefined || scope.work?.rows.includes(row) !== true) {
    const hint =
      row === "record"
        ? "A record exists if an event of an entity starts the work, or if `record` looks one up."
        : "A record exists if an event of an entity starts the work.";
    return wrong(path[0] ?? syntax, "row_not_available", `There is no \`${row}\` here.`, hint);
  }
  const isObject = scope.schema.records.get(scope.record)?.fields.get(field?.name ?? "")?.members !== undefined;
  if (field !== undefined && further !== undefined && further.name !== "id" && !isObject) {
    const hint = "Look up the other record in an earlier step: `record.find`, then use `steps.find`.";
    return wrong(further, "expression_not_supported", `Only the fields of \`${row}\` itself can be used here.`, hint);
  }
  const resolved = resolveOnRow(syntax, { row, record: scope.record, word, steps: path.slice(1) }, scope);
  if (!("relation" in resolved)) return resolved;
  const hint = "Look up the others in an earlier step: `record.find` with a `limit`.";
  const message = `\`${resolved.relation.name}\` is a list of other records.`;
  return wrong(field ?? syntax, "expression_not_supported", message, hint);
}

function pathOf(syntax: Syntax): Step[] | null {
  const steps: Step[] = [];
  let rest = syntax;
  while (rest.kind === "member") {
    steps.unshift({ name: rest.name, start: rest.end - rest.name.length, end: rest.end });
    rest = rest.object;
  }
  return rest.kind === "name" ? [rest, ...steps] : null;
}

/** A bare name of an update rule is `record` until the rule is split into both rows. */
function bareRow(scope: Scope): RowName {
  return scope.bare ?? (scope.operation === "create" ? "new" : "record");
}

/** The row for a word; null if the operation has no such row. */
function rowCalled(name: "record" | "old" | "new", scope: Scope): RowName | null {
  if (name === "record") return bareRow(scope);
  return rowsOf(scope).includes(name) && scope.reach === undefined ? name : null;
}

function noRow(head: Step, { operation, reach }: Scope): Resolved {
  const message =
    reach !== undefined
      ? `\`${head.name}\` does not exist here.`
      : `\`${head.name}\` does not exist in a ${operation} rule.`;
  const hint = operation === "create" ? "A create rule only has `new`." : "Write only the name of the field.";
  return wrong(head, "row_not_available", message, hint);
}

/** `input`, `current_org`, `request`, `now`, `today`: names that are not fields of the row. */
function resolveSpecial(syntax: Syntax, head: Step, rest: readonly Step[], scope: Scope): Resolved {
  if (scope.reach !== undefined) {
    return wrong(head, "name_not_available", `\`${head.name}\` can't be used here.`, hintOfReach(scope.reach));
  }
  if (head.name === "input") return resolveInput(syntax, head, rest, scope);
  const [property, further] = rest;
  if (head.name === "request") {
    const name = property?.name;
    if ((name === "ip" || name === "key_kind") && further === undefined) {
      return { expression: { kind: "context", type: requestTypes[name], name: `request.${name}` } };
    }
    const hint = didYouMean(name ?? "", Object.keys(requestTypes)) ?? "Known members: `ip` and `key_kind`.";
    if (property === undefined) return wrong(head, "type_mismatch", "`request` is not a value.", hint);
    const message = `\`request\` has no \`${rest.map((step) => step.name).join(".")}\`.`;
    return wrong(further ?? property, "unknown_name", message, hint);
  }
  if (property !== undefined) {
    return wrong(property, "unknown_name", `\`${head.name}\` has no \`${property.name}\`.`, null);
  }
  if (head.name === "now") return { expression: { kind: "context", type: { kind: "datetime" }, name: "now" } };
  if (head.name === "today") return { expression: { kind: "context", type: { kind: "date" }, name: "today" } };
  return { expression: { kind: "context", type: { kind: "uuid" }, name: "current_org" } };
}

function resolveInput(syntax: Syntax, head: Step, rest: readonly Step[], scope: Scope): Resolved {
  if (!rowsOf(scope).includes("input")) {
    const hint = "`input` only exists in create and update rules.";
    return wrong(head, "row_not_available", `\`input\` does not exist in a ${scope.operation} rule.`, hint);
  }
  const [field] = rest;
  const record = scope.schema.records.get(scope.record);
  if (rest.length > 1 && record?.fields.get(field?.name ?? "")?.members === undefined) {
    const hint = "`input` has no related records. Use `new` instead.";
    return wrong(syntax, "expression_not_supported", "A path from `input` is not supported.", hint);
  }
  return resolveOnRow(syntax, { row: "input", record: scope.record, word: head, steps: rest }, scope);
}

function resolveUser(syntax: Syntax, rest: readonly Step[], scope: Scope): Resolved {
  const [property, further] = rest;
  if (property === undefined) {
    return wrong(syntax, "type_mismatch", "`current_user` is not a value.", "Compare with `current_user.id`.");
  }
  const record = scope.schema.records.get("user");
  const fixed = Object.hasOwn(userTypes, property.name) ? userTypes[property.name] : undefined;
  const found = record === undefined ? null : findField(record, property.name);
  if (fixed === undefined && found === null) {
    const known = [...Object.keys(userTypes), ...(record?.fields.keys() ?? [])];
    const hint =
      didYouMean(property.name, known) ?? "Known members: `id`, `email`, `roles` and the fields under `users`.";
    const message = `\`current_user\` has no \`${rest.map((step) => step.name).join(".")}\`.`;
    return wrong(property, "unknown_name", message, hint);
  }
  if (further !== undefined) {
    const hint = found?.field.refersTo == null ? null : "Compare the reference itself: its value is the id.";
    const code = hint === null ? "unknown_name" : "expression_not_supported";
    return wrong(further, code, `\`current_user.${property.name}\` has no members.`, hint);
  }
  const type = fixed ?? found?.field.type ?? { kind: "text" };
  return { expression: { kind: "user", type, name: fixed === undefined ? (found?.name ?? "") : property.name } };
}

interface Start {
  readonly row: string;
  readonly record: string;
  /** The word for the row; null if the path starts with a field. */
  readonly word: Step | null;
  readonly steps: readonly Step[];
}

function resolveOnRow(syntax: Syntax, { row, record: name, word, steps }: Start, scope: Scope): Resolved {
  if (steps.length === 0) {
    const hint = `Use a field of the record: \`${word?.name}.id\`.`;
    return wrong(syntax, "type_mismatch", `\`${word?.name}\` is a whole record, not a value.`, hint);
  }
  const path: string[] = [];
  let record = scope.schema.records.get(name);
  for (const [index, step] of steps.entries()) {
    if (record === undefined) return wrong(step, "unknown_name", `There is no record \`${name}\`.`, null);
    const next = steps[index + 1];
    const found = findField(record, step.name);
    if (found === null) {
      const relation = record.relations.get(step.name);
      if (relation === undefined) return unknownMember(step, record, word === null && index === 0, { scope });
      if (scope.reach !== undefined && scope.reach !== "records") return beyondRow(step, scope.reach);
      if (next !== undefined)
        return wrong(next, "type_mismatch", `\`${step.name}\` is a list of records.`, manyHint(step.name));
      if (row === "input")
        return wrong(step, "expression_not_supported", "A relation of `input` is not supported.", null);
      return { relation: { row, path, name: step.name, record: relation.record } };
    }
    if (found.field.computed !== undefined && next === undefined)
      return writtenOut(step, found.field.computed(), { anchor: { row, path }, record, scope });
    path.push(found.name);
    const expression: Expression = { kind: "field", type: found.field.type, row, path };
    if (next === undefined) return { expression };
    if (found.field.members !== undefined)
      return memberOf(expression, found.field.members, steps.slice(index + 1), step.name);
    if (found.field.refersTo === null) {
      const message = `\`${step.name}\` is not a reference, so it has no \`${next.name}\`.`;
      return wrong(next, "unknown_name", message, `Compare \`${step.name}\` itself.`);
    }
    // The id of the other record is the value of the reference itself: no look-up is needed.
    if (next.name === "id" && steps.length === index + 2) return { expression };
    if (scope.reach === "row") return beyondRow(next, scope.reach);
    if (index >= PATH_STEPS_MAX)
      return wrong(syntax, "expression_not_supported", `A path can have at most ${PATH_STEPS_MAX} relations.`, null);
    record = scope.schema.records.get(found.field.refersTo);
    if (record === undefined) {
      const message = `Fields of \`${step.name}\` (a ${found.field.refersTo}) can't be used here.`;
      return wrong(next, "expression_not_supported", message, `Compare \`${step.name}\` itself: its value is the id.`);
    }
  }
  throw new Error("a path has at least one step");
}

/** A member of an object field. */
function memberOf(
  object: Expression,
  members: NonNullable<FieldSchema["members"]>,
  steps: readonly Step[],
  owner: string,
): Resolved {
  let known: FieldSchema["members"] = members;
  let found: FieldSchema | undefined;
  let within = owner;
  for (const step of steps) {
    found = known?.get(step.name);
    if (found === undefined) {
      const names = [...(known?.keys() ?? [])];
      const hint =
        didYouMean(step.name, names) ?? (names.length === 0 ? null : `Known members: ${names.slice(0, 8).join(", ")}.`);
      return wrong(step, "unknown_name", `\`${within}\` has no \`${step.name}\`.`, hint);
    }
    known = found.members;
    within = `${within}.${step.name}`;
  }
  if (found === undefined) throw new Error("a member has a name");
  const names = steps.map(({ name }): Expression => ({ kind: "literal", type: { kind: "text" }, value: name }));
  return { expression: { kind: "operation", type: found.type, operator: ".", args: [object, ...names] } };
}

/** A computed field is replaced by its expression, on the row where it is named. */
function writtenOut(
  step: Step,
  expansion: Expression | "circle" | "broken",
  { anchor, record, scope }: { readonly anchor: Anchor; readonly record: RecordSchema; readonly scope: Scope },
): Resolved {
  if (expansion === "broken")
    return wrong(step, "unknown_name", `\`${record.name}\` has no field \`${step.name}\`.`, null);
  if (expansion === "circle")
    return wrong(
      step,
      "rule_circle",
      `\`${step.name}\` is computed from itself.`,
      "Write its expression here instead.",
    );
  if (anchor.row === "input") {
    const hint = "Use `new`, which is the record after the change.";
    const message = `\`${step.name}\` is computed, so it is never part of the input.`;
    return wrong(step, "expression_not_supported", message, hint);
  }
  const asked = reachOf(expansion);
  if (scope.work !== undefined && asked !== "row") {
    const hint = "Look up the other records in an earlier step: `record.find`.";
    return wrong(step, "expression_not_supported", `\`${step.name}\` is computed from other records.`, hint);
  }
  if (scope.reach === "row" && asked !== "row") return beyondRow(step, "row");
  if (scope.reach === "references" && asked === "records") return beyondRow(step, "references");
  return { expression: substitute(expansion, { record: anchor }), computed: true };
}

/** How far an expression of a row can look. */
function reachOf(expression: Expression): Reach {
  if (someNode(expression, ({ kind }) => kind === "each")) return "records";
  return someNode(expression, (node) => node.kind === "field" && node.path.length > 1) ? "references" : "row";
}

function beyondRow(at: Located, reach: "row" | "references"): Resolved {
  const message =
    reach === "row"
      ? "Only the row itself can be used here, not other records."
      : "Relations to many records can't be used here.";
  return wrong(at, "name_not_available", message, hintOfReach(reach));
}

/** What can be used if there is no caller. */
export function hintOfReach(reach: Reach): string {
  return hintsOfReach[reach];
}

const hintsOfReach: Readonly<Record<Reach, string>> = {
  row: "Only fields of the row itself can be used here.",
  references: "Only fields of the row and of the records that it refers to can be used here.",
  records: "Only fields of records can be used here: there is no request and no user.",
};

export function manyHint(relation: string): string {
  return `Use \`${relation}.exists(one, ...)\`, \`all\`, \`exists_one\`, \`sum(one, ...)\` or \`size(${relation})\`.`;
}

/** A field by its own name or, second, by the name of its relation. */
function findField(record: RecordSchema, name: string): { name: string; field: FieldSchema } | null {
  const field = record.fields.get(name);
  if (field !== undefined) return { name, field };
  const reference = record.fields.get(`${name}_id`);
  return reference !== undefined && reference.refersTo !== null ? { name: `${name}_id`, field: reference } : null;
}

function unknownMember(
  step: Step,
  record: RecordSchema,
  bare: boolean,
  { scope, variables }: { readonly scope: Scope; readonly variables?: ReadonlyMap<string, string> },
): Resolved {
  const references = [...record.fields].filter(([, field]) => field.refersTo !== null);
  const known = [
    ...record.fields.keys(),
    ...references.map(([name]) => relationName(name)),
    ...record.relations.keys(),
  ];
  const words = bare ? [...known, ...scope.schema.rules.keys(), ...(variables?.keys() ?? []), ...specialNames] : known;
  const hint = didYouMean(step.name, words);
  const organization = step.name === "org_id" ? "Only entities with `org_scoped: true` have it." : null;
  const role = bare && scope.schema.roles.includes(step.name) ? `Write a text in quotes: \`"${step.name}"\`.` : null;
  const message = `\`${record.name}\` has no field \`${step.name}\`.`;
  return wrong(step, "unknown_name", message, organization ?? hint ?? role ?? knownHint(record));
}

const NAMES_SHOWN = 8;
const HINT_LENGTH_MAX = 180;

function knownHint({ name, fields }: RecordSchema): string {
  const names = [...fields.keys()].slice(0, NAMES_SHOWN).join(", ");
  return `\`${name}\` has ${names}${fields.size > NAMES_SHOWN ? ", and more" : ""}.`.slice(0, HINT_LENGTH_MAX);
}

function wrong(
  at: Located,
  code: Problem["code"],
  message: string,
  hint: string | null,
): { readonly problem: Problem } {
  return { problem: { code, message, hint, start: at.start, end: at.end } };
}
