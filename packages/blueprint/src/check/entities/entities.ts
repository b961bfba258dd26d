// In: the declared entities. Out: entities without permissions and transitions, implicit fields written out, plurals and
// relations known. What concerns one entity comes first, then what two of them could quarrel about.
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { Entity, ModuleName } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";
import { checkFields } from "../fields/fields.ts";
import type { CheckedEntity, EntityDraft } from "./entity-draft.ts";
import { checkFieldNames, checkFormerNames, checkPlurals, checkWord, pluralOf } from "./entity-names.ts";
import { checkOptions } from "./entity-options.ts";
import { checkExclusions } from "./exclusions.ts";
import { withImplicitFields } from "./implicit-fields.ts";
import { checkLock } from "./lock.ts";
import { refuseReferenceCircles } from "./reference-circles.ts";
import { checkRelations } from "./relations.ts";
import { checkComputed, checkNamedChecks, type NamedRules } from "./row-expressions.ts";
import { checkSeeds } from "./seed.ts";
import { checkIndexes, checkUniques } from "./uniques.ts";

/** Postgres allows 1600 columns, updated rows of fewer; a form or a table view is lost long before. */
const FIELDS_MAX = 300;
const ENTITIES_MAX = 500;

export function checkEntities(
  declared: readonly EntityDeclaration[],
  modules: ReadonlySet<ModuleName>,
  report: Report,
  named: NamedRules,
): readonly CheckedEntity[] {
  const over = declared[ENTITIES_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `A blueprint has at most ${ENTITIES_MAX} entities.`);
  const names = new Set(declared.map((one) => one.name.text));
  const drafts = declared.map((one) => checkEntity(one, names, modules, report, named));
  checkPlurals(drafts, report);
  checkFormerNames(drafts, report);
  refuseReferenceCircles(drafts, report);
  const relations = checkRelations(drafts, report);
  const seeds = checkSeeds(drafts, report);
  return drafts.map(({ entity, brokenFields }) => ({
    entity: { ...entity, relations: relations.get(entity.name) ?? [], seed: seeds.get(entity.name) ?? [] },
    brokenFields,
  }));
}

function checkEntity(
  declared: EntityDeclaration,
  entities: ReadonlySet<string>,
  modules: ReadonlySet<ModuleName>,
  report: Report,
  named: NamedRules,
): EntityDraft {
  const { name } = declared;
  const nameIsFine = checkWord(name, "entity", report);
  refuseNumberOfFields(declared, report);
  const { fields, broken: unread } = checkFields(declared.fields, { entities, modules, report });
  const options = checkOptions(declared, fields, modules, report);
  checkFieldNames(declared, fields, options, unread, report);
  const all = withImplicitFields(
    fields.map((one) => one.field),
    options,
  );
  const rows = { entity: name.text, report, ...named };
  const computed = checkComputed(fields, { ...rows, fields: all, broken: unread });
  const complete = all.map((field) => computed.found.get(field.name) ?? field);
  const broken = new Set([...unread, ...computed.broken]);
  const byName = new Map(complete.map((field) => [field.name, field]));
  const known = { name: name.text, fields: byName, broken, orgField: options.orgField, report };
  const uniques = checkUniques(declared, known);
  const exclusions = checkExclusions(declared.options.exclusions, { ...rows, fields: complete, broken });
  const lock = checkLock(declared.options.lock, known);
  const entity: Omit<Entity, "permissions"> = {
    name: name.text,
    plural: pluralOf(declared, nameIsFine, report),
    was: declared.options.was?.text ?? null,
    fields: complete,
    uniques,
    indexes: checkIndexes(declared, uniques, known),
    checks: checkNamedChecks(declared.options.checks, { ...rows, fields: complete, broken }),
    ...(exclusions.length === 0 ? {} : { exclusions }),
    ...(lock === null ? {} : { lock }),
    relations: [],
    stateMachine: null,
    seed: [],
    ...options,
  };
  return { entity, brokenFields: broken, declared, fields };
}

function refuseNumberOfFields({ name, fields }: EntityDeclaration, report: Report): void {
  if (fields.length === 0) {
    const message = `The entity \`${name.text}\` has no fields.`;
    report.add("fields_missing", name.range, message, "Give it at least one: `title: string`.");
  }
  const over = fields[FIELDS_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `An entity has at most ${FIELDS_MAX} fields.`);
}
