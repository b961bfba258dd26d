// Finds the records for a step: those whose fields have the given values. In: a request and the values. Out: one record
// or null, or a list in the order of the ids. If the same transaction changes the entity, the records are locked before
// they are read, so that values computed from them are still right when they are written.
import type { JsonValue } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import { entityView, forProject } from "./entity-view.ts";
import { lockParents } from "./lock-parents.ts";
import { arrayLiteral } from "./parameters.ts";
import { pageBound, readabilityOf } from "./readable-fields.ts";
import { equalTo } from "./reading/filter.ts";
import type { ListQuery } from "./reading/list-query.ts";
import { WHOLE } from "./reading/selection.ts";
import { plainKey } from "./reading/sort.ts";
import { listRows, type Request } from "./run.ts";

/** @param limit Null: only the first one, or null. @throws Fault `validation_failed`, `forbidden`. */
export async function findRecords(
  request: Request,
  where: Readonly<Record<string, JsonValue>>,
  limit: number | null,
): Promise<JsonValue> {
  const view = entityView(request.release, request.entity);
  const { roles } = request.principal;
  const filters = new Map<string, string>();
  for (const name of Object.keys(where).sort()) {
    const value = where[name] ?? null;
    if (view.fields.get(name)?.filterable !== true || value === null || typeof value === "object") {
      const message =
        value === null ? "A value to find records by is missing." : "Records can't be found by this value.";
      throw new Fault("validation_failed", { errors: [{ path: `/${name}`, code: "not_allowed", message }] });
    }
    if (readabilityOf(view, view.fields.get(name)!, roles) === "never") {
      throw new Fault("forbidden", { detail: `Your role does not allow you to find records by ${name}.` });
    }
    filters.set(name, String(value));
  }
  const id = view.fields.get("id");
  if (id === undefined) throw new Error(`${request.entity} has no id`);
  const query: ListQuery = {
    limit: pageBound(view, roles, limit ?? 1),
    sort: [plainKey(id, false)],
    filter: equalTo(view.fields, filters),
    selection: WHOLE,
    deleted: false,
    from: null,
    count: null,
    search: null,
  };
  const found = JSON.parse(await listRows(request, query)) as readonly JsonValue[];
  return limit === null ? (found[0] ?? null) : found;
}

/**
 * Other requests can change the matching records during the lock. After this many attempts the caller must repeat the
 * step.
 */
const LOOKS_MAX = 5;

/**
 * The same, if the transaction of `request` will change the records: others wait until it ends. @throws Fault also
 * `conflict`.
 */
export async function findAndLockRecords(
  request: Request,
  where: Readonly<Record<string, JsonValue>>,
  limit: number | null,
): Promise<JsonValue> {
  const { release, tenant } = request;
  const lock = forProject(
    `SELECT 1 FROM ${entityView(release, request.entity).from} r WHERE r.id = ANY($1::uuid[]) ORDER BY r.id FOR NO KEY UPDATE`,
    release,
  );
  const locked = new Set<string>();
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const found = await findRecords(request, where, limit);
    const open = idsOf(found).filter((id) => !locked.has(id));
    if (open.length === 0) return found;
    const unchanged = { entity: request.entity, isNew: false, values: new Map() };
    await lockParents(
      request,
      open.map((recordId) => ({ ...unchanged, recordId })),
    );
    await tenant.run({ text: lock, values: [arrayLiteral(open)], lane: "slow", writes: true });
    for (const id of open) locked.add(id);
  }
  throw new Fault("conflict", { detail: "The records that a step needs keep changing. Try again." });
}

function idsOf(found: JsonValue): string[] {
  const records = Array.isArray(found) ? found : [found];
  // A caller who can't read the ids of records can't name one of them to change it either.
  return records.map((record) => (record as { readonly id?: string } | null)?.id).filter((id) => id !== undefined);
}
