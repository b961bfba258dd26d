// In: a name or a path of an expression. Out: the field or the property of the user that it stands for, typed.
// It never decides whether a bare word is an enum value; `check.ts` asks here only when it is not.

import type { Syntax } from "./parse.ts";
import type { Problem } from "./problem.ts";
import { type FieldSchema, type RecordSchema, relationName } from "./schema.ts";
import type { RuleOperation, Scope } from "./scope.ts";
import { didYouMean } from "./suggest.ts";
import type { Expression, RowName, Type } from "./tree.ts";

/** Most to-one steps of one path; each is a sub-select in the statement. */
export const PATH_STEPS_MAX = 4;

const userTypes: Record<"id" | "email" | "roles", Type> = {
  id: { kind: "uuid" },
  email: { kind: "text" },
  roles: { kind: "list", of: { kind: "text" } },
};

/** Names that rules may use one day; they must not silently mean a field. */
const laterNames: readonly string[] = ["input", "current_org", "request", "now", "today"];

export type Resolved = { readonly expression: Expression } | { readonly problem: Problem };

/** Resolves `name` or `a.b.c`. */
export function resolvePath(syntax: Syntax, scope: Scope): Resolved {
  const path = pathOf(syntax);
  if (path === null) return wrong(syntax, "expression_not_supported", "Only a name can stand before a dot.", null);
  const [head, ...rest] = path;
  if (head === undefined) return wrong(syntax, "expression_syntax", "A name is missing.", null);
  if (head.name === "current_user") return resolveUser(syntax, rest);
  const row = rowCalled(head.name, scope.operation);
  if (row === "unavailable") {
    return wrong(
      head,
      "row_not_available",
      `\`${head.name}\` does not exist in a ${scope.operation} rule.`,
      scope.operation === "create" ? "Only `new` exists there." : "Write the field's name alone.",
    );
  }
  if (row !== null) {
    if (rest.length === 0)
      return wrong(
        syntax,
        "type_mismatch",
        `\`${head.name}\` is a whole record, not a value.`,
        `Name a field of it: \`${head.name}.id\`.`,
      );
    return resolveFields(syntax, row, rest, scope);
  }
  if (laterNames.includes(head.name) && !fieldNames(scope).includes(head.name)) {
    return wrong(head, "expression_not_supported", `\`${head.name}\` is not supported in rules yet.`, null);
  }
  return resolveFields(syntax, bareRow(scope.operation), path, scope);
}

interface Step {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function pathOf(syntax: Syntax): Step[] | null {
  if (syntax.kind === "name") return [syntax];
  if (syntax.kind !== "member") return null;
  const before = pathOf(syntax.object);
  return before === null
    ? null
    : [...before, { name: syntax.name, start: syntax.end - syntax.name.length, end: syntax.end }];
}

/** A bare name of an update rule is `record` until the rule is split over both rows. */
function bareRow(operation: RuleOperation): RowName {
  return operation === "create" ? "new" : "record";
}

function rowCalled(name: string, operation: RuleOperation): RowName | "unavailable" | null {
  if (name === "record") return bareRow(operation);
  if (name === "new") return operation === "create" || operation === "update" ? "new" : "unavailable";
  if (name === "old") return operation === "update" ? "old" : "unavailable";
  return null;
}

function resolveUser(syntax: Syntax, rest: readonly Step[]): Resolved {
  const [property, further] = rest;
  if (property === undefined) {
    return wrong(syntax, "type_mismatch", "`current_user` is not a value.", "Compare with `current_user.id`.");
  }
  if (further !== undefined || !(property.name === "id" || property.name === "email" || property.name === "roles")) {
    const at = further ?? property;
    return wrong(
      at,
      "unknown_name",
      `\`current_user\` has no \`${rest.map((step) => step.name).join(".")}\`.`,
      didYouMean(property.name, Object.keys(userTypes)) ?? "It has `id`, `email` and `roles`.",
    );
  }
  return { expression: { kind: "user", type: userTypes[property.name], name: property.name } };
}

function resolveFields(syntax: Syntax, row: RowName, steps: readonly Step[], scope: Scope): Resolved {
  if (steps.length > PATH_STEPS_MAX + 1) {
    return wrong(syntax, "expression_not_supported", `A path has at most ${PATH_STEPS_MAX} relations.`, null);
  }
  const path: string[] = [];
  let record = scope.schema.records.get(scope.record);
  for (const [index, step] of steps.entries()) {
    if (record === undefined) return wrong(step, "unknown_name", `There is no record \`${scope.record}\`.`, null);
    const found = findField(record, step.name);
    if (found === null) return unknownField(step, record, index === 0, scope);
    const next = steps[index + 1];
    path.push(found.name);
    if (next === undefined) return { expression: { kind: "field", type: found.field.type, row, path } };
    if (found.field.refersTo === null) {
      return wrong(next, "unknown_name", `\`${step.name}\` is not a reference, so it has no \`${next.name}\`.`, null);
    }
    // The id of the record referred to is the reference itself: no look-up.
    if (next.name === "id" && steps.length === index + 2) {
      return { expression: { kind: "field", type: found.field.type, row, path } };
    }
    record = scope.schema.records.get(found.field.refersTo);
    if (record === undefined) {
      return wrong(
        next,
        "expression_not_supported",
        `Looking into \`${step.name}\` (a ${found.field.refersTo}) is not supported yet.`,
        `Compare \`${step.name}\` itself; it is the id.`,
      );
    }
  }
  throw new Error("a path has at least one step");
}

/** A field by its own name or, second, by the name of its relation. */
function findField(record: RecordSchema, name: string): { name: string; field: FieldSchema } | null {
  const field = record.fields.get(name);
  if (field !== undefined) return { name, field };
  const reference = record.fields.get(`${name}_id`);
  return reference !== undefined && reference.refersTo !== null ? { name: `${name}_id`, field: reference } : null;
}

function unknownField(step: Step, record: RecordSchema, bare: boolean, scope: Scope): Resolved {
  const relations = [...record.fields]
    .filter(([, field]) => field.refersTo !== null)
    .map(([name]) => relationName(name));
  const known = [...record.fields.keys(), ...relations];
  const hint = didYouMean(step.name, bare ? [...known, "current_user", "record"] : known);
  const role =
    bare && scope.schema.roles.includes(step.name) ? `A text is written in quotes: \`"${step.name}"\`.` : null;
  return wrong(step, "unknown_name", `\`${record.name}\` has no field \`${step.name}\`.`, hint ?? role);
}

function fieldNames(scope: Scope): string[] {
  return [...(scope.schema.records.get(scope.record)?.fields.keys() ?? [])];
}

function wrong(
  at: { start: number; end: number },
  code: Problem["code"],
  message: string,
  hint: string | null,
): Resolved {
  return { problem: { code, message, hint, start: at.start, end: at.end } };
}
