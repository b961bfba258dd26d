// The records that a step looks for: those whose fields have these values. In: a request and the values. Out: one record or
// null, or a list. A list is in the order of its ids.
import type { JsonValue } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import { entityView } from "./entity-view.ts";
import type { ListQuery } from "./list-query.ts";
import { pageBound, readabilityOf } from "./readable-fields.ts";
import { listRows, type Request } from "./run.ts";

/** @param limit Null: the first one alone, or null. @throws Fault `validation_failed`, `forbidden`. */
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
      const message = "Records can't be looked for by this value.";
      throw new Fault("validation_failed", { errors: [{ path: `/${name}`, code: "not_allowed", message }] });
    }
    if (readabilityOf(view, view.fields.get(name)!, roles) === "never") {
      throw new Fault("forbidden", { detail: `Your role does not allow you to look for records by ${name}.` });
    }
    filters.set(name, String(value));
  }
  const id = view.fields.get("id");
  if (id === undefined) throw new Error(`${request.entity} has no id`);
  const query: ListQuery = {
    limit: pageBound(view, roles, limit ?? 1),
    sort: [{ field: id, descending: false }],
    filters,
    deleted: false,
    after: null,
  };
  const found = JSON.parse(await listRows(request, query)) as readonly JsonValue[];
  return limit === null ? (found[0] ?? null) : found;
}
