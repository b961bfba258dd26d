// In: the syntax of a blueprint. Out: its declarations. Knows which keys stand where, and refuses all others;
// never asks whether one declaration fits another (`check/` does).
import type {
  Declarations,
  EntityDeclaration,
  PermissionDeclaration,
  RoleDeclaration,
  RuleDeclaration,
} from "./declarations.ts";
import {
  describe,
  expectList,
  expectMap,
  expectText,
  expectWords,
  isBroken,
  notSupportedYet,
  type Reader,
  refuseKey,
} from "./expect.ts";
import { readField } from "./read-field.ts";
import { entryOf, type MapEntry, type MapNode, type Node, type Word, wordOf } from "./syntax.ts";

/** Sections that this version reads, and those that it only knows by name. */
export const servedSections: readonly string[] = ["project", "modules", "roles", "entities", "permissions"];
export const laterSections: readonly string[] = [
  "users",
  "rules",
  "workflows",
  "workers",
  "schedules",
  "events",
  "webhooks",
  "actions",
  "integrations",
  "storage",
  "api",
  "tests",
];

const entityKeys: readonly string[] = ["fields", "permissions", "plural", "unique"];
const laterEntityKeys: readonly string[] = [
  "index",
  "checks",
  "org_scoped",
  "soft_delete",
  "retention",
  "transitions",
  "seed",
  "audit",
  "realtime",
  "label",
  "help",
];

export function resolve(root: Node, reader: Reader): Declarations | null {
  const { report } = reader;
  if (root.kind !== "map") {
    if (root.kind === "scalar" && root.value === null) return null;
    report.add("wrong_kind", root.range, `A blueprint is a map that begins with \`project:\`, not ${describe(root)}.`);
    return null;
  }
  const permissions: PermissionDeclaration[] = [];
  let project: Word | null = null;
  let modules: Word[] = [];
  let roles: RoleDeclaration[] = [];
  let entities: EntityDeclaration[] = [];
  for (const entry of root.entries) {
    switch (entry.key.text) {
      case "project": {
        const name = expectText(reader, entry.value, "`project`");
        project = name === null ? null : wordOf(name);
        break;
      }
      case "modules": {
        const list = expectList(reader, entry.value, "`modules`");
        modules = list === null ? [] : expectWords(reader, list, "A module");
        break;
      }
      case "roles":
        roles = readRoles(reader, entry.value);
        break;
      case "entities":
        entities = mapEntries(reader, entry.value, "`entities`").flatMap((one) => readEntity(reader, one, permissions));
        break;
      case "permissions":
        for (const one of mapEntries(reader, entry.value, "`permissions`")) {
          readPermissions(reader, wordOf(one.key), one.value, "top", permissions);
        }
        break;
      default:
        if (!laterSections.includes(entry.key.text))
          refuseKey(reader, entry, "the blueprint", [...servedSections, ...laterSections], []);
    }
  }
  return { project, modules, roles, entities, permissions, sections: root.entries.map((entry) => wordOf(entry.key)) };
}

function mapEntries(reader: Reader, node: Node, what: string): readonly MapEntry[] {
  return expectMap(reader, node, what)?.entries ?? [];
}

function readRoles(reader: Reader, node: Node): RoleDeclaration[] {
  return mapEntries(reader, node, "`roles`").map((entry) => {
    const role: { name: Word; inherits: Word[] } = { name: wordOf(entry.key), inherits: [] };
    // `support:` alone is a role that inherits nothing.
    if (entry.value.kind === "scalar" && entry.value.value === null) return role;
    for (const option of mapEntries(reader, entry.value, "A role")) {
      if (option.key.text === "inherits") role.inherits = expectWords(reader, option.value, "`inherits`");
      else refuseKey(reader, option, "a role", ["inherits"], ["label", "help"]);
    }
    return role;
  });
}

/** An entity is long where its `fields` is a map; else it is the map of fields itself. */
function readEntity(reader: Reader, entry: MapEntry, permissions: PermissionDeclaration[]): EntityDeclaration[] {
  const name = wordOf(entry.key);
  const body = expectMap(reader, entry.value, `The entity \`${name.text}\``);
  if (body === null) return [];
  const fields = entryOf(body, "fields");
  if (fields?.value.kind !== "map") return [readShortEntity(reader, name, body)];
  const entity: { name: Word; fields: EntityDeclaration["fields"]; plural: Word | null; uniques: Word[][] } = {
    name,
    fields: fields.value.entries.map((field) => readField(reader, field)),
    plural: null,
    uniques: [],
  };
  for (const option of body.entries) {
    switch (option.key.text) {
      case "fields":
        break;
      case "plural": {
        const plural = expectText(reader, option.value, "`plural`");
        if (plural !== null) entity.plural = wordOf(plural);
        break;
      }
      case "unique":
        entity.uniques = readUniques(reader, option.value);
        break;
      case "permissions":
        readPermissions(reader, name, option.value, "entity", permissions);
        break;
      default:
        refuseKey(reader, option, "an entity", entityKeys, laterEntityKeys);
    }
  }
  return [entity];
}

function readShortEntity(reader: Reader, name: Word, body: MapNode): EntityDeclaration {
  const fields = body.entries.flatMap((entry) => {
    const misplaced =
      entry.value.kind === "map" && entryOf(entry.value, "type") === undefined && entityKeys.includes(entry.key.text);
    if (!misplaced) return [readField(reader, entry)];
    reader.report.add(
      "fields_missing",
      entry.key.range,
      `\`${entry.key.text}\` stands among the fields of \`${name.text}\`.`,
      "An entity with options writes its fields under `fields:`.",
    );
    return [];
  });
  return { name, fields, plural: null, uniques: [] };
}

/** `[a, b]` is one constraint over both, `[[a, b], [c]]` are two. */
function readUniques(reader: Reader, node: Node): Word[][] {
  const list = expectList(reader, node, "`unique`");
  if (list === null) return [];
  if (list.items.some((item) => item.kind === "list"))
    return list.items.map((item) => expectWords(reader, item, "`unique`"));
  return [expectWords(reader, list, "`unique`")];
}

function readPermissions(
  reader: Reader,
  entity: Word,
  node: Node,
  place: "entity" | "top",
  into: PermissionDeclaration[],
): void {
  for (const role of mapEntries(reader, node, "`permissions`")) {
    for (const operation of mapEntries(reader, role.value, `What \`${role.key.text}\` may do`)) {
      const rules = readRules(reader, operation);
      if (rules === null) continue;
      into.push({
        entity,
        role: wordOf(role.key),
        operation: wordOf(operation.key),
        rules,
        place,
        range: operation.key.range,
      });
    }
  }
}

function readRules(reader: Reader, operation: MapEntry): RuleDeclaration[] | null {
  const { report } = reader;
  const node = operation.value;
  if (node.kind === "map") {
    notSupportedYet(
      report,
      operation.key.range,
      "the long form of a rule",
      "Write `true`, an expression, or a list of them.",
    );
    return null;
  }
  const items = node.kind === "list" ? node.items : [node];
  if (items.length === 0) {
    report.add(
      "invalid_rule",
      node.range,
      "The list of rules is empty.",
      "Leave the operation out: what is not granted is denied.",
    );
    return null;
  }
  const rules: RuleDeclaration[] = [];
  let complete = true;
  for (const item of items) {
    const rule = readRule(reader, item);
    if (rule === null) complete = false;
    else rules.push(rule);
  }
  return complete ? rules : null;
}

function readRule({ report, source }: Reader, node: Node): RuleDeclaration | null {
  if (isBroken(node)) return null;
  if (node.kind !== "scalar" || node.value === null) {
    report.add(
      "invalid_rule",
      node.range,
      `A rule is \`true\`, \`false\`, an expression or a list of them, not ${describe(node)}.`,
    );
    return null;
  }
  const comment = node.style === "plain" ? /^[ \t]+#.*/.exec(source.slice(node.range.end)) : null;
  if (comment !== null) {
    const start = node.range.end + comment[0].indexOf("#");
    report.add(
      "yaml_comment_in_rule",
      { start, end: node.range.end + comment[0].length },
      "YAML takes what stands behind ` #` for a comment: the rule ends before it.",
      "Put the comment on a line of its own, or the whole rule in quotes.",
    );
    return null;
  }
  return { source: typeof node.value === "boolean" ? node.value : node.text, scalar: node };
}
