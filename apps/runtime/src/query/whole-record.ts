// A record as events carry it: with its internal fields, whoever looks. In: an entity and an id. Out: the record; null if
// there is none any more. Only work with the rights of the service reads it. It leaves no line in the audit log, as the
// record of an event doesn't; its values are masked when people look at a run.
import type { JsonValue } from "@plinth/bundle";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Tenant } from "../project/tenant.ts";
import { entityView, forProject, living } from "./entity-view.ts";
import { Parameters } from "./parameters.ts";

import { recordOf } from "./trace.ts";

export async function readWholeRecord(
  release: ActiveRelease,
  tenant: Tenant,
  entity: string,
  recordId: string,
): Promise<JsonValue> {
  const view = entityView(release, entity);
  const parameters = new Parameters(view.fields);
  const where = `_r."id" = ${parameters.recordId()}${living(view, "_r")}`;
  const text = `select ${recordOf(view, "_r", parameters)}::text from ${view.from} _r where ${where}`;
  if (parameters.slots.length !== 1) throw new Error(`the record of ${entity} depends on its reader`);
  const { rows } = await tenant.run({ text: forProject(text, release), values: [recordId], lane: "fast" });
  const [json] = rows[0] ?? [];
  return json == null ? null : (JSON.parse(String(json)) as JsonValue);
}
