// Collects unique constraints and indexes. In: what an entity declares, at its fields and as a whole. Out: lists of
// field names.
import type { EntityDeclaration, FieldDeclaration } from "../../declarations/declarations.ts";
import { typeTraits } from "../../field-types/type-traits.ts";
import type { Field } from "../../model/model.ts";
import { USER_ENTITY } from "../../modules/users.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Range, Word } from "../../text/syntax.ts";

type FieldLists = readonly (readonly string[])[];

/** Postgres doesn't allow more columns in an index. */
const FIELDS_OF_ONE_MAX = 32;

interface KnownFields {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly broken: ReadonlySet<string>;
  readonly orgField: string | null;
  readonly report: Report;
}

/** The declarations of an entity. Users only have those of their fields. */
interface DeclaredKeys {
  readonly fields: readonly FieldDeclaration[];
  readonly options: Pick<EntityDeclaration["options"], "uniques" | "indexes">;
}

export function checkUniques(declared: DeclaredKeys, known: KnownFields): FieldLists {
  const ofFields = declared.fields.flatMap((field) => field.uniqueWith.map((others) => [field.name, ...others]));
  return checkLists([...ofFields, ...declared.options.uniques], "unique", new Map(), known);
}

/** A unique constraint already has an index. */
export function checkIndexes(declared: DeclaredKeys, uniques: FieldLists, known: KnownFields): FieldLists {
  const ofFields = declared.fields.filter((field) => field.marks.has("index")).map((field) => [field.name]);
  const taken = new Map(uniques.map((names) => [names.join(" "), names]));
  return checkLists([...ofFields, ...declared.options.indexes], "index", taken, known);
}

function checkLists(
  lists: readonly (readonly Word[])[],
  what: "unique" | "index",
  taken: ReadonlyMap<string, readonly string[]>,
  known: KnownFields,
): FieldLists {
  const result = new Map<string, readonly string[]>();
  for (const words of lists) {
    const names = words.map((word, index) =>
      index > 0 && isOrganization(word, known) ? orgFieldOf(known) : word.text,
    );
    if (!words.every((word, index) => checkMember(word, names[index] ?? null, what, known)) || words.length === 0)
      continue;
    const fields = names.flatMap((name) => name ?? []);
    const range: Range = words.at(-1)?.range ?? { start: 0, end: 0 };
    // The order of fields matters for an index, but not for a constraint.
    const key = (what === "unique" ? [...fields].sort() : fields).join(" ");
    if (new Set(fields).size < fields.length || result.has(key) || taken.has(fields.join(" "))) {
      const over = fields.map((name) => `\`${name}\``).join(", ");
      known.report.add("duplicate_value", range, `\`${what}\` over ${over} is redundant.`, "Remove one of them.");
    } else if (fields.length > FIELDS_OF_ONE_MAX) {
      known.report.add("too_many", range, `\`${what}\` can have at most ${FIELDS_OF_ONE_MAX} fields.`);
    } else result.set(key, fields);
  }
  return [...result.values()];
}

/** `unique(org)`: within one organization. If there is a field with that name, it means the field. */
function isOrganization(word: Word, { fields }: KnownFields): boolean {
  return word.text === "org" && !fields.has("org");
}

function orgFieldOf({ orgField, fields }: KnownFields): string | null {
  if (orgField !== null) return orgField;
  const references = [...fields.values()].filter((field) => field.type.kind === "org_ref");
  return references.length === 1 ? (references[0]?.name ?? null) : null;
}

/** `name` is null if the records have no organization. */
function checkMember(word: Word, name: string | null, what: "unique" | "index", known: KnownFields): boolean {
  const { report } = known;
  if (name === null) {
    const hint =
      known.name === USER_ENTITY
        ? "A user can belong to several organizations, or to none."
        : "Add `org_scoped: true` to the entity, or a field of the type `org_ref`.";
    report.add(
      "misplaced_modifier",
      word.range,
      "`unique(org)` can't be used here: these records belong to no organization.",
      hint,
    );
    return false;
  }
  if (known.broken.has(name)) return false;
  const field = known.fields.get(name);
  if (field === undefined) {
    const hint = suggestFor(name, known.fields.keys(), report);
    report.add("unknown_field", word.range, `\`${known.name}\` has no field \`${name}\`.`, hint);
    return false;
  }
  if (typeTraits[field.type.kind].keyed) return true;
  const why = `\`${name}\` has the type \`${field.type.kind}\`, which can't be indexed.`;
  report.add("misplaced_modifier", word.range, `\`${what}\` can't be used here: ${why}`);
  return false;
}
