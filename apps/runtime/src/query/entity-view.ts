// An entity of a release, ready for statements: names quoted, fields by name, rules as conditions. In: the bundle. Out: views.
// It never decides more than the bundle says: a role without a grant has no rule here either.
import {
  type BundleEntity,
  type BundleField,
  distinctPredicates,
  fillTemplate,
  type Grant,
  type Operation,
  type Predicate,
  type SqlTemplate,
  type Table,
} from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import type { ActiveRelease, ServedBundle } from "../project/active-release.ts";
import { type Derivation, derived } from "../project/derived.ts";
import { type Principal, SERVICE_ROLE, standsAboveOrganizations } from "../project/principal.ts";
import { ALWAYS, allOf, anyOf, type Condition, conditionOf, judged } from "./condition.ts";
import type { Parameters } from "./parameters.ts";
import { type Watched, watchedOf } from "./watched.ts";

/**
 * Stands in the place of the schema until `forProject` names it. No text of Postgres can hold this character, so no
 * author's text can either, and a statement that was left open is refused by the server.
 */
const OPEN_SCHEMA = "\0";

/** One entity, for all projects whose bundles are equal: the schema is left open in what is written from it. */
export interface EntityView {
  readonly entity: BundleEntity;
  readonly schema: typeof OPEN_SCHEMA;
  /** Qualified and quoted. */
  readonly from: string;
  readonly fields: ReadonlyMap<string, BundleField>;
  /** Those that callers may see at all, in their order. */
  readonly shown: readonly BundleField[];
  /** Those with a column of their own, in their order. */
  readonly stored: readonly StoredField[];
  /** Whether a grant shows less than all fields, or pages shorter than the API's. */
  readonly narrowed: boolean;
  readonly table: Table | null;
  readonly tables: readonly Table[];
  /** Whether writes ask for listeners: a release that was deployed before there were events has nowhere to put them. */
  readonly emits: boolean;
  /** What its writes leave for those who follow changes; null for nothing. */
  readonly watched: Watched | null;
  /** The entities of the release by name, this one included. */
  readonly all: ReadonlyMap<string, EntityView>;
}

export type StoredField = BundleField & { readonly column: string };

/** What of a caller shapes a statement. */
export interface Asker {
  readonly roles: readonly string[];
  /** Not bound to organizations: admin keys and operators that name none. */
  readonly unscoped: boolean;
  /** Their write is to have its effect once, so that its statement keeps the reply. */
  readonly isOnce?: true;
  /** Their write is for a record of certain versions alone. */
  readonly isConditional?: true;
  /** Their write is only tried; absent where that makes no other statement. */
  readonly isTried?: true;
}

/** Join table > SQL of its pairs as they will be, those of the row of an alias replaced. */
export type WrittenPairs = ReadonlyMap<string, (row: string) => string>;

/** Row aliases that fill a template's holes. */
export interface RowAliases {
  readonly row?: string;
  readonly record?: string;
  readonly old?: string;
  readonly new?: string;
  /** Where the statement writes pairs itself: those of every row but `old`. */
  readonly written?: WrittenPairs;
  /** Where a rule is judged without a body: the fields that it might have held. */
  readonly unsent?: ReadonlyMap<string, BundleField>;
}

/** The events that something in the project is started by; a release brings its own with the switch. */
export const LISTENERS_TABLE = "workers__listeners";

/** Whether a release has the tables that events need. */
export function hasListeners({ tables }: Pick<ServedBundle, "tables">): boolean {
  return tables.some((table) => table.name === LISTENERS_TABLE);
}

const entities: Derivation<ReadonlyMap<string, EntityView>> = {
  name: "entities",
  make: (bundle) => {
    const all = new Map<string, EntityView>();
    for (const entity of bundle.entities) all.set(entity.name, viewOf(bundle, entity, all));
    return all;
  },
};

function viewOf(bundle: ServedBundle, entity: BundleEntity, all: ReadonlyMap<string, EntityView>): EntityView {
  const { fields } = entity;
  return {
    entity,
    schema: OPEN_SCHEMA,
    from: `${OPEN_SCHEMA}.${quoteIdentifier(entity.table)}`,
    fields: new Map(fields.map((field) => [field.name, field])),
    shown: fields.filter((field) => !field.hidden && !field.secret),
    stored: fields.filter((field): field is StoredField => field.column !== null),
    narrowed: Object.values(entity.access.read ?? {}).some((grant) => grant.fields !== null || grant.limit !== null),
    table: bundle.tables.find((table) => table.name === entity.table) ?? null,
    tables: bundle.tables,
    emits: hasListeners(bundle),
    watched: watchedOf(entity, bundle.entities),
    all,
  };
}

/** A text that was written from views, for the project whose schema it runs in. */
export function forProject(text: string, { schema }: Pick<ActiveRelease, "schema">): string {
  return text.replaceAll(OPEN_SCHEMA, schema);
}

/** @throws Error (our bug) where the release has no such entity. */
export function entityView(release: ActiveRelease, name: string): EntityView {
  const view = derived(release, entities).get(name);
  if (view === undefined) throw new Error(`release ${release.releaseId} has no entity ${name}`);
  return view;
}

export function findEntity(release: ActiveRelease, name: string): EntityView | null {
  return derived(release, entities).get(name) ?? null;
}

/** Whom a statement is for. Who stands above organizations is bound to the one that a request names. */
export function askerIn(principal: Principal, organization: string | null): Asker {
  return { roles: principal.roles, unscoped: organization === null && standsAboveOrganizations(principal) };
}

export function hasOperation(entity: BundleEntity, operation: Operation, roles: readonly string[]): boolean {
  const grants = entity.access[operation] ?? {};
  return roles.some((role) => role === SERVICE_ROLE || Object.hasOwn(grants, role));
}

const EVERYTHING: Grant = { rule: { kind: "always" }, fields: null, set: {}, limit: null };

/** What the roles are granted, by role. */
export function grantsOf(
  entity: BundleEntity,
  operation: Operation,
  roles: readonly string[],
): readonly (readonly [role: string, grant: Grant])[] {
  if (roles.includes(SERVICE_ROLE)) return [[SERVICE_ROLE, EVERYTHING]];
  const grants = entity.access[operation] ?? {};
  return roles
    .filter((role) => Object.hasOwn(grants, role))
    .map((role) => [role, grants[role] as Grant] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * The union of what the roles may do, within the caller's organizations; never where none of them has the operation. Unknown,
 * which denies, where a row's organization is unknown or the request is made in none.
 */
export function permission(
  view: EntityView,
  operation: Operation,
  asker: Asker,
  parameters: Parameters,
  rows: RowAliases,
): Condition {
  const rules = grantsOf(view.entity, operation, asker.roles).map(([, grant]) => grant.rule);
  const allowed = oneHolds(view, rules, parameters, rows);
  return allowed.kind === "never" ? allowed : allOf([allowed, scopeOf(view, asker, parameters, rows)]);
}

/** Holds where one of the rules does. */
export function oneHolds(
  view: EntityView,
  rules: readonly Predicate[],
  parameters: Parameters,
  rows: RowAliases,
): Condition {
  // Nothing is filled in for nothing: a parameter that is numbered, but stands nowhere in the text, is one that Postgres can't type.
  if (rules.some(({ kind }) => kind === "always")) return ALWAYS;
  const filled = (template: SqlTemplate): string => fill(template, view.schema, parameters, rows);
  return anyOf(distinctPredicates(rules).map((rule) => conditionOf(rule, filled)));
}

/**
 * The organization's rule over every row that the operation sees: a row can be moved neither out of it nor into another.
 * Of the caller's organizations, it is the one that the request is made in; a request that is made in none sees no row.
 */
function scopeOf(view: EntityView, asker: Asker, parameters: Parameters, rows: RowAliases): Condition {
  const { scope } = view.entity;
  if (scope === null || asker.unscoped) return ALWAYS;
  const current = parameters.hole("org");
  const aliases = [...new Set([rows.record, rows.old, rows.new])].filter((alias) => alias !== undefined);
  return allOf(
    aliases.flatMap((record) => [
      judged(`${record}.${ORGANIZATION_COLUMN} = ${current}`),
      conditionOf(scope, (template) => fill(template, view.schema, parameters, { record })),
    ]),
  );
}

/** True for rows of one organization; null where one of the two belongs to none by its kind. */
export function sameOrganization(one: EntityView, row: string, other: EntityView, otherRow: string): string | null {
  if (one.entity.scope === null || other.entity.scope === null) return null;
  return `${otherRow}.${ORGANIZATION_COLUMN} = ${row}.${ORGANIZATION_COLUMN}`;
}

/** The language gives every scoped entity this field. */
const ORGANIZATION_COLUMN = quoteIdentifier("org_id");

/** ` and ...` for the rows that are not deleted; empty where a delete leaves none. */
export function living(view: EntityView, row: string): string {
  const { softDelete } = view.entity;
  return softDelete === null ? "" : ` and ${row}.${quoteIdentifier(softDelete)} is null`;
}

/** The rows that a delete has left to be restored. @throws Error (our bug) where it leaves none. */
export function deleted(view: EntityView, row: string): string {
  const { softDelete } = view.entity;
  if (softDelete === null) throw new Error(`${view.entity.name} keeps no deleted records`);
  return `${row}.${quoteIdentifier(softDelete)} is not null`;
}

export function fill(template: string, schema: string, parameters: Parameters, rows: RowAliases): string {
  return fillTemplate(template, (hole) => {
    switch (hole) {
      case "schema":
        return schema;
      case "row":
      case "record":
      case "old":
      case "new":
        return rows[hole];
      default:
        if (hole.startsWith("pairs.")) return pairsOf(hole, schema, rows);
        if (rows.unsent !== undefined) return unsent(hole, rows.unsent) ?? parameters.hole(hole, rows.old);
        return parameters.hole(hole, rows.old);
    }
  });
}

/** A statement can't see the pairs that it writes itself: `written` stands in their place. */
function pairsOf(hole: string, schema: string, rows: RowAliases): string | undefined {
  const [, row = "", table = ""] = hole.split(".", 3);
  if (row !== "row" && row !== "record" && row !== "old" && row !== "new") return undefined;
  const written = row === "old" ? undefined : rows.written?.get(table);
  const alias = rows[row];
  if (written === undefined) return `${schema}.${quoteIdentifier(table)}`;
  return alias === undefined ? undefined : written(alias);
}

function unsent(hole: string, fields: ReadonlyMap<string, BundleField>): string | undefined {
  const [kind, name = ""] = hole.split(".", 2);
  if (kind === "sent") return "false";
  return kind === "input" ? `null::${fields.get(name)?.sqlType ?? "text"}` : undefined;
}

/** A field's value in JSON, as SQL over a row. */
export function wireValue(
  view: EntityView,
  field: BundleField,
  row: string,
  parameters: Parameters,
  written?: WrittenPairs,
): string {
  return fill(field.select, view.schema, parameters, written === undefined ? { row } : { row, written });
}

/** A field's value as it is compared, as SQL over a row: its column, or what is calculated in its place. */
export function typedValue(view: EntityView, field: BundleField, row: string, parameters: Parameters): string {
  return field.value === undefined ? column(row, field) : fill(field.value, view.schema, parameters, { row });
}

export function column(row: string, field: BundleField): string {
  if (field.column === null) throw new Error(`${field.name} has no column`);
  return `${row}.${quoteIdentifier(field.column)}`;
}
