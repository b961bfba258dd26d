// Explains why a write was refused. In: the statement's row. Out: a Fault, or null if only the rule refused it. It
// never reveals a state that the caller can't read, nor whether a record exists that they can't refer to.
import type { BundleField } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { TextRow } from "../project/tenant.ts";
import { unknownReference } from "./database-faults.ts";
import type { EntityView } from "./entity-view.ts";
import { edgesFrom } from "./state-machine.ts";
import type { WriteStatement } from "./statement.ts";

export function refusalOf(
  view: EntityView,
  roles: readonly string[],
  { checks }: WriteStatement,
  row: TextRow,
): Fault | null {
  const isAllowed = row[checks.length] === "t";
  const failed = checks.filter((_, i) => row[i] !== "t");
  const reportable = failed.filter((check) => isAllowed || ("judges" in check && check.judges === "body"));
  const notOwn = reportable.flatMap((check) => (check.kind === "own" ? [check.field] : []));
  if (notOwn.length > 0) return adminOnly(notOwn);
  const unknown = reportable.flatMap((check) => (check.kind === "reference" ? [check.field.name] : []));
  if (unknown.length > 0) {
    return new Fault("validation_failed", { errors: unknown.map((name) => unknownReference(name)) });
  }
  if (!isAllowed) return null;
  if (failed.some((check) => check.kind === "version")) return staleVersion();
  const closed = failed.flatMap((check) => (check.kind === "field" ? [check.field.name] : []));
  if (closed.length > 0) return fieldsRefused(closed);
  const unread = failed.flatMap((check) => (check.kind === "unread" ? [check.field.name] : []));
  if (unread.length > 0) return additionsRefused(unread);
  const unset = failed.flatMap((check) => (check.kind === "unset" ? [check.field.name] : []));
  if (unset.length > 0) {
    const message = "The field has no value to add to. Send the value itself.";
    return new Fault("validation_failed", {
      errors: unset.map((name) => ({ path: `/${name}`, code: "no_value", message })),
    });
  }
  const [state = null, missing = null] = row.slice(checks.length + 2);
  if (failed.some((check) => check.kind === "state")) return noSuchEdge(view, roles, state);
  if (failed.some((check) => check.kind === "complete")) {
    const errors = (missing ?? "").split(",").map((name) => ({
      path: `/${name}`,
      code: "required",
      message: "This transition requires a value.",
    }));
    return new Fault("validation_failed", { errors });
  }
  return null;
}

/** The record has been changed since the caller read it. */
export function staleVersion(): Fault {
  return new Fault("precondition_failed", { detail: "The record has another version now. Read it again." });
}

/** Fields that the caller's grants don't let them write. */
export function fieldsRefused(names: readonly string[]): Fault {
  return new Fault("forbidden", {
    detail: `You can't write ${names.join(", ")}.`,
    errors: names.map((name) => ({
      path: `/${name}`,
      code: "not_writable",
      message: "Your role does not allow you to write this field.",
    })),
  });
}

/** A caller who can't read a value could find it out by adding until the bounds are exceeded. */
function additionsRefused(names: readonly string[]): Fault {
  const message = "You can't read this field, so you can't add to it.";
  return new Fault("forbidden", {
    detail: `You can't add to ${names.join(", ")}.`,
    errors: names.map((name) => ({ path: `/${name}`, code: "not_readable", message })),
  });
}

/** Fields that the service sets to the caller's own. */
export function adminOnly(fields: readonly BundleField[]): Fault {
  const names = fields.map((field) => field.name).join(", ");
  return new Fault("forbidden", {
    detail: `Only an admin can set ${names} to another ${fields[0]?.references ?? "value"}.`,
    errors: fields.map((field) => ({
      path: `/${field.name}`,
      code: "admin_only",
      message: "Only an admin can set this field.",
    })),
  });
}

/**
 * A restore that would leave the record without a record that it refers to. `fields`: the fields that the caller may
 * know, joined by commas.
 */
export function heldByDeleted(fields: string): Fault {
  const message = "The record that it refers to is deleted. Restore that record first.";
  return new Fault("conflict", {
    detail: "The record refers to a deleted record. Restore that record first.",
    errors:
      fields === "" ? [] : fields.split(",").map((name) => ({ path: `/${name}`, code: "reference_deleted", message })),
  });
}

function noSuchEdge(view: EntityView, roles: readonly string[], state: string | null): Fault {
  const field = view.entity.stateMachine?.field ?? "";
  const detail =
    state === null ? "The record is in another state." : `${field} is ${state}; ${waysOf(view, roles, state)}.`;
  const errors = [{ path: `/${field}`, code: "transition_not_allowed", message: detail }];
  return new Fault("transition_not_allowed", { detail, errors });
}

function waysOf(view: EntityView, roles: readonly string[], state: string): string {
  const edges = edgesFrom(view, state, roles);
  return edges.length === 0 ? "no transition leads on from there" : `possible from there: ${edges.join(", ")}`;
}
