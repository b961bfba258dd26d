// Finds out what the expressions of a step read, so that only the steps that need the record ask the database for it.
// In: a step. Out: whether it reads the record of its run, or the member of its list. The steps inside it are separate.
import type { BundleStep } from "@plinth/bundle";
import { someNode } from "@plinth/expression";

/** Definitions are shared by many runs. */
const known = new WeakMap<BundleStep, boolean>();

/** Whether it reads more of the record than its id, which never changes. */
export function readsRecord(step: BundleStep): boolean {
  const before = known.get(step);
  if (before !== undefined) return before;
  const { if: condition, action, forEach, delayUntil = null } = step;
  const reads = [condition, action, forEach, delayUntil].some(isOfRecord);
  known.set(step, reads);
  return reads;
}

/** `record.due_at`, a condition on the records of a list of it, or `run.record.due_at`. */
function isOfRecord(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { row, path, root } = part as { readonly row?: unknown; readonly path?: unknown; readonly root?: unknown };
  if (Array.isArray(path)) {
    if (row === "record" && (path.length !== 1 || path[0] !== "id")) return true;
    if (root === "run" && path[0] === "record" && path[1] !== "id") return true;
  }
  return Object.values(part).some(isOfRecord);
}

/** Whether its condition is for each member of its list, instead of for the whole list. */
export function asksEachMember({ if: condition, forEach }: BundleStep): boolean {
  return (
    forEach !== null &&
    condition !== null &&
    someNode(condition, (node) => node.kind === "value" && node.root === "each")
  );
}

/**
 * Whether it keeps the record as it was when it began. Calls: a service that remembers a key refuses it with another
 * content. Lists: a run that continues later must find the same members. Waits: their condition is only looked up once.
 */
export function keepsRecord({ action, forEach }: BundleStep): boolean {
  return forEach !== null || ["http.request", "email.send", "wait_for", "worker.run", "approve"].includes(action.kind);
}
