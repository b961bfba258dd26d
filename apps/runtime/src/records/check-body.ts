// Turns the bytes of a body into the texts of its fields. In: bytes and their required shape. Out: texts and problems.
// It knows neither callers nor releases, so that a separate thread can check large bodies (body-threads.ts).
import type { BundleField } from "@plinth/bundle";
import { Fault, type FieldError } from "@plinth/service";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { isNumeric } from "../query/addition-names.ts";
import { arrayLiteral } from "../query/parameters.ts";
import { parseStrictJson } from "./strict-json.ts";
import { compileValidator, type Fields, problemsIn } from "./validators.ts";

/** The required shape of a body: plain data, so that it can be sent to a thread. */
export interface BodyShape {
  /** Equal for equal shapes. */
  readonly key: string;
  /** JSON Schema 2020-12. */
  readonly schema: object;
  readonly fields: readonly BundleField[];
}

/** A compiled shape, for many bodies. */
export interface BodyChecker {
  readonly validate: ValidateFunction;
  readonly fields: Fields;
}

export interface CheckedBody {
  /** The sent members, in their order. */
  readonly names: readonly string[];
  readonly problems: readonly FieldError[];
  /** Field > text for its parameter, for the members without a problem. */
  readonly texts: ReadonlyMap<string, string | null>;
  /** Those of them that are added to the field's value. */
  readonly added: ReadonlySet<string>;
}

const REFERENCES_MAX = 1_000;

export function createBodyChecker({ schema, fields }: Pick<BodyShape, "schema" | "fields">): BodyChecker {
  return { validate: compileValidator(schema), fields: new Map(fields.map((field) => [field.name, field])) };
}

/** @throws Fault `malformed_json`, `payload_too_large`, `validation_failed` (not an object). */
export function checkBody(checker: BodyChecker, bytes: Buffer): CheckedBody {
  return checkMembers(checker, objectOf(parseStrictJson(bytes)));
}

/** The same for an object that was never text, such as the values that a workflow's step writes. */
export function checkMembers({ validate, fields }: BodyChecker, body: Readonly<Record<string, unknown>>): CheckedBody {
  const names = Object.keys(body);
  const problems = [...problemsIn(validate, fields, body)];
  const wrong = new Set(problems.map(({ path }) => path.split("/", 2)[1]));
  const texts = new Map<string, string | null>();
  const added = new Set<string>();
  for (const name of names) {
    const field = fields.get(name);
    if (field === undefined || wrong.has(pointerOf(name))) continue;
    const value = body[name];
    if (field.join !== null && Array.isArray(value) && new Set(value).size > REFERENCES_MAX) {
      problems.push({ path: `/${name}`, code: "too_many", message: `It may contain at most ${REFERENCES_MAX} ids.` });
    } else if (isAddition(field, value)) {
      added.add(name);
      texts.set(name, toText(field, value.add));
    } else texts.set(name, toText(field, value));
  }
  return { names, problems, texts, added };
}

/** `{"add": 3}`, if the schema allows an object for a number. */
function isAddition({ sqlType }: BundleField, value: unknown): value is { readonly add: unknown } {
  return typeof value === "object" && value !== null && "add" in value && isNumeric(sqlType);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Fault("validation_failed", {
    errors: [{ path: "", code: "wrong_type", message: "It must be an object." }],
  });
}

function toText(field: BundleField, value: unknown): string | null {
  if (value === null) return null;
  // Without duplicates, because a pair exists once, however often it is named.
  if (field.join !== null)
    return arrayLiteral([...new Set((value as readonly string[]).map((id) => id.toLowerCase()))]);
  // A text in a field of any JSON is JSON too: `"7"` must not become 7.
  if (typeof value === "string" && field.sqlType !== "jsonb") {
    return field.sqlType === "uuid" ? value.toLowerCase() : value;
  }
  return JSON.stringify(value);
}

function pointerOf(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
