// Checks views. In: declared views and the checked entities. Out: the views of each entity, with all problems reported.
import type { Expression } from "@plinth/expression";
import type { ViewDeclaration } from "../declarations/declarations.ts";
import type { Field, View } from "../model/model.ts";
import { suggestFor } from "../text/suggestions.ts";
import type { Word } from "../text/syntax.ts";
import type { CheckedEntity } from "./entities/entity-draft.ts";
import { checkWord } from "./entities/entity-names.ts";
import { checkRules, type RuleContext } from "./permissions/rule-source.ts";

const VIEWS_MAX = 50;
/** Like the `sort` of a list. */
const SORT_MAX = 3;
/** Other routes after the plural of an entity. */
const taken: readonly string[] = ["aggregate", "by"];
/** Types whose values have no order, or are not in a column. */
const unsorted: readonly string[] = "json object list i18n point vector enum_set secret refs computed file image".split(
  " ",
);
const always: Expression = { kind: "literal", type: { kind: "bool" }, value: true };

export interface ViewContext extends Omit<RuleContext, "isBroken"> {
  readonly entities: readonly CheckedEntity[];
  readonly pageMax: number;
}

/** Entity > its views, sorted by name. */
export function checkViews(
  declared: readonly ViewDeclaration[],
  context: ViewContext,
): ReadonlyMap<string, readonly View[]> {
  const { report } = context;
  const over = declared[VIEWS_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `A blueprint can have at most ${VIEWS_MAX} views.`);
  const entities = new Map(context.entities.map((one) => [one.entity.name, one]));
  const known = new Set<string>();
  const found = declared.slice(0, VIEWS_MAX).flatMap((one): [string, View][] => {
    const checked = entities.get(one.of.text);
    if (checked === undefined) {
      const hint = suggestFor(one.of.text, entities.keys(), report);
      report.add("unknown_entity", one.of.range, `There is no entity \`${one.of.text}\`.`, hint);
      return [];
    }
    if (!isFree(one.name, checked, known, context)) return [];
    const where = one.where.length === 0 ? always : checkWhere(one, checked, context);
    const sort = checkSort(one.sort, checked, context);
    const limit = checkLimit(one, context);
    return where === null || sort === null || limit === false
      ? []
      : [[one.of.text, { name: one.name.text, where, sort, limit }]];
  });
  const byEntity = Map.groupBy(found, ([entity]) => entity);
  return new Map(
    [...byEntity].map(([entity, views]) => [
      entity,
      views.map(([, view]) => view).sort((a, b) => (a.name < b.name ? -1 : 1)),
    ]),
  );
}

function isFree(name: Word, { entity }: CheckedEntity, known: Set<string>, { report }: ViewContext): boolean {
  if (!checkWord(name, "view", report)) return false;
  const path = `/api/${entity.plural}/${name.text}`;
  if (taken.includes(name.text)) {
    report.add(
      "reserved_name",
      name.range,
      `\`${name.text}\` is a reserved name.`,
      `\`${path}\` is already the path of another route.`,
    );
    return false;
  }
  if (known.size !== known.add(path).size) return true;
  report.add("duplicate_value", name.range, `There is already a view at \`${path}\`.`, "Rename one of the two.");
  return false;
}

function checkWhere(
  { where }: ViewDeclaration,
  { entity, brokenFields }: CheckedEntity,
  context: ViewContext,
): Expression | null {
  const isBroken = (record: string, name: string, message: string): boolean => {
    const [, named] = /^`(\w+)` has no/.exec(message) ?? [];
    const owner = context.entities.find((one) => one.entity.name === (named ?? record));
    const broken = owner?.brokenFields ?? brokenFields;
    return broken.has(name) || broken.has(`${name}_id`);
  };
  return checkRules(where, [], { record: entity.name, operation: "read" }, { ...context, isBroken });
}

function checkSort(
  words: readonly Word[],
  { entity, brokenFields }: CheckedEntity,
  { report }: ViewContext,
): View["sort"] | null {
  const over = words[SORT_MAX];
  if (over !== undefined) report.add("too_many", over.range, `A view can be sorted by at most ${SORT_MAX} fields.`);
  const fields = new Map(entity.fields.map((field): [string, Field] => [field.name, field]));
  const sort = words.slice(0, SORT_MAX).map((word) => {
    const descending = word.text.startsWith("-");
    const name = descending ? word.text.slice(1) : word.text;
    const field = fields.get(name);
    if (field !== undefined && !field.internal && !unsorted.includes(field.type.kind))
      return { field: name, descending };
    if (field === undefined && !brokenFields.has(name)) {
      const hint = suggestFor(name, fields.keys(), report);
      report.add("unknown_field", word.range, `\`${entity.name}\` has no field \`${name}\`.`, hint);
    } else if (field !== undefined) {
      const why = field.internal ? "it never leaves the API" : `lists can't be sorted by a \`${field.type.kind}\``;
      report.add("invalid_option", word.range, `A view can't be sorted by \`${name}\`: ${why}.`);
    }
    return null;
  });
  const twice = words.find((word, at) => words.findIndex((other) => bare(other) === bare(word)) < at);
  if (twice !== undefined)
    report.add("duplicate_value", twice.range, `\`${bare(twice)}\` is listed twice.`, "Remove one of them.");
  return over === undefined && twice === undefined && sort.every((key) => key !== null) ? sort : null;
}

function bare({ text }: Word): string {
  return text.replace(/^-/, "");
}

/** False if it is wrong. */
function checkLimit({ limit }: ViewDeclaration, { pageMax, report }: ViewContext): number | null | false {
  if (limit === null || limit.value <= pageMax) return limit?.value ?? null;
  report.add(
    "invalid_limit",
    limit.range,
    `A page can have at most ${pageMax} records.`,
    "`api: { page_max: ... }` sets the maximum.",
  );
  return false;
}
