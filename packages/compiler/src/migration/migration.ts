// Plans a migration. In: the tables before and after, renames, and what is set aside. Out: ordered steps, and the
// refused changes with reasons. No step loses a row, or blocks writers for a time that grows with the table.
import type { MigrationPlan, Renames, SetAside, Table } from "@plinth/bundle";
import { checkChanges } from "./checks.ts";
import { columnSteps } from "./columns.ts";
import { counterSteps } from "./counters.ts";
import { deletedRowSteps } from "./deleted-rows.ts";
import { exclusionChanges } from "./exclusions.ts";
import { feedSteps } from "./feed.ts";
import { type Fills, withFills } from "./fills.ts";
import { foreignKeyChanges } from "./foreign-keys.ts";
import { type Forms, formSteps } from "./forms.ts";
import { indexChanges, uniqueChanges } from "./indexes.ts";
import { fillsOfLinks, type LinkChange, linkSteps, movedByLinks, refuseLinks } from "./links.ts";
import { type Matched, match, type TableChange } from "./match.ts";
import { inOrder, type Refusal, type Step } from "./migration-step.ts";
import { type Numbers, numberSteps } from "./numbers.ts";
import { type RenamedTable, renameSteps } from "./renames.ts";
import { searchChanges } from "./search.ts";
import { createSteps, privilegeSteps, restoreTable, setTableAside, takeAlong } from "./tables.ts";
import { typeSteps } from "./type-changes.ts";

export interface PlanInput {
  /** The live schema; null for none. */
  readonly before: readonly Table[] | null;
  readonly after: readonly Table[];
  readonly renames: Renames;
  /** Earlier drops that are still kept, the oldest first: adding the same again restores it. */
  readonly setAside: readonly SetAside[];
  /** Part of the names under which dropped columns and tables are kept: lower-case letters, digits and underscores. */
  readonly tag: string;
  /** What the tables don't contain: texts that newly need a form. */
  readonly forms?: Forms;
  /** The values that existing rows get in each column. */
  readonly fills?: Fills;
  /** Which columns number their rows. */
  readonly numbers?: Numbers;
  /** Which references become lists of links, and the reverse. */
  readonly links?: readonly LinkChange[];
}

export interface Planned {
  /** Without steps if anything is refused. */
  readonly plan: MigrationPlan;
  readonly refused: readonly Refusal[];
}

/** A plan from a schema to itself is empty. */
export function planMigration({
  before,
  after,
  renames,
  setAside,
  tag,
  forms = {},
  fills = {},
  numbers = {},
  links = [],
}: PlanInput): Planned {
  const { made, carried } = movedByLinks(links);
  const matched = refuseLinks(match({ before: before ?? [], after, renames, setAside, made }), links);
  // A refused column has no place in its table, but another one may be filled from it.
  if (matched.refused.length > 0) return { plan: { steps: [] }, refused: matched.refused };
  const schema = withFills(matched, fillsOfLinks(links, fills));
  if (schema.refused.length > 0) return { plan: { steps: [] }, refused: schema.refused };
  const changed = schema.kept.map((table) => changesOf(table, schema, { tag, forms, numbers, carried }));
  const along = schema.kept.flatMap((table) => takeAlong(table, setAside));
  const steps = [
    ...linkSteps(schema, links),
    ...createSteps(schema, made),
    ...changed.flatMap((change) => change.steps),
    ...deletedRowSteps(schema, tag),
    ...schema.dropped.map((table) => setTableAside(table, tag, carried.has(table.name) ? "rewrite" : "destructive")),
    ...renameSteps(changed),
    ...along,
    ...counterSteps(schema, setAside, tag),
  ];
  return { plan: { steps: inOrder(steps) }, refused: [] };
}

function changesOf(
  table: TableChange,
  schema: Matched,
  {
    tag,
    forms,
    numbers,
    carried,
  }: Required<Pick<PlanInput, "tag" | "forms" | "numbers">> & {
    readonly carried: ReadonlySet<string>;
  },
): RenamedTable & { readonly steps: readonly Step[] } {
  const [checks, keys] = [checkChanges(table), foreignKeyChanges(table, schema)];
  const exclusions = exclusionChanges(table, schema);
  const search = searchChanges(table, schema);
  const [uniques, indexes] = [uniqueChanges(table, schema), indexChanges(table, schema)];
  return {
    table,
    constraints: [...checks.renamed, ...keys.renamed],
    indexes: [...uniques.renamed, ...indexes.renamed, ...exclusions.renamed, ...search.renamed],
    steps: [
      ...columnSteps(table, tag, numberSteps(table, schema, numbers), carried),
      ...typeSteps(table, tag),
      ...feedSteps(table),
      ...formSteps(table, forms),
      ...checks.steps,
      ...keys.steps,
      ...exclusions.steps,
      ...uniques.steps,
      ...indexes.steps,
      ...search.steps,
      ...restoreTable(table),
      ...privilegeSteps(table),
    ],
  };
}
