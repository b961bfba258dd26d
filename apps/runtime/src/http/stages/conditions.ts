// Conditional requests (RFC 9110, 13). In: headers, and a record as JSON text. Out: the versions that a write accepts,
// the ETag of a record, and whether the caller already has the record. The ETag begins with the version. A hash
// follows, so that a record counts as changed when a value changes that is computed from other records.
import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../../project/active-release.ts";
import { entityView } from "../../query/entity-view.ts";
import type { RouteMatch } from "../route-table.ts";

/** Our compiler puts these members at the end of each record. No value of the record can end like this. */
const tail = /"version":([0-9]{1,10})(?:,"created_by":(?:null|"[0-9a-f-]{36}"))?\}$/;
const TAIL_CHARS = 100;

/** `"<version>-<hash>"`; without the version if the reply doesn't show it. */
export function etagOf(json: string): string {
  const version = tail.exec(json.slice(-TAIL_CHARS))?.[1];
  const digest = hash("sha1", json, "base64url").slice(0, 16);
  return version === undefined ? `"${digest}"` : `"${version}-${digest}"`;
}

/** Whether the caller already has exactly this representation. */
export function isUnchanged({ "if-none-match": header }: IncomingHttpHeaders, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || (tag.startsWith("W/") ? tag.slice(2) : tag) === etag;
  });
}

const TAGS_MAX = 20;

/** Writes of one existing record. */
const conditional: ReadonlySet<string> = new Set(["update", "delete", "restore", "transition"]);

/** The versions in `If-Match`; null if the header is missing or accepts any version. @throws Fault 400, 428. */
export function versionsWanted(
  release: ActiveRelease,
  { entity, operation }: RouteMatch,
  { "if-match": header }: IncomingHttpHeaders,
): readonly number[] | null {
  if (!conditional.has(operation)) return null;
  if (header === undefined) {
    if (entityView(release, entity).entity.requireVersion !== true) return null;
    throw new Fault("precondition_required", {
      detail:
        "Send the record's ETag as If-Match, so that you don't overwrite another change; `*` accepts any version.",
    });
  }
  if (header.trim() === "*") return null;
  const tags = header.split(",", TAGS_MAX + 1);
  if (tags.length > TAGS_MAX) throw malformed(`If-Match may name at most ${TAGS_MAX} ETags.`);
  return tags.map((tag) => {
    const [, version] = /^\s*"([0-9]{1,9})-[\w-]{1,64}"\s*$/.exec(tag) ?? [];
    if (version === undefined) throw malformed('If-Match is `*`, or the ETag that came with the record: "3-Zx9a".');
    return Number(version);
  });
}

/** For an upsert: checks that the required record exists or is missing. @throws Fault `precondition_failed`. */
export function requireWanted(headers: IncomingHttpHeaders, isThere: boolean): void {
  if (isThere && headers["if-none-match"]?.trim() === "*") {
    throw new Fault("precondition_failed", { detail: "The record already exists." });
  }
  if (!isThere && headers["if-match"] !== undefined) {
    throw new Fault("precondition_failed", { detail: "The record does not exist." });
  }
}

function malformed(detail: string): Fault {
  return new Fault("bad_request", { detail });
}
