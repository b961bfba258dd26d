// Translates errors of Postgres for callers. In: an error and the statement's entity. Out: a Fault with public text, or
// the error. It never passes on the server's own message, which contains values, and names that the caller may not
// know.

import type { BundleField, Check } from "@plinth/bundle";
import {
  columnName,
  constraintColumns,
  constraintName,
  isCheckViolation,
  isExclusionViolation,
  isForeignKeyViolation,
  isNotNullViolation,
  isRetryable,
  isUniqueViolation,
  sqlState,
  TurnMissed,
  tableName,
} from "@plinth/postgres";
import { Fault, type FieldError } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import type { EntityView } from "./entity-view.ts";
import { tooLargeFault } from "./reading/too-large.ts";

export type StatementKind = "read" | "create" | "update" | "delete" | "restore";

/** The fault for this error, or the error itself if the caller didn't cause it. */
export function faultOf(error: unknown, view: EntityView, operation: StatementKind): unknown {
  if (error instanceof Fault) return error;
  if (isUniqueViolation(error)) return uniqueViolation(error, view);
  if (isExclusionViolation(error)) return overlap(error, view);
  if (isForeignKeyViolation(error)) {
    if (operation === "delete") {
      return new Fault("reference_restricted", {
        detail: "The record can't be deleted while others refer to it.",
        cause: error,
      });
    }
    // The target was deleted between the check and the insert. The answer is the same as if it had never existed.
    return new Fault("validation_failed", { errors: [unknownReference(referringField(error, view))], cause: error });
  }
  if (isNotNullViolation(error)) return invalid(columnName(error) ?? "", "required", "A value is required.", error);
  if (isCheckViolation(error)) {
    return checkViolation(error, view);
  }
  if (isRetryable(error)) return busy(error);
  // Class 54: a text that is too long for its unique index (a third of a page, about 2.7 kB).
  if (sqlState(error) === "54000") {
    const errors = uniqueFields(error, view).map((field) => tooLong(field));
    return new Fault("validation_failed", { detail: "A value is too long for a unique field.", errors, cause: error });
  }
  const tooLarge = tooLargeFault(error);
  if (tooLarge !== null) return tooLarge;
  // Class 22: a value that passed the schema, but that Postgres can't store.
  if (sqlState(error)?.startsWith("22") === true) {
    return operation === "read"
      ? new Fault("bad_request", { detail: "A value can't be read as its field's type.", cause: error })
      : new Fault("validation_failed", { detail: "A value can't be read as its field's type.", cause: error });
  }
  return error;
}

/**
 * Whether another release is active now: the statement names something that the schema no longer has, or doesn't have
 * yet, or it violated something that its own release doesn't know. Nothing was written, because a failed statement is
 * rolled back completely.
 */
export function isStale(error: unknown, { bundle }: ActiveRelease): boolean {
  // The proof of a statement wraps Postgres's error, and so does a fault.
  const cause = sqlState(error) === null && error instanceof Error ? error.cause : error;
  const state = sqlState(cause);
  // No such column, table, schema, function, operator or constraint, or one of another type; no such role (22023).
  if (state !== null && /^(42703|42P01|42883|42804|42704|42P10|3F000|22023)$/.test(state)) return true;
  if (isNotNullViolation(cause)) {
    const table = bundle.tables.find((each) => each.name === tableName(cause));
    return table?.columns.every((each) => each.name !== columnName(cause)) ?? true;
  }
  const constraint = constraintName(cause);
  if (constraint === null || !refusals.some((is) => is(cause))) return false;
  return !bundle.tables.some((table) =>
    [...table.uniques, ...table.foreignKeys, ...table.checks, ...(table.exclusions ?? [])].some(({ name }) =>
      isCalled(name, constraint),
    ),
  );
}

/** A constraint that will replace a rule is already enforced, under a temporary name. */
function isCalled(rule: string, constraint: string | null): boolean {
  return constraint === rule || constraint === `next__${rule}`;
}

const refusals = [isUniqueViolation, isForeignKeyViolation, isCheckViolation, isExclusionViolation];

export function unknownReference(field: string): FieldError {
  return { path: `/${field}`, code: "unknown_reference", message: "This record does not exist." };
}

/** The names of the fields in the violated unique constraint; empty if the server doesn't say. */
function uniqueFields(error: unknown, view: EntityView): readonly string[] {
  const name = constraintName(error);
  const unique = view.table?.uniques.find((each) => each.name === name);
  const columns = unique?.columns ?? constraintColumns(error).filter((each) => view.fields.has(each));
  const fields = view.stored.filter((field) => !field.hidden && columns.includes(field.column));
  // Unique within an organization: the caller didn't choose the organization.
  const chosen = fields.filter((field) => field.column !== organizationOf(view));
  return (chosen.length > 0 ? chosen : fields).map((field) => field.name);
}

/** The column of the organization that the service fills in. */
function organizationOf(view: EntityView): string | null {
  if (view.entity.scope === null) return null;
  return (
    view.stored.find((field) => field.references === "organization" && field.writer === "admin" && field.immutable)
      ?.column ?? null
  );
}

/**
 * The field whose target is gone; for a many-to-many field, found by its join table. Empty if the release doesn't know
 * the key.
 */
function referringField(error: unknown, view: EntityView): string {
  const name = constraintName(error);
  const own = view.table?.foreignKeys.find((each) => each.name === name);
  if (own !== undefined) return own.column;
  const join = view.tables.find((table) => table.foreignKeys.some((each) => each.name === name));
  return view.entity.fields.find((field) => field.join !== null && field.join.table === join?.name)?.name ?? "";
}

function checkViolation(error: unknown, view: EntityView): Fault {
  return new Fault("validation_failed", { errors: [checkRefusal(constraintName(error), view)], cause: error });
}

/** A named check uses the author's message. A check on a field names the field and its limit. */
export function checkRefusal(name: string | null, view: EntityView): FieldError {
  const check = view.table?.checks.find((each) => each.name === name);
  const named = view.entity.checks.find((each) => each.name === name);
  if (named !== undefined) {
    const code = named.field === undefined ? "check_failed" : "invalid_format";
    return { path: pathOf(named.field ?? ""), code, message: named.message };
  }
  const field = view.stored.find((each) => check?.columns.length === 1 && each.column === check.columns[0]);
  const { code, message } = limitOf(check?.rule, field);
  return { path: pathOf(field?.name ?? ""), code, message };
}

function limitOf(
  rule: Check["rule"] | undefined,
  field: BundleField | undefined,
): Pick<FieldError, "code" | "message"> {
  switch (rule?.kind) {
    case "range":
      return { code: "out_of_range", message: `It must be ${bounds(rule)}.` };
    case "length": {
      const unit = field?.sqlType === "text" ? "characters" : "members";
      return { code: "out_of_range", message: `It must have ${bounds(rule)} ${unit}.` };
    }
    case "one_of":
      return { code: "not_allowed", message: `It must be one of ${rule.values.join(", ")}.` };
    case "subset_of":
      return { code: "not_allowed", message: `It may only contain ${rule.values.join(", ")}.` };
    default:
      return { code: "not_allowed", message: "The value is not allowed here." };
  }
}

function bounds({ min, max }: { readonly min: number | string | null; readonly max: number | string | null }): string {
  const parts = [...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`])];
  return parts.join(" and ");
}

function tooLong(field: string): FieldError {
  return { path: `/${field}`, code: "too_long", message: "The value is too long for a unique field." };
}

function uniqueViolation(error: unknown, view: EntityView): Fault {
  return taken(uniqueFields(error, view), error);
}

/** 409: others keep changing what the request needs. It has changed nothing, and can be sent again. */
export function busy(cause: unknown): Fault {
  return new Fault("conflict", {
    detail: "Other requests keep changing the same records; try again.",
    headers: { "retry-after": "1" },
    cause,
  });
}

/**
 * 409 if it waited too long for its turn among writes that wait for each other; else the error itself. The database
 * isn't slow, and other requests of the project are answered.
 */
export function turnMissed(error: unknown): unknown {
  if (!(error instanceof TurnMissed)) return error;
  const detail = "Too many requests of this project wait for each other; try again.";
  return new Fault("conflict", { detail, headers: { "retry-after": "1" }, cause: error });
}

/** 409: another record has these values. The fault doesn't say which one. */
export function taken(fields: readonly string[], cause?: unknown): Fault {
  return new Fault("unique_violation", {
    detail: `Another record already has this ${fields.join(", ") || "value"}.`,
    errors: fields.map((field) => ({ path: `/${field}`, code: "taken", message: "The value is already taken." })),
    cause,
  });
}

/** Names the values that must not overlap, but not the other record, which the caller may be unable to see. */
function overlap(error: unknown, view: EntityView): Fault {
  const found = view.entity.exclusions?.find(({ name }) => isCalled(name, constraintName(error)));
  const message = found?.message ?? "Another record overlaps this one.";
  const errors = (found?.fields ?? [""]).map((field) => ({
    path: field === "" ? "" : `/${field}`,
    code: "overlaps",
    message,
  }));
  return new Fault("conflict", { detail: message, errors, cause: error });
}

function invalid(field: string, code: string, message: string, cause: unknown): Fault {
  return new Fault("validation_failed", { errors: [{ path: pathOf(field), code, message }], cause });
}

function pathOf(field: string): string {
  return field === "" ? "" : `/${field}`;
}
