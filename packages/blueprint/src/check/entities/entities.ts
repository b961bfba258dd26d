// Checks the declared entities. In: their declarations. Out: entities without permissions and transitions, with
// implicit fields, plurals and relations. First it checks each entity alone, then conflicts between them.
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { Field, ModuleName } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";
import { checkFields } from "../fields/fields.ts";
import { type CheckedComputed, checkComputed } from "./computed.ts";
import type { CheckedEntity, EntityDraft } from "./entity-draft.ts";
import { checkFieldNames, checkFormerNames, checkPlurals, checkWord, pluralOf } from "./entity-names.ts";
import { type CheckedOptions, checkOptions } from "./entity-options.ts";
import { checkExclusions } from "./exclusions.ts";
import { withImplicitFields } from "./implicit-fields.ts";
import { checkLock } from "./lock.ts";
import { refuseReferenceCircles } from "./reference-circles.ts";
import { checkRelations } from "./relations.ts";
import { checkNamedChecks, type NamedRules } from "./row-expressions.ts";
import { checkSeeds } from "./seed.ts";
import { checkIndexes, checkUniques } from "./uniques.ts";

/** Postgres allows 1600 columns, and fewer for updated rows; a form or a table view becomes unusable long before. */
const FIELDS_MAX = 300;
const ENTITIES_MAX = 500;

export interface EntitiesContext {
  readonly modules: ReadonlySet<ModuleName>;
  /** Profile fields of users. */
  readonly userFields: readonly Field[];
  readonly named: NamedRules;
  readonly report: Report;
}

export function checkEntities(
  declared: readonly EntityDeclaration[],
  context: EntitiesContext,
): readonly CheckedEntity[] {
  const { report } = context;
  const over = declared[ENTITIES_MAX];
  if (over !== undefined)
    report.add("too_many", over.name.range, `A blueprint can have at most ${ENTITIES_MAX} entities.`);
  const names = new Set(declared.map((one) => one.name.text));
  const open = declared.map((one) => openEntity(one, names, context));
  checkPlurals(open, report);
  checkFormerNames(open, report);
  refuseReferenceCircles(open, report);
  const relations = checkRelations(open, context.userFields, report);
  const computed = checkComputed(open, { ...context, relations });
  const drafts = open.map((draft) => complete(draft, computed.get(draft.entity.name), context));
  const seeds = checkSeeds(drafts, report);
  return drafts.map(({ entity, brokenFields }) => ({
    entity: { ...entity, relations: relations.get(entity.name) ?? [], seed: seeds.get(entity.name) ?? [] },
    brokenFields,
  }));
}

/** The parts of an entity that need no other entity. */
function openEntity(
  declared: EntityDeclaration,
  entities: ReadonlySet<string>,
  { modules, report }: EntitiesContext,
): EntityDraft {
  const { name } = declared;
  const nameIsFine = checkWord(name, "entity", report);
  refuseNumberOfFields(declared, report);
  const { fields, broken } = checkFields(declared.fields, { entities, modules, report });
  const options = checkOptions(declared, fields, modules, report);
  checkFieldNames(declared, fields, options, broken, report);
  refuseOrganizationOfNone(fields, options, report);
  const entity: EntityDraft["entity"] = {
    name: name.text,
    plural: pluralOf(declared, nameIsFine, report),
    was: declared.options.was?.text ?? null,
    fields: withImplicitFields(
      fields.map((one) => one.field),
      options,
    ),
    uniques: [],
    indexes: [],
    checks: [],
    relations: [],
    stateMachine: null,
    seed: [],
    ...options,
  };
  return { entity, brokenFields: broken, declared, fields };
}

/** With options that name fields, when all fields are known. */
function complete(
  { entity, brokenFields, declared, fields }: EntityDraft,
  computed: CheckedComputed | undefined,
  { named, report }: EntitiesContext,
): EntityDraft {
  const known = entity.fields.map((field) => computed?.found.get(field.name) ?? field);
  const broken = new Set([...brokenFields, ...(computed?.broken ?? [])]);
  const rows = { entity: entity.name, report, ...named, fields: known, broken };
  const byName = new Map(known.map((field) => [field.name, field]));
  const names = { name: entity.name, fields: byName, broken, orgField: entity.orgField, report };
  const uniques = checkUniques(declared, names);
  const exclusions = checkExclusions(declared.options.exclusions, rows);
  const lock = checkLock(declared.options.lock, names);
  const whole: EntityDraft["entity"] = {
    ...entity,
    fields: known,
    uniques,
    indexes: checkIndexes(declared, uniques, names),
    checks: checkNamedChecks(declared.options.checks, rows),
    ...(exclusions.length === 0 ? {} : { exclusions }),
    ...(lock === null ? {} : { lock }),
  };
  return { entity: whole, brokenFields: broken, declared, fields };
}

function refuseOrganizationOfNone(fields: EntityDraft["fields"], { orgField }: CheckedOptions, report: Report): void {
  for (const { declared } of fields) {
    if (declared.per === null || orgField !== null) continue;
    const message = "`per(org)` has no effect here: the records of this entity belong to no organization.";
    report.add("misplaced_modifier", declared.per.range, message, "Add `org_scoped: true` to the entity.");
  }
}

function refuseNumberOfFields({ name, fields }: EntityDeclaration, report: Report): void {
  if (fields.length === 0) {
    const message = `The entity \`${name.text}\` has no fields.`;
    report.add("fields_missing", name.range, message, "Add at least one: `title: string`.");
  }
  const over = fields[FIELDS_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `An entity can have at most ${FIELDS_MAX} fields.`);
}
