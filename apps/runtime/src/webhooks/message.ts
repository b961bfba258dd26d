// The message for an event. In: the event, and the part that its receiver can see. Out: the body, as the OpenAPI
// document describes it. The same event and part give the same bytes, at every attempt.
import type { BundleOutbound, PayloadVersion } from "@plinth/bundle";
import type { ProjectEvent } from "../events/event.ts";
import type { Endpoint, Reader } from "./endpoint.ts";
import type { Sight } from "./judge.ts";

/** The name of a test's event. */
export const TEST_EVENT = "webhook.test";
/** An endpoint was disabled. */
export const DISABLED_EVENT = "webhook.endpoint_disabled";
export const FAILED_EVENT = "delivery.failed";

/**
 * Maximum characters of a body. A larger one only contains the record's id, like `payload: thin`. Owners may each see a
 * different part of a record, so one large record and a thousand endpoints could fill the disk.
 */
const FULL_MAX = 100_000;

export function bodyOf(
  project: string,
  event: ProjectEvent,
  { payload, version: wanted }: Pick<Endpoint, "payload" | "version">,
  {
    reader,
    sight,
    outbound = {},
  }: { readonly reader: Reader; readonly sight: Sight; readonly outbound?: BundleOutbound | undefined },
): string {
  const version = sentVersion(outbound, wanted);
  const { principal } = reader;
  const isOwn = principal.kind === "user" && principal.userId === event.actorId;
  // Rules over records don't say who may know other actors.
  const actor =
    isOwn || (principal.roles.includes("admin") && principal.kind === "key")
      ? { kind: event.actorKind, id: event.actorId }
      : { kind: null, id: null };
  const head = { id: event.id, name: event.name, project, at: event.at, actor, request_id: event.requestId, version };
  const start = JSON.stringify(head).slice(0, -1);
  const thin = `${start},"record":${JSON.stringify({ id: event.recordId })},"old":null,"data":null}`;
  if (payload === "thin" && event.recordId !== null) return thin;
  const { record, old, data } = inVersion(sight, event, outbound.versions?.[version]);
  const full = `${start},"record":${record ?? "null"},"old":${old ?? "null"},"data":${data}}`;
  return full.length > FULL_MAX && event.recordId !== null ? thin : full;
}

/** Only contains what its reader can see. An earlier version has other names for it, or leaves it out. */
function inVersion(
  sight: Sight,
  { name, entity }: ProjectEvent,
  subjects: Readonly<Record<string, PayloadVersion>> | undefined,
): Pick<Sight, "record" | "old" | "data"> {
  const ofRecord = entity === null ? undefined : subjects?.[entity];
  const ofData = subjects?.[name];
  const { record, old, data } = sight;
  return {
    record: ofRecord === undefined || record === null ? record : renamed(record, ofRecord),
    old: ofRecord === undefined || old === null ? old : renamed(old, ofRecord),
    data: ofData === undefined || data === "null" ? data : renamed(data, ofData),
  };
}

function renamed(json: string, { names, omit }: PayloadVersion): string {
  const members = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const former = new Map(Object.entries(names).map(([before, now]) => [now, before]));
  const kept = Object.entries(members).flatMap(([member, value]): [string, unknown][] =>
    omit.includes(member) ? [] : [[former.get(member) ?? member, value]],
  );
  return JSON.stringify(Object.fromEntries(kept));
}

/** The version that an endpoint receives: its own, or the current one if the release no longer has it. */
export function sentVersion({ version: current = 1, versions = {} }: BundleOutbound, version: number): number {
  return Object.hasOwn(versions, String(version)) ? version : current;
}

export function testBody(
  project: string,
  { id, at, version }: { readonly id: string; readonly at: string; readonly version: number },
): string {
  const actor = { kind: null, id: null };
  return JSON.stringify({
    id,
    name: TEST_EVENT,
    project,
    at,
    actor,
    request_id: null,
    version,
    record: null,
    old: null,
    data: null,
  });
}
