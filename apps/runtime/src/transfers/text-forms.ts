// Checks values whose form no column type or check covers: e-mail addresses, phone numbers, members of objects. In:
// lines of rows. Out: which of them are refused, and why. The same JSON Schemas check the bodies of the API.
import type { BundleField } from "@plinth/bundle";
import { readCopyValue } from "@plinth/postgres";
import type { FieldError } from "@plinth/service";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { emailAddress } from "../modules/email-address.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Derivation, derived } from "../project/derived.ts";
import type { EntityView } from "../query/entity-view.ts";
import { compileValidator, problemsIn } from "../records/validators.ts";
import type { ImportTarget } from "./import-target.ts";

export interface LineRefusal {
  /** From 1 on. */
  readonly line: number;
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

type Judge = (value: string) => Pick<FieldError, "code" | "message"> | null;

interface JudgedColumn {
  /** Its position in a line, after the key and the hash. */
  readonly at: number;
  readonly field: string;
  readonly judge: Judge;
}

/** Any text that Postgres can store, which the column's type already checks. */
const PLAIN_TEXT = "^[^\\x00\\p{Cs}]*$";
/** The measured size of a compiled schema with its source and its scope. */
const JUDGE_BYTES = 5_000;

export function judgeForms(release: ActiveRelease, target: ImportTarget, rows: string): readonly LineRefusal[] {
  const columns = target.mapped.flatMap((field, at): JudgedColumn[] => {
    const judge = judgeOf(release, target.view, field);
    return judge === null ? [] : [{ at: at + 2, field: field.name, judge }];
  });
  if (columns.length === 0) return [];
  const refusals: LineRefusal[] = [];
  let line = 0;
  for (let start = 0; start < rows.length; ) {
    const found = rows.indexOf("\n", start);
    const end = found === -1 ? rows.length : found;
    line++;
    const values = rows.slice(start, end).split("\t");
    for (const { at, field, judge } of columns) {
      const value = readCopyValue(values[at] ?? "\\N");
      const problem = value === null ? null : judge(value);
      if (problem === null) continue;
      refusals.push({ line, field, code: problem.code, message: problem.message });
      break;
    }
    start = end + 1;
  }
  return refusals;
}

const judges: Derivation<{ readonly compiled: Map<string, Judge | null>; readonly grow: (bytes: number) => void }> = {
  name: "judges of imported values",
  make: (_, grow) => ({ compiled: new Map(), grow }),
};

function judgeOf(release: ActiveRelease, view: EntityView, field: BundleField): Judge | null {
  const { compiled, grow } = derived(release, judges);
  const key = `${view.entity.name}.${field.name}`;
  let judge = compiled.get(key);
  if (judge === undefined) {
    judge = makeJudge(view, field);
    compiled.set(key, judge);
    if (judge !== null) grow(JUDGE_BYTES);
  }
  return judge;
}

function makeJudge(view: EntityView, field: BundleField): Judge | null {
  if (view.entity.name === "user" && field.name === "email") return judgeEmail;
  const schema = view.entity.createSchema as {
    readonly properties?: Readonly<Record<string, { readonly pattern?: string; readonly $ref?: string }>>;
    readonly $defs?: object;
  };
  const property = schema.properties?.[field.name];
  if (property === undefined) return null;
  const isText = field.sqlType === "text" && property.pattern !== undefined && property.pattern !== PLAIN_TEXT;
  const isObject = field.sqlType === "jsonb" && property.$ref === undefined;
  if (!isText && !isObject) return null;
  const { $defs = {} } = schema;
  const validate = compileValidator({ type: "object", properties: { [field.name]: property }, $defs });
  const parse = isText ? (value: string) => value : JSON.parse;
  return (value) => problemOf(validate, view, field.name, parse, value);
}

function problemOf(
  validate: ValidateFunction,
  view: EntityView,
  name: string,
  parse: (value: string) => unknown,
  value: string,
): ReturnType<Judge> {
  let parsed: unknown;
  try {
    parsed = parse(value);
  } catch {
    return { code: "wrong_type", message: "It must be JSON." };
  }
  return problemsIn(validate, view.fields, { [name]: parsed })[0] ?? null;
}

const judgeEmail: Judge = (value) => {
  const { success, error } = emailAddress.safeParse(value);
  return success
    ? null
    : { code: "invalid_format", message: error.issues[0]?.message ?? "It is not an e-mail address." };
};
