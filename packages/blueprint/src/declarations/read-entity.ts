// Reads one entry of `entities`, in the long or short form. In: its syntax. Out: its declaration, and its permissions,
// which are added to all others. It knows the keys of an entity; `check/entities/entities.ts` checks whether they fit
// together.

import { entryOf, type MapEntry, type MapNode, type Node, rangeWithin, type Word, wordOf } from "../text/syntax.ts";
import type { EntityDeclaration, PermissionDeclaration, ViewDeclaration } from "./declarations.ts";
import type {
  EntityOptions,
  ExclusionDeclaration,
  Flag,
  SeedDeclaration,
  TextDeclaration,
} from "./entity-declaration.ts";
import {
  describe,
  expectBoolean,
  expectList,
  expectMap,
  expectText,
  expectWords,
  type Reader,
  refuseKey,
} from "./expect.ts";
import { readField } from "./read-field.ts";
import { readPermissions, readRule } from "./read-permissions.ts";
import { readTransitions } from "./read-transitions.ts";
import { readViews } from "./read-views.ts";

const entityKeys: readonly string[] = [
  "fields",
  "permissions",
  "transitions",
  "was",
  "plural",
  "unique",
  "index",
  "checks",
  "exclude",
  "lock",
  "org_scoped",
  "soft_delete",
  "retention",
  "seed",
  "views",
  "audit",
  "realtime",
  "require_version",
  "label",
  "help",
];

const noOptions: EntityOptions = {
  was: null,
  plural: null,
  uniques: [],
  indexes: [],
  checks: [],
  exclusions: [],
  lock: null,
  orgScoped: null,
  softDelete: null,
  retention: null,
  seed: [],
  audit: null,
  realtime: null,
  requireVersion: null,
  label: null,
  help: null,
};

/** An entity has the long form if its `fields` is a map; otherwise it is the map of fields itself. */
export function readEntity(
  reader: Reader,
  entry: MapEntry,
  permissions: PermissionDeclaration[],
  views: ViewDeclaration[] = [],
): EntityDeclaration[] {
  const name = wordOf(entry.key);
  const body = expectMap(reader, entry.value, `The entity \`${name.text}\``);
  if (body === null) return [];
  const fields = entryOf(body, "fields") ?? foreignFields(reader, body);
  if (fields !== undefined && isShapeless(fields, body)) {
    reader.report.add("wrong_kind", fields.key.range, "`fields` must be a map of fields.", hintForFields(fields.value));
    return [];
  }
  if (fields?.value.kind !== "map") return [readShortEntity(reader, name, body)];
  let transitions: EntityDeclaration["transitions"] = [];
  const options: { -readonly [Key in keyof EntityOptions]: EntityOptions[Key] } = { ...noOptions };
  for (const option of body.entries) {
    switch (option.key.text) {
      case fields.key.text:
        break;
      case "transitions":
        transitions = readTransitions(reader, option.value);
        break;
      case "permissions":
        readPermissions(reader, name, option.value, "entity", permissions);
        break;
      case "views":
        views.push(...readViews(reader, option.value, name));
        break;
      default:
        if (entityKeys.includes(option.key.text)) Object.assign(options, readOption(reader, option));
        else refuseKey(reader, option, "an entity", entityKeys, []);
    }
  }
  return [{ name, fields: fields.value.entries.map((field) => readField(reader, field)), options, transitions }];
}

/** `columns:` and similar keys, if they contain what belongs in `fields`. */
function foreignFields(reader: Reader, body: MapNode): MapEntry | undefined {
  const found = body.entries.find(
    ({ key, value }) => ["columns", "attributes", "properties"].includes(key.text) && value.kind === "map",
  );
  if (found === undefined || (found.value.kind === "map" && entryOf(found.value, "type") !== undefined))
    return undefined;
  refuseKey(reader, found, "an entity", entityKeys, []);
  return found;
}

/** Whether `fields` is meant as the section but contains no map: a list, or a line without indentation. */
function isShapeless({ value }: MapEntry, body: MapNode): boolean {
  if (value.kind === "list") return true;
  if (value.kind !== "scalar" || value.broken) return false;
  const hasOptions = body.entries.some((one) => one.key.text !== "fields" && entityKeys.includes(one.key.text));
  return value.value === null ? hasOptions || body.entries.length > 1 : /^\w+:\S/.test(value.text);
}

function hintForFields(value: Node): string {
  if (value.kind === "list") return "Write each field as `name: type`, without `-`: `title: string`.";
  return value.kind === "scalar" && value.value !== null
    ? `Add a space after the colon: \`${value.text.slice(0, 60).replace(":", ": ")}\`.`
    : "Indent the fields below it by two more spaces.";
}

function readShortEntity(reader: Reader, name: Word, body: MapNode): EntityDeclaration {
  const fields = body.entries.flatMap((entry) => {
    const misplaced =
      entry.value.kind !== "scalar" &&
      !(entry.value.kind === "map" && entryOf(entry.value, "type") !== undefined) &&
      entityKeys.includes(entry.key.text);
    if (!misplaced) return [readField(reader, entry)];
    reader.report.add(
      "fields_missing",
      entry.key.range,
      `\`${entry.key.text}\` is an option of the entity, but it is listed among the fields of \`${name.text}\`.`,
      "If an entity has options, write its fields under `fields:`.",
    );
    return [];
  });
  return { name, fields, options: noOptions, transitions: [] };
}

function readOption(reader: Reader, { key, value }: MapEntry): Partial<EntityOptions> {
  const what = `\`${key.text}\``;
  switch (key.text) {
    case "was":
    case "plural":
    case "lock":
    case "retention":
    case "audit":
    case "label":
    case "help": {
      const scalar = expectText(reader, value, what);
      return scalar === null ? {} : { [key.text]: wordOf(scalar) };
    }
    case "unique":
      return { uniques: readFieldLists(reader, value, what) };
    case "index":
      return { indexes: readFieldLists(reader, value, what) };
    case "org_scoped":
      return { orgScoped: readFlag(reader, key.range, value, what) };
    case "soft_delete":
      return { softDelete: readFlag(reader, key.range, value, what) };
    case "realtime":
      return { realtime: readFlag(reader, key.range, value, what) };
    case "require_version":
      return { requireVersion: readFlag(reader, key.range, value, what) };
    case "checks":
      return { checks: checksOf(reader, value, what).flatMap((entry) => readCheck(reader, entry)) };
    case "exclude":
      return { exclusions: exclusionsOf(reader, key.range, value).flatMap((entry) => readExclusion(reader, entry)) };
    case "seed":
      return { seed: readSeed(reader, value) };
    default:
      return {};
  }
}

function readFlag(reader: Reader, range: Word["range"], node: Node, what: string): Flag | null {
  const value = expectBoolean(reader, node, what);
  return value === null ? null : { value, range };
}

/** `[a, b]` is one constraint over both, `[[a, b], [c]]` are two. */
function readFieldLists(reader: Reader, node: Node, what: string): Word[][] {
  const list = expectList(reader, node, what);
  if (list === null) return [];
  if (list.items.some((item) => item.kind === "list")) return list.items.map((item) => expectWords(reader, item, what));
  return [expectWords(reader, list, what)];
}

function checksOf(reader: Reader, node: Node, what: string): readonly MapEntry[] {
  return expectMap(reader, node, what, "Give each check a name: `in_order: starts_at <= ends_at`.")?.entries ?? [];
}

function readCheck(reader: Reader, { key, value }: MapEntry): EntityOptions["checks"] {
  const condition = readCondition(reader, value, "A check");
  return condition === null ? [] : [{ name: wordOf(key), condition }];
}

function readCondition(reader: Reader, value: Node, what: string): TextDeclaration | null {
  const rule = readRule(reader, value);
  if (rule === null) return null;
  const { scalar } = rule;
  if (typeof rule.source !== "string") {
    reader.report.add("invalid_rule", scalar.range, `${what} must be an expression, not ${describe(scalar)}.`);
    return null;
  }
  const rangeAt = (start: number, end: number): Word["range"] => rangeWithin(scalar, reader.source, start, end);
  return { text: scalar.text, range: scalar.range, rangeAt };
}

const exclusionKeys: readonly string[] = ["same", "overlap", "where"];

/** If an exclusion has its options in the place of its name, this is reported once. */
function exclusionsOf(reader: Reader, range: Word["range"], node: Node): readonly MapEntry[] {
  const hint = "Write `exclude: { no_overlap: { same: [room_id], overlap: [starts_at, ends_at] } }`.";
  const entries = expectMap(reader, node, "`exclude`", hint)?.entries ?? [];
  const isUnnamed = entries.some(({ key, value }) => exclusionKeys.includes(key.text) && value.kind !== "map");
  if (!isUnnamed) return entries;
  reader.report.add("wrong_kind", range, "Each entry of `exclude` needs a name.", hint);
  return [];
}

function readExclusion(reader: Reader, { key, value }: MapEntry): ExclusionDeclaration[] {
  const name = wordOf(key);
  const body = expectMap(
    reader,
    value,
    `\`${name.text}\``,
    "Write `{ same: [room_id], overlap: [starts_at, ends_at] }`.",
  );
  if (body === null) return [];
  let [same, overlap]: Word[][] = [[], []];
  let where: TextDeclaration | null = null;
  for (const option of body.entries) {
    switch (option.key.text) {
      case "same":
        same = expectWords(reader, option.value, "`same`");
        break;
      case "overlap":
        overlap = expectWords(reader, option.value, "`overlap`");
        break;
      case "where":
        where = readCondition(reader, option.value, "`where`");
        if (where === null) return [];
        break;
      default:
        refuseKey(reader, option, "an entry of `exclude`", exclusionKeys, []);
    }
  }
  return [{ name, same: same ?? [], overlap: overlap ?? [], where }];
}

/** A list of rows, or a map of rows by name. */
function readSeed(reader: Reader, node: Node): SeedDeclaration[] {
  if (node.kind === "map") return node.entries.flatMap(({ key, value }) => readSeedRow(reader, wordOf(key), value));
  return (expectList(reader, node, "`seed`")?.items ?? []).flatMap((item) => readSeedRow(reader, null, item));
}

function readSeedRow(reader: Reader, name: Word | null, node: Node): SeedDeclaration[] {
  const row = expectMap(reader, node, "A row of `seed`");
  if (row === null) return [];
  const values = row.entries.map(({ key, value }) => ({ field: wordOf(key), value }));
  return [{ name, values, range: name?.range ?? row.range }];
}
