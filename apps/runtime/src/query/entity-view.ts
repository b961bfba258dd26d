// An entity of a release, prepared for statements: names quoted, fields by name, rules as conditions. In: the bundle.
// Out: views. It allows no more than the bundle: a role without a grant has no rule here either.
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
 * The placeholder for the schema until `forProject` names it. No text in Postgres can contain this character, so no
 * author's text can. The server refuses a statement in which it was not replaced.
 */
const OPEN_SCHEMA = "\0";

/** One entity, for all projects with equal bundles. The schema is left open in all SQL that is written from it. */
export interface EntityView {
  readonly entity: BundleEntity;
  readonly schema: typeof OPEN_SCHEMA;
  /** Qualified and quoted. */
  readonly from: string;
  readonly fields: ReadonlyMap<string, BundleField>;
  /** The fields that callers may see at all, in their order. */
  readonly shown: readonly BundleField[];
  /** The fields with their own column, in their order. */
  readonly stored: readonly StoredField[];
  /** Whether a grant shows less than all fields, or shorter pages than the API's. */
  readonly narrowed: boolean;
  readonly table: Table | null;
  readonly tables: readonly Table[];
  /** Whether writes check for listeners. A release from before events existed has no place for events. */
  readonly emits: boolean;
  /** The changes that its writes record for subscribers; null for none. */
  readonly watched: Watched | null;
  /** The entities of the release by name, including this one. */
  readonly all: ReadonlyMap<string, EntityView>;
}

export type StoredField = BundleField & { readonly column: string };

/** The properties of a caller that shape a statement. */
export interface StatementCaller {
  readonly roles: readonly string[];
  /** Not bound to organizations: admin keys and operators that name none. */
  readonly unscoped: boolean;
  /** The write has an idempotency key, so its statement saves the reply. */
  readonly isOnce?: true;
  /** The write accepts only certain versions of the record. */
  readonly isConditional?: true;
  /** The write is a dry run; absent if that doesn't change the statement. */
  readonly isTried?: true;
}

/** Join table > SQL of its future pairs, with the pairs of an alias's row replaced. */
export type WrittenPairs = ReadonlyMap<string, (row: string) => string>;

/** Row aliases that fill a template's holes. */
export interface RowAliases {
  readonly row?: string;
  readonly record?: string;
  readonly old?: string;
  readonly new?: string;
  /** If the statement writes pairs itself: the pairs of every row except `old`. */
  readonly written?: WrittenPairs;
  /** If a rule is judged without a body: the fields that the body might have contained. */
  readonly unsent?: ReadonlyMap<string, BundleField>;
}

/** The events that start something in the project. The switch replaces them with those of the new release. */
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

/** Makes a shared text the project's own, by naming the schema in which it runs. */
export function forProject(text: string, { schema }: Pick<ActiveRelease, "schema">): string {
  return text.replaceAll(OPEN_SCHEMA, schema);
}

/** @throws Error (our bug) if the release has no such entity. */
export function entityView(release: ActiveRelease, name: string): EntityView {
  const view = derived(release, entities).get(name);
  if (view === undefined) throw new Error(`release ${release.releaseId} has no entity ${name}`);
  return view;
}

export function findEntity(release: ActiveRelease, name: string): EntityView | null {
  return derived(release, entities).get(name) ?? null;
}

/** The caller of a statement. A caller who isn't bound to organizations is bound to the one that the request names. */
export function callerIn(principal: Principal, organization: string | null): StatementCaller {
  return { roles: principal.roles, unscoped: organization === null && standsAboveOrganizations(principal) };
}

export function hasOperation(entity: BundleEntity, operation: Operation, roles: readonly string[]): boolean {
  const grants = entity.access[operation] ?? {};
  return roles.some((role) => role === SERVICE_ROLE || Object.hasOwn(grants, role));
}

const EVERYTHING: Grant = { rule: { kind: "always" }, fields: null, set: {}, limit: null };

/** The roles' grants, by role. */
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
 * The union of the roles' rules, within the caller's organizations; never, if none of the roles has the operation.
 * Unknown, which denies, if a row's organization is unknown or the request names none.
 */
export function permission(
  view: EntityView,
  operation: Operation,
  caller: StatementCaller,
  parameters: Parameters,
  rows: RowAliases,
): Condition {
  const rules = grantsOf(view.entity, operation, caller.roles).map(([, grant]) => grant.rule);
  const allowed = oneHolds(view, rules, parameters, rows);
  return allowed.kind === "never" ? allowed : allOf([allowed, scopeOf(view, caller, parameters, rows)]);
}

/** Holds if one of the rules does. */
export function oneHolds(
  view: EntityView,
  rules: readonly Predicate[],
  parameters: Parameters,
  rows: RowAliases,
): Condition {
  // Holes are only filled if necessary: Postgres can't type a parameter that has a number but isn't used in the text.
  if (rules.some(({ kind }) => kind === "always")) return ALWAYS;
  const filled = (template: SqlTemplate): string => fill(template, view.schema, parameters, rows);
  return anyOf(distinctPredicates(rules).map((rule) => conditionOf(rule, filled)));
}

/**
 * The organization's rule over every row that the operation sees, so that a row can't be moved to or from another
 * organization. Only the request's organization counts. A request without an organization sees no row.
 */
function scopeOf(view: EntityView, caller: StatementCaller, parameters: Parameters, rows: RowAliases): Condition {
  const { scope } = view.entity;
  if (scope === null || caller.unscoped) return ALWAYS;
  const current = parameters.hole("org");
  const aliases = [...new Set([rows.record, rows.old, rows.new])].filter((alias) => alias !== undefined);
  return allOf(
    aliases.flatMap((record) => [
      judged(`${record}.${ORGANIZATION_COLUMN} = ${current}`),
      conditionOf(scope, (template) => fill(template, view.schema, parameters, { record })),
    ]),
  );
}

/** True for rows of one organization; null if one of the entities isn't scoped to organizations. */
export function sameOrganization(one: EntityView, row: string, other: EntityView, otherRow: string): string | null {
  if (one.entity.scope === null || other.entity.scope === null) return null;
  return `${otherRow}.${ORGANIZATION_COLUMN} = ${row}.${ORGANIZATION_COLUMN}`;
}

/** The language gives every scoped entity this field. */
const ORGANIZATION_COLUMN = quoteIdentifier("org_id");

/** ` and ...` for the rows that are not deleted; empty if the entity has no soft delete. */
export function living(view: EntityView, row: string): string {
  const { softDelete } = view.entity;
  return softDelete === null ? "" : ` and ${row}.${quoteIdentifier(softDelete)} is null`;
}

/** The deleted rows that can be restored. @throws Error (our bug) if the entity has no soft delete. */
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

/** A statement can't see the pairs that it writes itself, so `written` replaces them. */
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

/** A field's value for comparisons, as SQL over a row: its column, or its calculation. */
export function typedValue(view: EntityView, field: BundleField, row: string, parameters: Parameters): string {
  return field.value === undefined ? column(row, field) : fill(field.value, view.schema, parameters, { row });
}

export function column(row: string, field: BundleField): string {
  if (field.column === null) throw new Error(`${field.name} has no column`);
  return `${row}.${quoteIdentifier(field.column)}`;
}
