// Tells callers what Postgres refused. In: an error and the statement's entity. Out: a Fault with public text, or the error.
// It never passes on the server's own words: they hold values, and names of what the caller may not know.

import {
  columnName,
  constraintColumns,
  constraintName,
  isCheckViolation,
  isForeignKeyViolation,
  isNotNullViolation,
  isRetryable,
  isUniqueViolation,
  sqlState,
} from "@plinth/postgres";
import { Fault, type FieldError } from "@plinth/service";
import type { EntityView } from "./entity-view.ts";

/** The fault that stands for this error, or the error itself where it is none of the caller's doing. */
export function faultOf(error: unknown, view: EntityView, operation: "read" | "create" | "update" | "delete"): unknown {
  if (error instanceof Fault) return error;
  if (isUniqueViolation(error)) return uniqueViolation(error, view);
  if (isForeignKeyViolation(error)) {
    if (operation === "delete") {
      return new Fault("reference_restricted", {
        detail: "The record can't be deleted while others refer to it.",
        cause: error,
      });
    }
    // Its target went away between the check and the insert: the same answer as if it had never been there.
    const key = view.table?.foreignKeys.find((each) => each.name === constraintName(error));
    return new Fault("validation_failed", { errors: [unknownReference(key?.column ?? "")], cause: error });
  }
  if (isNotNullViolation(error)) return invalid(columnName(error) ?? "", "required", "A value is required.", error);
  if (isCheckViolation(error)) {
    const check = view.table?.checks.find((each) => each.name === constraintName(error));
    return invalid(check?.column ?? "", "not_allowed", "The value is not allowed here.", error);
  }
  if (isRetryable(error)) {
    return new Fault("unavailable", {
      detail: "Another request changed the same records; try again.",
      headers: { "retry-after": "1" },
      cause: error,
    });
  }
  // Class 54: a text that is too long for the index that keeps it unique (a third of a page, about 2.7 kB).
  if (sqlState(error) === "54000") {
    const errors = uniqueFields(error, view).map((field) => tooLong(field));
    return new Fault("validation_failed", { detail: "A value is too long to be kept unique.", errors, cause: error });
  }
  // Class 22: a value that passed the schema, but that Postgres can't hold.
  if (sqlState(error)?.startsWith("22") === true) {
    return operation === "read"
      ? new Fault("bad_request", { detail: "A value can't be read as its field's type.", cause: error })
      : new Fault("validation_failed", { detail: "A value can't be read as its field's type.", cause: error });
  }
  return error;
}

/** Whether a statement names what the schema no longer (or not yet) has: another release is active by now. */
export function isStale(error: unknown): boolean {
  // The proof of a statement wraps what Postgres said about it.
  const state = sqlState(error) ?? (error instanceof Error ? sqlState(error.cause) : null);
  return state === "42703" || state === "42P01";
}

export function unknownReference(field: string): FieldError {
  return { path: `/${field}`, code: "unknown_reference", message: "There is no such record." };
}

/** The names of the fields that the violated constraint keeps unique; none where the server doesn't say. */
function uniqueFields(error: unknown, view: EntityView): readonly string[] {
  const name = constraintName(error);
  const unique = view.table?.uniques.find((each) => each.name === name);
  const columns = unique?.columns ?? constraintColumns(error).filter((each) => view.fields.has(each));
  return view.entity.fields.filter((field) => columns.includes(field.column)).map((field) => field.name);
}

function tooLong(field: string): FieldError {
  return { path: `/${field}`, code: "too_long", message: "The value is too long to be kept unique." };
}

function uniqueViolation(error: unknown, view: EntityView): Fault {
  const fields = uniqueFields(error, view);
  return new Fault("unique_violation", {
    detail: `Another record has this ${fields.join(", ") || "value"} already.`,
    errors: fields.map((field) => ({ path: `/${field}`, code: "taken", message: "The value is already taken." })),
    cause: error,
  });
}

function invalid(field: string, code: string, message: string, cause: unknown): Fault {
  return new Fault("validation_failed", { errors: [{ path: `/${field}`, code, message }], cause });
}
