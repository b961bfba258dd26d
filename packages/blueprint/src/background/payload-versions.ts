// Reads `webhooks.out.versions`. In: its syntax. Out: the differences between earlier payload versions and the current
// one. No member of the current version has a name that an earlier version uses for something else, so nothing is
// overwritten.
import { expectMap, expectWords, refuseKey } from "../declarations/expect.ts";
import type { JsonValue } from "../model/model.ts";
import { suggestFor } from "../text/suggestions.ts";
import type { MapEntry, Node, Word } from "../text/syntax.ts";
import { wordOf } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";

const versionKeys: readonly string[] = ["names", "omit"];
export const VERSION_MAX = 1_000;
const VERSIONS_MAX = 20;

/** Version > entity or declared event > differences. @param current The version that endpoints receive by default. */
export function readVersions(context: BackgroundContext, node: Node, current: number): JsonValue | null {
  const { report } = context.reader;
  const map = expectMap(
    context.reader,
    node,
    "`versions`",
    "For example `versions: { 1: { order: { names: { total: amount } } } }`.",
  );
  if (map === null) return null;
  const over = map.entries[VERSIONS_MAX];
  if (over !== undefined)
    report.add("too_many", over.key.range, `A blueprint can have at most ${VERSIONS_MAX} earlier versions.`);
  const versions: Record<string, JsonValue> = {};
  for (const { key, value } of map.entries.slice(0, VERSIONS_MAX)) {
    const number = Number(key.text);
    if (!/^\d{1,4}$/.test(key.text) || number < 1 || number >= current) {
      const hint = `Earlier versions are whole numbers smaller than \`version\`, which is ${current}.`;
      report.add("invalid_option", key.range, `\`${key.text}\` is not an earlier version.`, hint);
      continue;
    }
    const subjects = expectMap(
      context.reader,
      value,
      `Version ${key.text}`,
      "List the entities and declared events that were different in this version.",
    );
    const differing = (subjects?.entries ?? []).flatMap((entry): [string, JsonValue][] => {
      const read = readSubject(context, entry);
      return read === null ? [] : [[entry.key.text, read]];
    });
    versions[String(number)] = Object.fromEntries(differing.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return versions;
}

function readSubject(context: BackgroundContext, { key, value }: MapEntry): JsonValue | null {
  const { reader } = context;
  const members = membersOf(wordOf(key), context);
  const map = expectMap(reader, value, `\`${key.text}\``, "For example `{ names: { total: amount }, omit: [note] }`.");
  if (members === null || map === null) return null;
  const names: Record<string, JsonValue> = {};
  let omit: readonly string[] = [];
  for (const option of map.entries) {
    if (option.key.text === "names") {
      for (const one of expectMap(
        reader,
        option.value,
        "`names`",
        "Write the name in this version first, then the field: `total: amount`.",
      )?.entries ?? []) {
        const [field] = expectWords(reader, one.value, "A field");
        if (field === undefined || !isMember(field, members, key.text, context)) continue;
        if (members.has(one.key.text)) {
          const message = `\`${key.text}\` still has a field \`${one.key.text}\`.`;
          reader.report.add(
            "invalid_option",
            one.key.range,
            message,
            "Use the name from the earlier version, which no field has today.",
          );
        } else names[one.key.text] = field.text;
      }
    } else if (option.key.text === "omit") {
      const words = expectWords(reader, option.value, "`omit`");
      omit = words.filter((word) => isMember(word, members, key.text, context)).map((word) => word.text);
    } else refuseKey(reader, option, "a version", versionKeys, []);
  }
  return { names, omit: [...new Set(omit)].sort() };
}

/** The fields of the entity, or of the declared event's data. */
function membersOf(
  { text, range }: Word,
  { entities, payloads, reader }: BackgroundContext,
): ReadonlySet<string> | null {
  const fields = entities.get(text)?.entity.fields ?? payloads.get(text);
  if (fields !== undefined) return new Set(fields.map((field) => field.name));
  const hint = suggestFor(text, [...entities.keys(), ...payloads.keys()], reader.report);
  reader.report.add("unknown_entity", range, `\`${text}\` is neither an entity nor a declared event.`, hint);
  return null;
}

function isMember(word: Word, members: ReadonlySet<string>, subject: string, { reader }: BackgroundContext): boolean {
  if (members.has(word.text)) return true;
  const hint = suggestFor(word.text, members, reader.report);
  reader.report.add("unknown_field", word.range, `\`${subject}\` has no field \`${word.text}\`.`, hint);
  return false;
}
