// Reads the body of a batch. In: JSON. Out: its operations, whose references name earlier results, or all problems with
// them.
import { Fault, type FieldError } from "@plinth/service";
import { z } from "zod";
import type { Incoming } from "../../http/contracts.ts";
import { readBody } from "../json-body.ts";

export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query string; `{name.field}` is replaced by a value from the result of an earlier operation. */
  readonly path: string;
  readonly body?: unknown;
  /** The name of its result for later operations. */
  readonly as?: string | undefined;
  readonly if_match?: string | undefined;
}

const OPERATIONS_MAX = 100;
const operation = z.strictObject({
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: z
    .string()
    .max(2_048)
    .regex(/^\/(?:api|v1\/resources)\//, "It must begin with /api/ or /v1/resources/."),
  body: z.unknown().optional(),
  as: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, "It must be a name, such as order_1.")
    .optional(),
  if_match: z.string().max(2_000).optional(),
});
const batch = z.strictObject({
  operations: z.array(operation).min(1).max(OPERATIONS_MAX),
  dry_run: z.boolean().optional(),
});

export interface Batch {
  readonly operations: readonly Operation[];
  /** A dry run. */
  readonly isTried: boolean;
}

const inPath = /\{([^{}]*)\}/g;
const target = /^([a-z_][a-z0-9_]{0,62})\.([a-z_][a-z0-9_]{0,62}(?:\.[a-z_][a-z0-9_]{0,62}){0,7})$/;

/** @throws Fault `malformed_json`, `validation_failed`. */
export function readBatch(incoming: Incoming): Batch {
  const { operations, dry_run: isTried = false } = readBody(incoming, batch, '{"operations": [...]}');
  const named = new Set<string>();
  const errors: FieldError[] = [];
  for (const [at, { path, body, as }] of operations.entries()) {
    const wrong = (where: string, message: string): void => {
      errors.push({ path: `/operations/${at}/${where}`, code: "invalid", message });
    };
    for (const [, text = ""] of path.matchAll(inPath)) {
      const problem = problemOf(text, named);
      if (problem !== null) wrong("path", problem);
    }
    eachReference(body, "body", (text, where) => {
      const problem = problemOf(text, named);
      if (problem !== null) wrong(where, problem);
    });
    if (as === undefined) continue;
    if (named.has(as)) wrong("as", "Another operation has this name.");
    named.add(as);
  }
  if (errors.length > 0) throw new Fault("validation_failed", { errors: errors.slice(0, 100) });
  return { operations, isTried };
}

function problemOf(text: string, named: ReadonlySet<string>): string | null {
  const [, name] = target.exec(text) ?? [];
  if (name === undefined) return "It must name an operation and a field of its result, such as order.id.";
  return named.has(name) ? null : `No earlier operation is called ${name}.`;
}

/** `{"$ref": "order.id"}` is a reference; `{"$value": ...}` is always the value in it, whatever it looks like. */
function referenceIn(value: object): string | null {
  const [[name, text] = [], more] = Object.entries(value);
  return name === "$ref" && more === undefined && typeof text === "string" ? text : null;
}

function isLiteral(value: object): value is { readonly $value: unknown } {
  return "$value" in value && Object.keys(value).length === 1;
}

function eachReference(value: unknown, where: string, found: (text: string, where: string) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) eachReference(item, `${where}/${at}`, found);
    return;
  }
  const reference = referenceIn(value);
  if (reference !== null) found(reference, where);
  else if (!isLiteral(value)) {
    for (const [name, member] of Object.entries(value)) eachReference(member, `${where}/${name}`, found);
  }
}

/** Name > record. */
export type Results = ReadonlyMap<string, unknown>;

/** The body with its references resolved. @throws Fault `validation_failed` (a result without such a field). */
export function withResults(value: unknown, results: Results): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withResults(item, results));
  const reference = referenceIn(value);
  if (reference !== null) return resultOf(reference, results, "/body");
  if (isLiteral(value)) return value.$value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withResults(member, results)]));
}

/** The path with its references resolved, percent-encoded. @throws Fault like `withResults`. */
export function pathWith(path: string, results: Results): string {
  return path.replaceAll(inPath, (_, text: string) => {
    const value = resultOf(text, results, "/path");
    if (typeof value === "object") throw missing(text, "/path");
    return encodeURIComponent(String(value));
  });
}

function resultOf(text: string, results: Results, path: string): unknown {
  const [name = "", ...steps] = text.split(".");
  let value = results.get(name);
  for (const step of steps) {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, step);
    if (!isThere) throw missing(text, path);
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

function missing(text: string, path: string): Fault {
  const message = `${text} has no value: the operation returned none.`;
  return new Fault("validation_failed", { errors: [{ path, code: "no_value", message }] });
}
