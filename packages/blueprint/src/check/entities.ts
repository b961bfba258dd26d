// In: the declared entities. Out: entities without permissions, implicit fields written out, plurals known.
import { didYouMean, relationName } from "@plinth/expression";
import pluralize from "pluralize";
import type { EntityDeclaration } from "../declarations.ts";
import type { Entity, Field, FieldType, ModuleName } from "../model.ts";
import { checkName } from "../names.ts";
import type { Report } from "../report.ts";
import type { Range, Word } from "../syntax.ts";
import { checkField, plainField } from "./fields.ts";

/** Postgres allows 1600 columns, updated rows of fewer; a form or a table view is lost long before. */
const FIELDS_MAX = 300;
const ENTITIES_MAX = 500;

export interface CheckedEntity {
  readonly entity: Omit<Entity, "permissions">;
  /** Fields whose declaration is wrong: rules that name them are not blamed. */
  readonly brokenFields: ReadonlySet<string>;
}

export function checkEntities(
  declared: readonly EntityDeclaration[],
  modules: ReadonlySet<ModuleName>,
  report: Report,
): readonly CheckedEntity[] {
  const over = declared[ENTITIES_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `A blueprint has at most ${ENTITIES_MAX} entities.`);
  const names = new Set(declared.map((one) => one.name.text));
  const checked = declared.map((one) => checkEntity(one, names, modules, report));
  refuseCollisions(declared, checked, report);
  return checked;
}

function checkEntity(
  declared: EntityDeclaration,
  entities: ReadonlySet<string>,
  modules: ReadonlySet<ModuleName>,
  report: Report,
): CheckedEntity {
  const name = declared.name.text;
  const nameIsFine = checkNamed(declared.name, "entity", report);
  if (declared.fields.length === 0) {
    report.add(
      "fields_missing",
      declared.name.range,
      `The entity \`${name}\` has no fields.`,
      "Give it at least one: `title: string`.",
    );
  }
  const over = declared.fields[FIELDS_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `An entity has at most ${FIELDS_MAX} fields.`);
  const fields: Field[] = [];
  const brokenFields = new Set<string>();
  for (const one of declared.fields) {
    const fieldNameIsFine = checkNamed(one.name, "field", report);
    const field = checkField(one, { entities, modules, report });
    if (field === null || !fieldNameIsFine) brokenFields.add(one.name.text);
    if (field !== null && field !== "not_served") fields.push(field);
    if (field === "not_served") brokenFields.add(one.name.text);
  }
  refuseRelationCollisions(declared, fields, report);
  const all = withImplicitFields(fields);
  return {
    entity: {
      name,
      was: null,
      plural: pluralOf(declared, nameIsFine, report),
      fields: all,
      uniques: checkUniques(declared, all, brokenFields, report),
      indexes: [],
      checks: [],
      relations: [],
      orgField: null,
      softDelete: false,
      retentionDays: null,
      stateMachine: null,
      seed: [],
      audit: "writes",
      realtime: false,
      label: null,
      help: null,
    },
    brokenFields,
  };
}

function checkNamed(word: Word, kind: "entity" | "plural" | "field", report: Report): boolean {
  const problem = checkName(word.text, kind);
  if (problem !== null) report.add(problem.code, word.range, problem.message, problem.hint);
  return problem === null;
}

function pluralOf(declared: EntityDeclaration, nameIsFine: boolean, report: Report): string {
  const { name, plural } = declared;
  if (plural !== null) {
    checkNamed(plural, "plural", report);
    return plural.text;
  }
  const words = name.text.split("_");
  const last = words.pop() ?? "";
  if (nameIsFine && pluralize.isPlural(last) && !pluralize.isSingular(last)) {
    const singular = [...words, pluralize.singular(last)].join("_");
    report.add(
      "entity_not_singular",
      name.range,
      `An entity's name is a singular noun; \`${name.text}\` looks like a plural.`,
      `Write \`${singular}\`, or give \`plural:\` to keep it.`,
    );
  }
  const made = [...words, pluralize.plural(last)].join("_");
  if (nameIsFine) checkNamed({ text: made, range: name.range }, "plural", report);
  return made;
}

/** The route of one entity is its plural, and its singular an alias: no two entities may share any of them. */
function refuseCollisions(
  declared: readonly EntityDeclaration[],
  checked: readonly CheckedEntity[],
  report: Report,
): void {
  const owners = new Map<string, string>(declared.map((one) => [one.name.text, one.name.text]));
  for (const [index, { entity }] of checked.entries()) {
    const word = declared[index]?.plural ?? declared[index]?.name;
    const owner = owners.get(entity.plural);
    if (owner !== undefined && owner !== entity.name && word !== undefined) {
      report.add(
        "plural_collision",
        word.range,
        `The plural \`${entity.plural}\` of \`${entity.name}\` is already taken by \`${owner}\`.`,
        "Give one of them another name with `plural:`.",
      );
    } else owners.set(entity.plural, entity.name);
  }
}

/** `listing_id: ref(listing)` can be written `listing` in rules: a field of that name would be hidden by it, or hide it. */
function refuseRelationCollisions(declared: EntityDeclaration, fields: readonly Field[], report: Report): void {
  for (const field of fields) {
    const relation = relationName(field.name);
    if (relation === field.name || !isReference(field.type)) continue;
    const other = declared.fields.find((one) => one.name.text === relation);
    if (other !== undefined) {
      report.add(
        "relation_collision",
        other.name.range,
        `\`${relation}\` is also the name of the relation behind \`${field.name}\`.`,
        "Rename one of the two fields.",
      );
    }
  }
}

function isReference(type: FieldType): boolean {
  return type.kind === "ref" || type.kind === "user_ref";
}

function withImplicitFields(declared: readonly Field[]): readonly Field[] {
  const implicit = (name: string, type: FieldType, rest: Partial<Field>): Field => ({
    ...plainField(name, type),
    writer: "service",
    declared: false,
    ...rest,
  });
  const own = new Set(declared.map((field) => field.name));
  const standing = [
    implicit(
      "created_by",
      { kind: "user_ref", onDelete: "set_null" },
      { optional: true, default: { kind: "current_user_id" } },
    ),
    implicit("created_at", { kind: "datetime" }, { default: { kind: "now" } }),
    implicit("updated_at", { kind: "datetime" }, { default: { kind: "now" } }),
  ];
  return [
    implicit("id", { kind: "uuid" }, {}),
    ...declared,
    ...standing.filter((field) => !own.has(field.name)),
    implicit("version", { kind: "int" }, { default: { kind: "literal", value: 1 } }),
  ];
}

function checkUniques(
  declared: EntityDeclaration,
  fields: readonly Field[],
  broken: ReadonlySet<string>,
  report: Report,
): readonly (readonly string[])[] {
  const ofFields = declared.fields.flatMap((field) => field.uniqueWith.map((others) => [field.name, ...others]));
  const uniques = new Map<string, readonly string[]>();
  for (const words of [...ofFields, ...declared.uniques]) {
    const names = words.map((word) => word.text);
    let fine = words.length > 0;
    for (const word of words) {
      if (word.text === "org" && word !== words[0] && !fields.some((field) => field.name === "org")) {
        report.add("not_supported_yet", word.range, "`unique(org)` is not supported yet.");
        fine = false;
      } else if (!fields.some((field) => field.name === word.text)) {
        fine = false;
        if (!broken.has(word.text)) unknownField(word, declared.name.text, fields, report);
      }
    }
    const range: Range | undefined = words.at(-1)?.range;
    const key = [...names].sort().join(" ");
    if (range !== undefined && (new Set(names).size < names.length || uniques.has(key))) {
      report.add(
        "duplicate_value",
        range,
        `\`unique\` over ${names.map((name) => `\`${name}\``).join(", ")} says something twice.`,
        "Remove one of them.",
      );
      fine = false;
    }
    if (fine) uniques.set(key, names);
  }
  return [...uniques.values()];
}

function unknownField(word: Word, entity: string, fields: readonly Field[], report: Report): void {
  const hint = didYouMean(
    word.text,
    fields.map((field) => field.name),
  );
  report.add("unknown_field", word.range, `\`${entity}\` has no field \`${word.text}\`.`, hint);
}
