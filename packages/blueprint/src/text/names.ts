// Checks names. In: a name and what it names. Out: the problem, or null.
import { specialNames, withArticle } from "@plinth/expression";
import type { DiagnosticCode } from "./diagnostic.ts";

export interface NameProblem {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint: string | null;
}

export type NameKind =
  | "entity"
  | "plural"
  | "field"
  | "member"
  | "relation"
  | "check"
  | "exclusion"
  | "view"
  | "seed row"
  | "role"
  | "enum value";

const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/** Postgres allows 63 bytes; the compiler joins the names of a table and a column with a hash if they are longer. */
const lengthMax: Record<NameKind, number> = {
  entity: 48,
  plural: 52,
  field: 58,
  member: 58,
  relation: 58,
  check: 58,
  exclusion: 58,
  view: 58,
  "seed row": 58,
  role: 48,
  "enum value": 63,
};

const yamlWords: readonly string[] = ["yes", "no", "on", "off"];

/** Properties of every JavaScript object: as a key, each would be found although it was never set. */
const ofEveryObject: readonly string[] = Object.getOwnPropertyNames(Object.prototype);
const reservedEverywhere: ReadonlySet<string> = new Set(["true", "false", "null", ...ofEveryObject]);

/** Names with a meaning in rules. */
const reservedByRules: readonly string[] = [...specialNames, "in"];
/** Parameters of a list request: `?limit=10` could not be distinguished from a filter on a field `limit`. */
const reservedByRoutes: readonly string[] = ["limit", "cursor", "sort", "fields", "expand", "count", "q", "where"];
/** Columns that every Postgres table has. */
const reservedBySql: readonly string[] = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];

/** Records and tables of the modules; an entity with such a name or plural would hide them. */
const reservedEntities: readonly string[] = [
  "user",
  "users",
  "session",
  "sessions",
  "organization",
  "organizations",
  "membership",
  "memberships",
  "member",
  "members",
  "file",
  "files",
  "upload",
  "uploads",
  "audit_log",
  "audit_logs",
  "sequences",
  "outbox",
  "migration",
  "migrations",
  "signing_key",
  "signing_keys",
  "refresh_token",
  "refresh_tokens",
  "credential",
  "credentials",
];

export function checkName(name: string, kind: NameKind): NameProblem | null {
  if (yamlWords.includes(name.toLowerCase())) {
    return {
      code: "yaml_word",
      message: `Many YAML readers read \`${name}\` as true or false, so it can't name ${withArticle(kind)}.`,
      hint: "Use a longer word.",
    };
  }
  const foreign = lookalikeIn(name);
  if (foreign !== null) return foreign;
  if (reservedEverywhere.has(name)) return reserved(name, "It has a meaning of its own.");
  const shape = kind === "enum value" ? /^[A-Za-z][A-Za-z0-9_]*$/ : snakeCase;
  if (!shape.test(name) || name.length > lengthMax[kind]) return invalid(name, kind);
  if (kind === "field" || kind === "relation") {
    if (name === "id" || name === "version")
      return reserved(name, "Every record already has it: remove it, or choose another name.", "");
    if (reservedByRules.includes(name)) return reserved(name, "Rules use this word themselves.");
  }
  if (kind === "field") {
    if (reservedByRoutes.includes(name)) return reserved(name, "Every list request has a parameter with this name.");
    if (reservedBySql.includes(name)) return reserved(name, "Every table in the database has a column with this name.");
  }
  if ((kind === "entity" || kind === "plural") && reservedEntities.includes(name)) {
    return reserved(name, "The service has a record or table with this name.");
  }
  if ((kind === "entity" || kind === "plural") && name.startsWith("pg_"))
    return reserved(name, "The database reserves names that start with `pg_`.");
  return null;
}

/** Lower-case words joined by hyphens. */
export function checkProjectName(name: string): NameProblem | null {
  const foreign = lookalikeIn(name);
  if (foreign !== null) return foreign;
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) && name.length <= 48) return null;
  return {
    code: "invalid_name",
    message: `\`${cut(name)}\` is not a valid name for a project.`,
    hint: "Use lower-case words joined by hyphens, at most 48 characters: `parcel-desk`.",
  };
}

/** Cyrillic, Greek and full-width letters that look like a Latin one, and invisible characters. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  (
    [
      ["аɑα", "a"],
      ["ЬВΒ", "b"],
      ["сϲСС", "c"],
      ["ԁ", "d"],
      ["еЕΕ", "e"],
      ["ɡ", "g"],
      ["һНΗ", "h"],
      ["іıΙІι", "i"],
      ["јЈ", "j"],
      ["кΚКκ", "k"],
      ["ӏ", "l"],
      ["мМΜ", "m"],
      ["пΝ", "n"],
      ["оοОΟ", "o"],
      ["рρРΡ", "p"],
      ["ԛ", "q"],
      ["ѕЅ", "s"],
      ["тТΤτ", "t"],
      ["υս", "u"],
      ["ѵν", "v"],
      ["ԝ", "w"],
      ["хХΧχ", "x"],
      ["уУΥγ", "y"],
      ["ΖᴢZ", "z"],
    ] as const
  ).flatMap(([letters, latin]) => [...letters].map((letter) => [letter, latin] as const)),
);

/** A name with a letter that looks like one of a to z would be another name than the one that people read. */
function lookalikeIn(name: string): NameProblem | null {
  for (const character of name.slice(0, 200)) {
    const point = character.codePointAt(0) ?? 0;
    const fullWidth = point >= 0xff21 && point <= 0xff5a;
    const latin = fullWidth ? String.fromCodePoint(point - 0xfee0).toLowerCase() : lookalikes.get(character);
    const unseen = /[\p{Cf}\u00a0\u3164\u115f\u1160]/u.test(character);
    if (point < 128 || (latin === undefined && !unseen)) continue;
    const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
    return {
      code: "lookalike_name",
      message:
        latin === undefined
          ? `\`${cut(name)}\` contains an invisible character (${code}).`
          : `\`${cut(name)}\` contains \`${character}\` (${code}), which looks like \`${latin}\` but is another character.`,
      hint: "Type the name again, with the letters a to z.",
    };
  }
  return null;
}

function invalid(name: string, kind: NameKind): NameProblem {
  const rule =
    kind === "enum value"
      ? "Use letters, digits and `_`, starting with a letter"
      : "Use lower-case words joined by `_`";
  const better = name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "");
  const hint =
    snakeCase.test(better) && better !== name && better.length <= lengthMax[kind] ? ` Write \`${better}\`.` : "";
  return {
    code: "invalid_name",
    message: `\`${cut(name)}\` is not a valid name for ${withArticle(kind)}.`,
    hint: `${rule}, at most ${lengthMax[kind]} characters.${hint}`,
  };
}

function reserved(name: string, why: string, instead = " Choose another name."): NameProblem {
  return { code: "reserved_name", message: `\`${name}\` is a reserved name.`, hint: `${why}${instead}` };
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
