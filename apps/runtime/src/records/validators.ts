// Checks bodies against the bundle's JSON Schemas. In: a parsed body and its entity's schema. Out: every problem at
// once. It never coerces a value and never drops a field. It doesn't know the release, because a separate thread runs
// it as well.
import type { BundleField } from "@plinth/bundle";
import type { FieldError } from "@plinth/service";
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { isNumeric } from "../query/addition-names.ts";
import { formOf } from "../query/reading/value-forms.ts";
import { didYouMean } from "../query/suggest.ts";

const ERRORS_MAX = 100;
/** Longer ones don't help anybody. */
const PATTERN_SHOWN_MAX = 60;

export type Fields = ReadonlyMap<string, BundleField>;

/**
 * Our compiler writes the schemas. Checking them against the schema of schemas would take ten times as long as
 * compiling them.
 */
const options: Options = {
  allErrors: true,
  coerceTypes: false,
  removeAdditional: false,
  strict: false,
  verbose: true,
  // 0.0003 is a multiple of 0.0001, but not by a double's division.
  multipleOfPrecision: 6,
  validateSchema: false,
  meta: false,
};

/** @param schema JSON Schema 2020-12 of an object. */
export function compileValidator(schema: object): ValidateFunction {
  // A separate instance: a shared one would keep every schema that it has ever compiled.
  return new Ajv2020(options).compile(schema);
}

/** Problems with a body; none if it is valid. */
export function problemsIn(validate: ValidateFunction, fields: Fields, body: unknown): readonly FieldError[] {
  return validate(body) ? [] : perField(validate.errors ?? [], fields);
}

/** One problem per field: if there are several, the first specific one. */
function perField(errors: readonly ErrorObject[], fields: Fields): readonly FieldError[] {
  const problems = new Map<string, FieldError>();
  for (const error of errors) {
    const problem = toFieldError(error, fields);
    const known = problems.get(problem.path);
    if (known === undefined || known.code === "invalid") problems.set(problem.path, problem);
    if (problems.size >= ERRORS_MAX) break;
  }
  return [...problems.values()];
}

function toFieldError(error: ErrorObject, fields: Fields): FieldError {
  const path = error.instancePath;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "required":
      return { path: pointer(path, params.missingProperty), code: "required", message: "A value is required." };
    case "additionalProperties": {
      const name = String(params.additionalProperty);
      const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {});
      const shown = path === "" && fields.get(name)?.hidden === false;
      const message = shown
        ? "It can't be sent, because the service writes it."
        : `This field does not exist.${didYouMean(name, known)}`;
      return { path: pointer(path, name), code: "unknown_field", message };
    }
    case "type":
      return { path, code: "wrong_type", message: typeMessage(error, fieldAt(path, fields)) };
    case "enum": {
      const allowed = (params.allowedValues as readonly unknown[]).filter((value) => value !== null).map(String);
      const hint = typeof error.data === "string" ? didYouMean(error.data, allowed) : "";
      return { path, code: "not_allowed", message: `It must be one of ${allowed.join(", ")}.${hint}` };
    }
    case "const":
      return { path, code: "not_allowed", message: `It must be ${String(params.allowedValue)}.` };
    case "maxItems":
      return { path, code: "too_many", message: `It may contain at most ${String(params.limit)}.` };
    case "minItems":
      return { path, code: "too_few", message: `It must contain at least ${String(params.limit)}.` };
    case "uniqueItems":
      return { path, code: "repeated", message: "It contains a value twice." };
    case "multipleOf":
      return { path, code: "too_precise", message: `It must be a multiple of ${String(params.multipleOf)}.` };
    case "maxLength":
      return { path, code: "too_long", message: `It may have at most ${characters(params.limit)}.` };
    case "minLength":
      return { path, code: "too_short", message: `It must have at least ${characters(params.limit)}.` };
    case "minimum":
    case "maximum":
      return {
        path,
        code: "out_of_range",
        message: `It must be ${String(params.comparison)} ${String(params.limit)}.`,
      };
    case "pattern":
    case "format":
      return { path, code: "invalid_format", message: formatMessage(error, fieldAt(path, fields)) };
    default:
      return { path, code: "invalid", message: "The value is not valid." };
  }
}

/** Also for a value that is added to a field: `/stock/add`. */
function fieldAt(path: string, fields: Fields): BundleField | undefined {
  const name = path.slice(1);
  const added = fields.get(name.replace(/\/add$/, ""));
  return fields.get(name) ?? (added !== undefined && isNumeric(added.sqlType) ? added : undefined);
}

/** If a number was sent instead of a text, the message shows the text form: `12.50` for an amount, as a string. */
function typeMessage(error: ErrorObject, field: BundleField | undefined): string {
  const types = typesIn(error.parentSchema);
  if (isAddition(error.data) && field !== undefined && isNumeric(field.sqlType) && !types.includes("object")) {
    return "Only an update or a transition can add to a number. Send the number itself.";
  }
  const form = error.data === null ? null : formIn(error, field);
  const add = isAddable(error.parentSchema)
    ? `, or {"add": ${field?.wire === "string" ? '"1"' : "1"}} to add to it`
    : "";
  if (form !== null) return `${form.replace(/\.$/, "")}, as a string${add}.`;
  return `It must be ${listed(add === "" ? types : types.filter((type) => type !== "object"))}${add}.`;
}

type Schema = ErrorObject["parentSchema"];

function typesIn(schema: Schema): readonly string[] {
  return [schema?.["type"]].flat().map(String);
}

/** Whether the schema only takes an object as `{"add": n}`. */
function isAddable(schema: Schema): boolean {
  const isObject = typesIn(schema).every((type) => type === "object" || type === "null");
  const properties: unknown = schema?.["properties"];
  return !isObject && typeof properties === "object" && properties !== null && "add" in properties;
}

function isAddition(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).join() === "add";
}

/** The notation of a value, as a sentence; null if neither the schema nor the column defines one. */
function formIn({ parentSchema }: ErrorObject, field: BundleField | undefined): string | null {
  const said: unknown = parentSchema?.["description"];
  if (typeof said === "string") return `It must be ${said.charAt(0).toLowerCase()}${said.slice(1)}`;
  return field === undefined ? null : formOf(field);
}

function characters(count: unknown): string {
  return count === 1 ? "1 character" : `${String(count)} characters`;
}

/** Texts that Postgres can't store fail the pattern of any text. All other patterns belong to a format. */
function formatMessage(error: ErrorObject, field: BundleField | undefined): string {
  if (typeof error.data === "string" && (error.data.includes("\0") || !error.data.isWellFormed())) {
    return "It contains a character that can't be stored (NUL, or half of a surrogate pair).";
  }
  const form = formIn(error, field);
  if (form !== null) return form;
  const pattern = String(error.schema);
  const shown = pattern.length <= PATTERN_SHOWN_MAX ? `: ${pattern}` : "";
  return `It does not have the form of this field's type${shown}.`;
}

function listed(types: readonly string[]): string {
  return types.map((name) => (name === "null" ? "null" : `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`)).join(" or ");
}

/** RFC 6901. */
function pointer(path: string, name: unknown): string {
  return `${path}/${String(name).slice(0, 128).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
