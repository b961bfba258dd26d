// Checks the names of entities and fields. In: the entities. Out: plurals, and a diagnostic if two things have the same
// name. `relations.ts` names relations to many.
import { relationName } from "@plinth/expression";
import pluralize from "pluralize";
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { FieldDeclaration } from "../../declarations/entity-declaration.ts";
import type { Field } from "../../model/model.ts";
import { targetOf } from "../../rules/expression-schema.ts";
import { checkName, type NameKind } from "../../text/names.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";
import type { EntityDraft } from "./entity-draft.ts";
import type { CheckedOptions } from "./entity-options.ts";
import { implicitNames } from "./implicit-fields.ts";

/** Whether it can be used as a name. Reports why not. */
export function checkWord(word: Word, kind: NameKind, report: Report): boolean {
  const problem = checkName(word.text, kind);
  if (problem !== null) report.add(problem.code, word.range, problem.message, problem.hint);
  return problem === null;
}

export function pluralOf({ name, options }: EntityDeclaration, nameIsFine: boolean, report: Report): string {
  const { plural } = options;
  if (plural !== null) {
    checkWord(plural, "plural", report);
    return plural.text;
  }
  const words = name.text.split("_");
  const last = words.pop() ?? "";
  // No word of a language is that long, and the patterns of the library are too slow for longer texts.
  if (!nameIsFine || last.length > 48) return `${name.text}s`;
  if (pluralize.isPlural(last) && !pluralize.isSingular(last)) {
    const singular = [...words, pluralize.singular(last)].join("_");
    report.shouldBeCalled(singular);
    report.add(
      "entity_not_singular",
      name.range,
      `The name of an entity must be a singular noun, but \`${name.text}\` looks like a plural.`,
      `Write \`${singular}\`, or add \`plural:\` to keep this name.`,
    );
  }
  const pluralName = [...words, pluralize.plural(last)].join("_");
  checkWord({ text: pluralName, range: name.range }, "plural", report);
  return pluralName;
}

/** The plural of an entity is its route, and the singular an alias. No two entities can share any of these names. */
export function checkPlurals(drafts: readonly EntityDraft[], report: Report): void {
  const owners = new Map(drafts.map(({ entity }) => [entity.name, entity.name]));
  for (const { entity, declared } of drafts) {
    const owner = owners.get(entity.plural);
    if (owner === undefined || owner === entity.name) {
      owners.set(entity.plural, entity.name);
      continue;
    }
    report.add(
      "plural_collision",
      (declared.options.plural ?? declared.name).range,
      `The plural \`${entity.plural}\` of \`${entity.name}\` is already used by \`${owner}\`.`,
      "Give one of the two another plural with `plural:`.",
    );
  }
}

/** `was` must name an entity that no longer exists, and that no other entity names. */
export function checkFormerNames(drafts: readonly EntityDraft[], report: Report): void {
  const names = new Set(drafts.map(({ entity }) => entity.name));
  const claimed = new Map<string, string>();
  for (const { entity, declared } of drafts) {
    const { was } = declared.options;
    if (was === null) continue;
    refuseFormer(was, entity.name, names, claimed, "entity", report);
  }
}

/**
 * The names of fields that are not renamed. A renamed field leaves its name to another one, in a chain or an exchange.
 */
export function unrenamed(fields: readonly FieldDeclaration[]): readonly string[] {
  return fields.filter(({ name, was }) => was === null || was.text === name.text).map(({ name }) => name.text);
}

/**
 * A name that still exists can't be the former name of another field, and only one field can have it as its former
 * name.
 */
export function refuseFormer(
  was: Word,
  now: string,
  unchanged: ReadonlySet<string>,
  claimed: Map<string, string>,
  kind: "entity" | "field",
  report: Report,
): void {
  const shape = checkName(was.text, kind);
  const other = claimed.get(was.text);
  claimed.set(was.text, now);
  const why =
    was.text === now
      ? `the ${kind} already has this name.`
      : unchanged.has(was.text)
        ? `\`${was.text}\` still exists.`
        : other !== undefined
          ? `\`${other}\` has the same \`was\`.`
          : null;
  if (shape !== null && shape.code !== "reserved_name") report.add(shape.code, was.range, shape.message, shape.hint);
  else if (why !== null) {
    const hint =
      was.text !== now && unchanged.has(was.text)
        ? `Rename it in one change, and declare the new \`${was.text}\` in the next one.`
        : "`was` names what this was called in the previous version of the blueprint.";
    report.add("misplaced_modifier", was.range, `\`was\` can't be used here: ${why}`, hint);
  }
}

/** Names that the fields of one entity pass on to each other, and names that nothing else can have. */
export function checkFieldNames(
  declared: EntityDeclaration,
  fields: EntityDraft["fields"],
  options: CheckedOptions,
  broken: ReadonlySet<string>,
  report: Report,
): void {
  refuseRelationCollisions(declared, fields, options.orgField, report);
  const unchanged = new Set([...unrenamed(declared.fields), ...implicitNames(options)]);
  const claimed = new Map<string, string>();
  for (const { field, declared: one } of fields) {
    if (one.was !== null && one.was.text !== field.name)
      refuseFormer(one.was, field.name, unchanged, claimed, "field", report);
    if (field.type.kind === "slug" && field.type.from !== null) refuseSlugSource(declared, fields, one, broken, report);
  }
  const deleted = options.softDelete ? declared.fields.find((one) => one.name.text === "deleted_at") : undefined;
  if (deleted !== undefined) {
    const hint = "With `soft_delete`, the service stores the time of the delete under this name. Choose another name.";
    report.add("reserved_name", deleted.name.range, "`deleted_at` is a reserved name.", hint);
  }
}

/** `listing_id: ref(listing)` can be written as `listing` in rules, so a field with that name would be ambiguous. */
function refuseRelationCollisions(
  declared: EntityDeclaration,
  fields: EntityDraft["fields"],
  orgField: string | null,
  report: Report,
): void {
  const names = new Map(declared.fields.map((one) => [one.name.text, one]));
  const references = fields.flatMap(({ field }) => (targetOf(field.type) === null ? [] : [field.name]));
  for (const reference of new Set([...references, ...(orgField === null ? [] : [orgField])])) {
    const relation = relationName(reference);
    const other = relation === reference ? undefined : names.get(relation);
    if (other === undefined) continue;
    report.add(
      "relation_collision",
      other.name.range,
      `\`${relation}\` is also the name of the relation behind \`${reference}\`.`,
      "Rename one of the two.",
    );
  }
}

const sluggable: readonly Field["type"]["kind"][] = ["string", "text", "email", "sequence"];

function refuseSlugSource(
  declared: EntityDeclaration,
  fields: EntityDraft["fields"],
  slug: FieldDeclaration,
  broken: ReadonlySet<string>,
  report: Report,
): void {
  const [from] = slug.type?.args ?? [];
  if (from === undefined || broken.has(from.text)) return;
  const source = fields.find((one) => one.field.name === from.text)?.field;
  if (source === undefined) {
    const known = fields.map((one) => one.field.name);
    const hint = suggestFor(from.text, known, report);
    report.add("unknown_field", from.range, `\`${declared.name.text}\` has no field \`${from.text}\`.`, hint);
  } else if (!sluggable.includes(source.type.kind)) {
    const message = `A slug can't be made from \`${from.text}\`, of the type \`${source.type.kind}\`.`;
    report.add("invalid_field", from.range, message, "A slug can only be made from a `string` or a `text`.");
  } else if (source.internal) {
    report.add(
      "invalid_field",
      from.range,
      `A slug made from \`${from.text}\` would reveal the value of an \`internal\` field.`,
    );
  }
}
