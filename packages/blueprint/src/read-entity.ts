// In: one entry of `entities`, long or short. Out: its declaration, its permissions among all others'.
// Knows which keys an entity has; whether they fit each other is checked in `check/entities.ts`.
import type { EntityDeclaration, PermissionDeclaration } from "./declarations.ts";
import { expectList, expectMap, expectText, expectWords, type Reader, refuseKey } from "./expect.ts";
import { readField } from "./read-field.ts";
import { readPermissions } from "./read-permissions.ts";
import { readTransitions } from "./read-transitions.ts";
import { entryOf, type MapEntry, type MapNode, type Node, type Word, wordOf } from "./syntax.ts";

const entityKeys: readonly string[] = ["fields", "permissions", "plural", "unique", "transitions"];
const laterEntityKeys: readonly string[] = [
  "index",
  "checks",
  "org_scoped",
  "soft_delete",
  "retention",
  "seed",
  "audit",
  "realtime",
  "label",
  "help",
];

/** An entity is long where its `fields` is a map; else it is the map of fields itself. */
export function readEntity(reader: Reader, entry: MapEntry, permissions: PermissionDeclaration[]): EntityDeclaration[] {
  const name = wordOf(entry.key);
  const body = expectMap(reader, entry.value, `The entity \`${name.text}\``);
  if (body === null) return [];
  const fields = entryOf(body, "fields");
  if (fields?.value.kind !== "map") return [readShortEntity(reader, name, body)];
  const entity: {
    name: Word;
    fields: EntityDeclaration["fields"];
    plural: Word | null;
    uniques: Word[][];
    transitions: EntityDeclaration["transitions"];
  } = {
    name,
    fields: fields.value.entries.map((field) => readField(reader, field)),
    plural: null,
    uniques: [],
    transitions: [],
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
      case "transitions":
        entity.transitions = readTransitions(reader, option.value);
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
  return { name, fields, plural: null, uniques: [], transitions: [] };
}

/** `[a, b]` is one constraint over both, `[[a, b], [c]]` are two. */
function readUniques(reader: Reader, node: Node): Word[][] {
  const list = expectList(reader, node, "`unique`");
  if (list === null) return [];
  if (list.items.some((item) => item.kind === "list"))
    return list.items.map((item) => expectWords(reader, item, "`unique`"));
  return [expectWords(reader, list, "`unique`")];
}
