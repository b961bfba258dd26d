// Lets Postgres read the input of an action. In: a checked body. Out: its values with their defaults, as JSON, or a
// Fault. One statement casts each value like a column, and evaluates every check and reference and the rule for
// callers.
import { type BundleAction, type BundleInput, distinctPredicates, fillTemplate, type JsonValue } from "@plinth/bundle";
import { quoteIdentifier, sqlState, type TenantTransaction } from "@plinth/postgres";
import { Fault, type FieldError } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { MASK } from "../project/mask.ts";
import { type CallerPrincipal, userId } from "../project/principal.ts";
import type { TextRow } from "../project/tenant.ts";
import { anyOf, conditionOf } from "./condition.ts";
import { unknownReference } from "./database-faults.ts";
import { callerIn, entityView, forProject, living, permission, type StatementCaller } from "./entity-view.ts";
import { type Bindings, Parameters } from "./parameters.ts";
import { adminOnly } from "./write-refusal.ts";

export interface InputRequest {
  readonly release: ActiveRelease;
  readonly principal: CallerPrincipal;
  readonly organization: string | null;
  readonly ip: string;
  readonly requestId: string;
}

export type ActionInput = Readonly<Record<string, JsonValue>>;

/** Whether one of the roles can call it with some input. Refusing early saves a transaction. */
export function mayCall({ access }: BundleAction, roles: readonly string[]): boolean {
  return roles.some((role) => Object.hasOwn(access, role));
}

/**
 * @param values Member > text for its parameter; a member that was not sent is absent. @throws Fault 403 (the rule),
 * 422 (a value, or a reference to a missing or hidden record).
 */
export async function readActionInput(
  open: TenantTransaction,
  request: InputRequest,
  action: BundleAction,
  values: ReadonlyMap<string, string | null>,
): Promise<ActionInput> {
  requireAdmin(request, action.input, values);
  const { release, principal, organization, requestId, ip } = request;
  const statement = assemble(release, action, callerIn(principal, organization));
  const bindings: Bindings = {
    principal,
    requestId,
    ip,
    organization,
    recordId: null,
    values,
    cursor: null,
    limit: null,
  };
  const rows = await open
    .query(
      forProject(statement.text, release),
      statement.slots.map((slot) => slot(bindings)),
    )
    .catch((error: unknown) => {
      // Class 22: a value that passed the schema, but that Postgres can't store.
      if (sqlState(error)?.startsWith("22") !== true) throw error;
      throw new Fault("validation_failed", { detail: "A value can't be read as its field's type.", cause: error });
    });
  const [json = null, allowed = null, ...flags] = rows.rows[0] ?? [];
  refuse(flags, statement.references, unknownReference);
  if (allowed !== "t") throw new Fault("forbidden", { detail: `A rule does not allow you to call ${action.name}.` });
  const broken = statement.checks.filter((_, at) => flags[statement.references.length + at] !== "t");
  if (broken.length > 0) throw new Fault("validation_failed", { errors: broken });
  return JSON.parse(json ?? "{}") as ActionInput;
}

/** The input for the audit log. Masked members only show that there was a value. */
export function maskedInput({ input }: BundleAction, values: ActionInput): ActionInput {
  const masked = new Set(input.filter((field) => field.masked || field.secret).map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, masked.has(name) && value !== null ? MASK : value]),
  );
}

interface InputStatement {
  /**
   * Columns: the values as JSON, whether the rule holds, whether each reference can be read, whether each check holds.
   */
  readonly text: string;
  readonly slots: Parameters["slots"];
  /** The members of the last columns; for a check, the error if it doesn't hold. */
  readonly references: readonly string[];
  readonly checks: readonly FieldError[];
}

const ROW = "_in";

function assemble(release: ActiveRelease, { input, access }: BundleAction, caller: StatementCaller): InputStatement {
  const parameters = new Parameters(new Map(input.map((field) => [field.name, field])));
  const fill = (template: string): string =>
    fillTemplate(template, (hole) => {
      if (hole === "row" || hole === "new") return ROW;
      if (hole === "schema") return release.schema;
      return hole.startsWith("input.") ? `${ROW}.${quoteIdentifier(hole.slice(6))}` : parameters.hole(hole);
    });
  const columns = input.map((field) => `${columnOf(field, parameters, fill)} as ${quoteIdentifier(field.name)}`);
  const shown = input.map((field) => `${fill(field.select)} as ${quoteIdentifier(field.name)}`);
  const json = input.length === 0 ? "'{}'" : `(select row_to_json(_x)::text from (select ${shown.join(", ")}) _x)`;
  const rules = caller.roles.flatMap((role) => (Object.hasOwn(access, role) ? [access[role]!] : []));
  const allowed = anyOf(distinctPredicates(rules).map((rule) => conditionOf(rule, fill)));
  const referring = input.filter((field) => field.references !== null);
  const checked = input.flatMap(({ name, checks, refusals = [] }) =>
    checks.map((check, at) => ({
      check,
      refusal: refusals[at] ? { path: `/${name}`, ...refusals[at] } : notAllowed(name),
    })),
  );
  const flags = [
    ...referring.map((field) => readable(release, field, caller, parameters)),
    ...checked.map(({ check }) => `coalesce((${check}), true)`),
  ];
  return {
    text:
      `with ${ROW} as (select ${columns.length === 0 ? "1" : columns.join(", ")}) ` +
      `select ${[json, allowed.sql, ...flags].join(", ")} from ${ROW}`,
    slots: parameters.slots,
    references: referring.map(({ name }) => name),
    checks: checked.map(({ refusal }) => refusal),
  };
}

function columnOf(field: BundleInput, parameters: Parameters, fill: (template: string) => string): string {
  const value = parameters.value(field);
  if (field.default === null) return value;
  return `case when ${parameters.given(field.name)} then ${value} else ${fill(field.default)} end`;
}

/** As for records that refer to others: a missing and a hidden record get the same answer. */
function readable(release: ActiveRelease, field: BundleInput, caller: StatementCaller, parameters: Parameters): string {
  const target = entityView(release, field.references ?? "");
  const value = `${ROW}.${quoteIdentifier(field.name)}`;
  const isList = field.sqlType === "uuid[]";
  const seen = permission(target, "read", caller, parameters, { record: "_ref" }).sql;
  const found = `${target.from} _ref where _ref."id" = ${isList ? `any(${value})` : value} and ${seen}${living(target, "_ref")}`;
  const there = isList ? `(select count(*) from ${found}) = cardinality(${value})` : `exists (select 1 from ${found})`;
  return `(${value} is null or ${there})`;
}

/** Members that only an admin can set to another value than the caller's own. */
function requireAdmin(
  { principal, organization }: InputRequest,
  input: readonly BundleInput[],
  values: ReadonlyMap<string, string | null>,
): void {
  if (principal.roles.includes("admin")) return;
  const others = input.filter((field) => {
    const own = field.references === "organization" ? organization : userId(principal);
    return field.writer === "admin" && values.has(field.name) && values.get(field.name) !== own;
  });
  if (others.length > 0) throw adminOnly(others);
}

function refuse(flags: TextRow, names: readonly string[], problem: (name: string) => FieldError): void {
  const failed = [...new Set(names.filter((_, at) => flags[at] !== "t"))];
  if (failed.length > 0) throw new Fault("validation_failed", { errors: failed.map(problem) });
}

function notAllowed(name: string): FieldError {
  return { path: `/${name}`, code: "not_allowed", message: "The value is not allowed here." };
}
