// Reads a request that writes several records. In: query string and body. Out: the mode, and an item for each record:
// the write, or the reason why it is refused. All problems of all items are found before anything is written.
import { Fault, isUuid } from "@plinth/service";
import { entityView } from "../../query/entity-view.ts";
import type { FieldValues } from "../../query/run.ts";
import { checkList, type ListedBody, RECORDS_MAX } from "../../records/check-list.ts";
import { checkerOf, shapeOf } from "../../records/checkers.ts";
import { type BodyContext, decodeCreate, decodeUpdate } from "../../records/decode-body.ts";
import type { BodyThreads } from "../body/body-threads.ts";
import type { Incoming } from "../contracts.ts";
import { requireJsonType } from "../json-type.ts";
import type { RouteMatch } from "../route-table.ts";
import { LARGE_BYTES } from "./check-body.ts";

export type ManyOperation = "create" | "update" | "delete";

/** `all`: all or none, in one transaction. `each`: each by itself. */
type ManyMode = "all" | "each";

export type ManyItem =
  | {
      readonly kind: "write";
      readonly recordId: string;
      readonly values: FieldValues;
      readonly generated: ReadonlyMap<string, string>;
      readonly version: number | null;
    }
  | { readonly kind: "refused"; readonly fault: Fault };

export interface ManyCall {
  readonly operation: ManyOperation;
  readonly mode: ManyMode;
  /** A dry run. */
  readonly isTried: boolean;
  readonly items: readonly ManyItem[];
}

export interface ManyContext extends BodyContext {
  readonly bodyThreads: BodyThreads;
  readonly newRecordId: () => string;
}

const nothing = new Map<string, string>();

/** Null if the request writes one record. */
export function manyOf({ operation }: RouteMatch, { body }: Pick<Incoming, "body">): ManyOperation | null {
  if (operation === "update_many") return "update";
  if (operation === "delete_many") return "delete";
  return operation === "create" && body !== null && isList(body) ? "create" : null;
}

/** Decides by the first character that is not white space. */
function isList(body: Buffer): boolean {
  let at = 0;
  while (at < body.length && (body[at] === 0x20 || (body[at]! >= 0x09 && body[at]! <= 0x0d))) at++;
  return body[at] === 0x5b;
}

/** @throws Fault 400, 413, 415, 422 (no list, or too long), 503. */
export async function readMany(
  context: ManyContext,
  entity: string,
  operation: ManyOperation,
  incoming: Incoming,
): Promise<ManyCall> {
  if (incoming.headers["if-match"] !== undefined) {
    throw new Fault("bad_request", {
      detail:
        "If-Match only works for one record. In a list, each item has its own `version`; a delete of several records takes none.",
    });
  }
  const query = queryOf(incoming, operation === "delete" ? ["mode", "dry_run", "id[in]"] : ["mode", "dry_run"]);
  const isTried = triedBy(query.get("dry_run") ?? "false");
  const mode = query.get("mode") ?? "all";
  if (mode !== "all" && mode !== "each")
    throw malformed("mode", "It must be `all` (all or none) or `each` (each by itself).");
  if (isTried && mode === "each") throw malformed("dry_run", "It needs `mode=all`: a dry run is all or nothing.");
  if (operation === "delete") {
    if (incoming.body !== null) throw new Fault("bad_request", { detail: "This route takes no body." });
    return { operation, mode, isTried, items: deletesOf(context, entity, query.get("id[in]") ?? "") };
  }
  const bodies = await bodiesOf(context, entity, operation, incoming);
  const seen = new Set<string>();
  const items = bodies.map((body): ManyItem => {
    try {
      if (operation === "create") {
        const recordId = context.newRecordId();
        return { kind: "write", recordId, ...decodeCreate(context, entity, recordId, body), version: null };
      }
      const recordId = body.id ?? "";
      if (seen.has(recordId) && body.id !== null) throw repeated("/id");
      seen.add(recordId);
      requireVersion(context, entity, body.version);
      const values = decodeUpdate(context, entity, recordId, body);
      return { kind: "write", recordId, values, generated: nothing, version: body.version };
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      return { kind: "refused", fault };
    }
  });
  return { operation, mode, isTried, items };
}

async function bodiesOf(
  { bodyThreads, release }: ManyContext,
  entity: string,
  kind: "create" | "update",
  incoming: Incoming,
): Promise<readonly ListedBody[]> {
  const { body } = incoming;
  if (body === null) throw new Fault("malformed_json", { detail: "The request has no body." });
  requireJsonType(incoming);
  return body.length > LARGE_BYTES
    ? bodyThreads.checkList(release.projectId, shapeOf(release, entity, kind), kind, body)
    : checkList(checkerOf(release, entity, kind), kind, body);
}

function deletesOf(context: ManyContext, entity: string, list: string): readonly ManyItem[] {
  const ids = list === "" ? [] : list.split(",", RECORDS_MAX + 1);
  if (ids.length === 0 || ids.length > RECORDS_MAX) {
    throw malformed("id[in]", `Name 1 to ${RECORDS_MAX} records by their ids, separated by commas.`);
  }
  requireVersion(context, entity, null);
  const seen = new Set<string>();
  return ids.map((each): ManyItem => {
    const recordId = each.toLowerCase();
    // As in a path, a text that is not an id names no record.
    if (!isUuid(recordId)) return { kind: "refused", fault: new Fault("not_found") };
    if (seen.has(recordId)) return { kind: "refused", fault: repeated("") };
    seen.add(recordId);
    return { kind: "write", recordId, values: nothing, generated: nothing, version: null };
  });
}

function requireVersion({ release }: ManyContext, entity: string, version: number | null): void {
  if (version !== null || entityView(release, entity).entity.requireVersion !== true) return;
  throw new Fault("precondition_required", {
    detail:
      "Send the `version` of each record, so that you don't overwrite another change. Delete such records one by one.",
  });
}

function repeated(path: string): Fault {
  return new Fault("validation_failed", {
    errors: [{ path, code: "repeated", message: "The list names this record twice." }],
  });
}

function queryOf({ query }: Incoming, known: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const path = name.slice(0, 64);
    if (!known.includes(name)) {
      const message = `This route takes ${known.map((each) => `\`${each}\``).join(" and ")} alone.`;
      throw new Fault("unknown_parameter", { errors: [{ path, code: "unknown_parameter", message }] });
    }
    if (found.has(name)) throw malformed(path, "The parameter is given more than once.");
    found.set(name, value);
  }
  return found;
}

function triedBy(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw malformed("dry_run", "It must be true or false.");
}

function malformed(path: string, message: string): Fault {
  return new Fault("bad_request", { detail: message, errors: [{ path, code: "invalid", message }] });
}
