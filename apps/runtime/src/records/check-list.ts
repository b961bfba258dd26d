// Reads a body that is a list of records. In: bytes and the shape of one record. Out: each item as a checked body. Like
// `check-body.ts`, it knows neither callers nor releases, so that a separate thread can check large lists.
import { Fault, type FieldError, isUuid } from "@plinth/service";
import { type BodyChecker, type CheckedBody, checkMembers } from "./check-body.ts";
import { parseStrictJson } from "./strict-json.ts";

export interface ListedBody extends CheckedBody {
  /** The record that the item changes; null for a create, and if it names none. */
  readonly id: string | null;
  /** The version that the record must have; null if any is accepted. */
  readonly version: number | null;
}

/** Records that one request can write. */
export const RECORDS_MAX = 100;

/** @throws Fault `malformed_json`, `payload_too_large`, `validation_failed` (not a list, empty, or too long). */
export function checkList(checker: BodyChecker, kind: "create" | "update", bytes: Buffer): readonly ListedBody[] {
  const list = parseStrictJson(bytes);
  if (!Array.isArray(list)) throw refused("wrong_type", "It must be a list of records.");
  if (list.length === 0) throw refused("too_few", "It must contain at least 1 record.");
  if (list.length > RECORDS_MAX) throw refused("too_many", `It may contain at most ${RECORDS_MAX} records.`);
  return list.map((item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return wrong;
    const members = item as Readonly<Record<string, unknown>>;
    return kind === "create"
      ? { ...checkMembers(checker, members), id: null, version: null }
      : checkChange(checker, members);
  });
}

const wrong: ListedBody = {
  names: [],
  problems: [{ path: "", code: "wrong_type", message: "It must be an object." }],
  texts: new Map(),
  added: new Set(),
  id: null,
  version: null,
};

/** `id` names the record, and `version` one of its versions: neither is a value to write. */
function checkChange(checker: BodyChecker, members: Readonly<Record<string, unknown>>): ListedBody {
  const { id, version, ...fields } = members;
  const checked = checkMembers(checker, fields);
  const isRecord = typeof id === "string" && isUuid(id);
  const isVersion = version === undefined || (Number.isInteger(version) && (version as number) > 0);
  const problems: FieldError[] = [];
  if (id === undefined) problems.push({ path: "/id", code: "required", message: "A value is required." });
  else if (!isRecord) problems.push({ path: "/id", code: "invalid_format", message: "It must be the id of a record." });
  if (!isVersion) problems.push({ path: "/version", code: "wrong_type", message: "It must be the record's version." });
  return {
    ...checked,
    problems: [...problems, ...checked.problems],
    id: isRecord ? id.toLowerCase() : null,
    version: isVersion && version !== undefined ? (version as number) : null,
  };
}

function refused(code: string, message: string): Fault {
  return new Fault("validation_failed", { errors: [{ path: "", code, message }] });
}
