// Makes a witness. In: an assignment of the variables of two rules. Out: rows, a user and a request with these values,
// or null if that is impossible. It never claims that a rule is true for them; the caller evaluates the rule.
import type { Assignment } from "./compare-search.ts";
import { roleOf, type Variable } from "./compare-variables.ts";
import type { Value } from "./datum.ts";
import { type EvaluationContext, evaluateValue } from "./evaluate.ts";
import type { Expression, RowName } from "./tree.ts";

/** A row under construction; `leadsTo` has the records behind its references. */
interface OpenRow {
  readonly values: Record<string, Value>;
  readonly related: Record<string, OpenRow>;
}

interface Roles {
  readonly rolesOfAll: readonly string[];
  readonly rolesOfUsers: readonly string[];
}

const rowNames: readonly RowName[] = ["record", "old", "new", "input"];

export function contextOf(
  variables: readonly Variable[],
  assignment: Assignment,
  roles: Roles,
): EvaluationContext | null {
  const rows: Record<RowName, OpenRow> = { record: openRow(), old: openRow(), new: openRow(), input: openRow() };
  // If one rule reads a field as another type, no value works for both rules.
  if (variables.some((one) => one.kind === "abstract" && isOwnField(one.source))) return null;
  const given = variables.flatMap((one) => {
    const value = one.kind === "signed_in" ? undefined : assignment.get(one.index);
    return value === undefined ? [] : [{ variable: one, source: one.source, value }];
  });
  for (const { source, value } of given) {
    if (source.kind === "field" && !placeValue(rows, source, value)) return null;
  }
  for (const { source, value } of given) if (!placeMember(rows, source, value)) return null;
  for (const { source } of given) if (source.kind === "member") placeOrganization(rows, source.organization);
  let made = 0;
  for (const row of rowNames) made = nameReferences(rows[row], made);
  if (!recordsAgree(Object.values(rows))) return null;
  for (const { source, value } of given) satisfyTextTest(rows, source, value);

  const userValue = (name: string): Value | undefined =>
    given.find(({ source }) => source.kind === "user" && source.name === name)?.value;
  const signedIn = variables.some((one) => one.kind === "signed_in" && assignment.get(one.index) === true);
  const held = given.filter(({ variable, value }) => variable.kind === "role" && value === true);
  const profile = given.flatMap(({ source, value }) => (source.kind === "user" ? [[source.name, value] as const] : []));
  const context: EvaluationContext = {
    rows,
    user: {
      id: signedIn ? String(userValue("id") ?? madeUpId(SIGNED_IN)) : null,
      email: signedIn ? String(userValue("email") ?? "somebody@example.com") : null,
      roles: [
        ...new Set([
          ...roles.rolesOfAll,
          ...(signedIn ? roles.rolesOfUsers : []),
          ...held.map(({ variable }) => roleOf(variable)),
        ]),
      ],
      profile: Object.fromEntries(profile),
      memberships: [],
    },
    sent: given.flatMap(({ source, value }) => (source.kind === "sent" && value === true ? [source.field] : [])),
    ...requestOf(given),
  };
  return { ...context, user: { ...context.user, memberships: membershipsOf(given, context) } };
}

function isOwnField(source: Expression): boolean {
  return source.kind === "field" && source.row !== "input" && source.type.kind !== "list";
}

type Given = readonly { readonly source: Expression; readonly value: Value }[];

function requestOf(given: Given): Pick<EvaluationContext, "organization" | "request" | "now"> {
  const brought = (name: string): string | null => {
    const value = given.find(({ source }) => source.kind === "context" && source.name === name)?.value;
    return typeof value === "string" ? value : null;
  };
  const today = brought("today");
  const asked = given.some(({ source }) => source.kind === "member" && source.organization.kind === "context");
  return {
    organization: brought("current_org") ?? (asked ? madeUpId(ORGANIZATION) : null),
    request: { ip: brought("request.ip"), keyKind: brought("request.key_kind") },
    now: brought("now") ?? `${today ?? "2026-01-01"}T12:00:00Z`,
  };
}

/** Roles that no rule asks for, so that membership alone implies no role. */
const memberRoles: readonly string[] = ["member", "admin", "owner"];

function membershipsOf(given: Given, context: EvaluationContext): { organization: string; role: string }[] {
  const asked = given.flatMap(({ source, value }) => (source.kind === "member" ? [{ source, value }] : []));
  const denied = new Set(asked.filter(({ value }) => value === false).map(({ source }) => source.role));
  return asked
    .filter(({ value }) => value === true)
    .flatMap(({ source }) => {
      const organization = evaluateValue(source.organization, context);
      const role = source.role ?? memberRoles.find((one) => !denied.has(one)) ?? "member";
      return typeof organization === "string" ? [{ organization, role }] : [];
    });
}

/** The organization for membership, unless the rules name one. */
function placeOrganization(rows: Readonly<Record<string, OpenRow>>, organization: Expression): void {
  if (organization.kind !== "field" || organization.path.length !== 1) return;
  const [name, row] = [organization.path[0] ?? "", rows[organization.row]];
  if (row !== undefined && row.values[name] === undefined) row.values[name] = madeUpId(ORGANIZATION);
}

/** Numbers for ids, one for each record. */
const [SIGNED_IN, ORGANIZATION] = [0xffff, 0xfffe];

function openRow(): OpenRow {
  return { values: {}, related: {} };
}

/** False if a record would have to exist behind a reference that is null. */
function placeValue(
  rows: Readonly<Record<string, OpenRow>>,
  { row, path }: Extract<Expression, { kind: "field" }>,
  value: Value,
): boolean {
  const last = path.at(-1);
  let at = rows[row];
  if (at === undefined || last === undefined) return true;
  // A missing record behind a reference is the same as a record with empty fields.
  if (value === null && path.length > 1) return true;
  for (const step of path.slice(0, -1)) {
    if (at.values[step] === null) return false;
    at = at.related[step] ??= openRow();
  }
  if (value === null && at.related[last] !== undefined) return false;
  at.values[last] = value;
  return true;
}

/** A member of an object field; false if the object would have to be missing. */
function placeMember(rows: Readonly<Record<string, OpenRow>>, source: Expression, value: Value): boolean {
  if (source.kind !== "operation" || source.operator !== "." || value === null) return true;
  const [object, ...names] = source.args;
  if (object?.kind !== "field") return false;
  const path = names.map((one) => (one.kind === "literal" ? String(one.value) : ""));
  const holder = rowAt(rows, object);
  const field = object.path.at(-1) ?? "";
  if (holder === null || holder.values[field] === null) return false;
  holder.values[field] = withMember(holder.values[field] ?? {}, path, value);
  return true;
}

function withMember(object: Value, [name, ...rest]: readonly string[], value: Value): Value {
  if (name === undefined) return value;
  const members = (object !== null && typeof object === "object" ? object : {}) as Readonly<Record<string, Value>>;
  return { ...members, [name]: withMember(members[name] ?? {}, rest, value) };
}

/** The record with the field; null if a reference on the path is empty. */
function rowAt(
  rows: Readonly<Record<string, OpenRow>>,
  { row, path }: Extract<Expression, { kind: "field" }>,
): OpenRow | null {
  let at = rows[row] ?? null;
  for (const step of path.slice(0, -1)) {
    if (at === null || at.values[step] === null) return null;
    at = at.related[step] ??= openRow();
  }
  return at;
}

/** A reference to a record that the rules read is a new id, unless the rules name one. */
function nameReferences(row: OpenRow, made: number): number {
  let count = made;
  for (const [name, target] of Object.entries(row.related)) {
    if (row.values[name] === undefined) row.values[name] = madeUpId(++count);
    count = nameReferences(target, count);
  }
  return count;
}

function madeUpId(number: number): string {
  return `0190f3a1-0000-7000-9000-${number.toString(16).padStart(12, "0")}`;
}

/** One id is one record: the values from two places must agree. */
function recordsAgree(rows: readonly OpenRow[]): boolean {
  const known = new Map<Value, OpenRow["values"]>();
  const agrees = (row: OpenRow, id: Value | undefined): boolean => {
    const other = id === undefined ? undefined : known.get(id);
    if (id !== undefined) known.set(id, { ...other, ...row.values });
    const same = Object.entries(row.values).every(
      ([name, value]) => other?.[name] === undefined || other[name] === value,
    );
    return same && Object.entries(row.related).every(([name, target]) => agrees(target, row.values[name]));
  };
  // The rows themselves are the same record before and after a change, so only their references are compared.
  return rows.every((row) => agrees(row, undefined));
}

/** A text that starts with, ends with or contains the part; if it must not, the field keeps its value. */
function satisfyTextTest(rows: Readonly<Record<string, OpenRow>>, source: Expression, value: Value): void {
  if (source.kind !== "operation" || typeof value !== "boolean") return;
  const [subject, part] = source.args;
  if (subject?.kind !== "field" || subject.path.length !== 1 || part?.kind !== "literal") return;
  const [name, row] = [subject.path[0] ?? "", rows[subject.row]];
  if (row === undefined || !["startsWith", "endsWith", "contains", "matches"].includes(source.operator)) return;
  row.values[name] ??= value ? String(part.value) : part.value === "" ? null : "";
}
