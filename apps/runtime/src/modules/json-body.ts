// Reads the body of a hand-written route. In: a request and the required shape. Out: typed data, or a Fault with every
// problem. It never coerces a value and never drops an unknown member.
import { Fault, type FieldError } from "@plinth/service";
import type { z } from "zod";
import type { Incoming, Reply } from "../http/contracts.ts";
import { requireJsonType } from "../http/json-type.ts";
import { parseStrictJson } from "../records/strict-json.ts";

/**
 * @param shape The expected shape, for the message about a body that is not an object, such as `{"operations": [...]}`.
 * @throws Fault unsupported_media_type, malformed_json, validation_failed.
 */
export function readBody<Body>(incoming: Incoming, schema: z.ZodType<Body>, shape?: string): Body {
  const body = readJson(incoming);
  if (shape !== undefined && (typeof body !== "object" || body === null || Array.isArray(body))) {
    const message = `It must be an object: ${shape}.`;
    throw new Fault("validation_failed", { errors: [{ path: "", code: "wrong_type", message }] });
  }
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) {
    const path = unstorablePath(body, "");
    if (path === null) return parsed.data;
    throw new Fault("validation_failed", { errors: [{ path, code: "invalid", message: UNSTORABLE }] });
  }
  const errors = parsed.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({
          path: `/${[...issue.path, key].map(String).join("/")}`,
          code: "unknown_field",
          message: "This field does not exist.",
        }))
      : [problemOf(issue)],
  );
  throw new Fault("validation_failed", { errors });
}

const UNSTORABLE = "It contains a character that can't be stored (NUL, or half of a surrogate pair).";

/** The path of a text that Postgres can't store; null if there is none. */
function unstorablePath(value: unknown, path: string): string | null {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0") ? null : path;
  if (value === null || typeof value !== "object") return null;
  for (const [name, member] of Object.entries(value)) {
    const found = unstorablePath(name, path) ?? unstorablePath(member, `${path}/${name}`);
    if (found !== null) return found;
  }
  return null;
}

/** With the same messages as for other bodies. */
export function problemOf(issue: z.core.$ZodIssue): FieldError {
  const path = issue.path.map((step) => `/${String(step)}`).join("");
  if (issue.code === "invalid_value") {
    return { path, code: "not_allowed", message: `It must be one of ${issue.values.map(String).join(", ")}.` };
  }
  if (issue.code === "invalid_type") {
    if (issue.input === undefined) return { path, code: "required", message: "A value is required." };
    return {
      path,
      code: "wrong_type",
      message: `It must be ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}.`,
    };
  }
  if (issue.code === "too_small")
    return { path, code: "invalid", message: boundText(issue, issue.minimum, "at least") };
  if (issue.code === "too_big") return { path, code: "invalid", message: boundText(issue, issue.maximum, "at most") };
  return { path, code: "invalid", message: issue.message };
}

const countedUnits: Readonly<Record<string, string>> = { string: "character", array: "item" };

/** A schema's own message stays. */
function boundText(
  { origin, message, inclusive = true }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  bound: number | bigint,
  words: "at least" | "at most",
): string {
  if (!inclusive || !/^Too (?:small|big): /.test(message)) return message;
  const unit = countedUnits[origin];
  if (unit !== undefined) return `It must have ${words} ${bound} ${unit}${Number(bound) === 1 ? "" : "s"}.`;
  return `It must be ${words} ${bound}.`;
}

function readJson(incoming: Incoming): unknown {
  return incoming.body === null || incoming.body.length === 0 ? {} : requireJson(incoming);
}

/** @throws Fault unsupported_media_type, malformed_json. */
export function requireJson(incoming: Incoming): unknown {
  if (incoming.body === null) throw new Fault("malformed_json", { detail: "The request has no body." });
  requireJsonType(incoming);
  return parseStrictJson(incoming.body);
}

/** A reply that no cache may store, because it is about one user. */
export function jsonReply(status: number, data: unknown): Reply {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: JSON.stringify({ data }),
  };
}
