// An entity of a release, ready for statements: names quoted, fields by name, rules as SQL. In: the bundle. Out: views.
// It never decides more than the bundle says: a role without a predicate has none here either.
import { type BundleEntity, type BundleField, fillTemplate, type Operation, type Table } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import type { ActiveRelease } from "../http/contracts.ts";
import { type Derivation, derived } from "./derived.ts";
import type { Parameters } from "./parameters.ts";

export interface EntityView {
  readonly entity: BundleEntity;
  readonly schema: string;
  /** Qualified and quoted. */
  readonly from: string;
  readonly fields: ReadonlyMap<string, BundleField>;
  readonly table: Table | null;
  /** The entities of the release by name, this one included. */
  readonly all: ReadonlyMap<string, EntityView>;
}

/** Row aliases that fill a template's holes. */
export interface RowAliases {
  readonly row?: string;
  readonly record?: string;
  readonly old?: string;
  readonly new?: string;
}

const entities: Derivation<ReadonlyMap<string, EntityView>> = {
  name: "entities",
  make: (release) => {
    const all = new Map<string, EntityView>();
    for (const entity of release.bundle.entities) {
      all.set(entity.name, {
        entity,
        schema: release.schema,
        from: `${release.schema}.${quoteIdentifier(entity.table)}`,
        fields: new Map(entity.fields.map((field) => [field.name, field])),
        table: release.bundle.tables.find((table) => table.name === entity.table) ?? null,
        all,
      });
    }
    return all;
  },
};

/** @throws Error (our bug) where the release has no such entity. */
export function entityView(release: ActiveRelease, name: string): EntityView {
  const view = derived(release, entities).get(name);
  if (view === undefined) throw new Error(`release ${release.releaseId} has no entity ${name}`);
  return view;
}

export function hasOperation(entity: BundleEntity, operation: Operation, roles: readonly string[]): boolean {
  const rules = entity.access[operation];
  return roles.some((role) => Object.hasOwn(rules, role));
}

/** The union of what the roles may do, as a boolean that is never null; `false` where none of them has the operation. */
export function permission(
  view: EntityView,
  operation: Operation,
  roles: readonly string[],
  parameters: Parameters,
  rows: RowAliases,
): string {
  const rules = view.entity.access[operation];
  const templates = new Set(roles.filter((role) => Object.hasOwn(rules, role)).map((role) => rules[role] as string));
  if (templates.has("true")) return "true";
  const predicates = [...templates].map((template) => fill(template, view.schema, parameters, rows));
  return predicates.length === 0 ? "false" : `(${predicates.join(" or ")})`;
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
        return parameters.user(hole);
    }
  });
}

/** The record as JSON text, from a row of that alias. */
export function recordJson(view: EntityView, row: string, parameters: Parameters): string {
  const columns = view.entity.fields.map(
    (field) => `${fill(field.select, view.schema, parameters, { row })} as ${quoteIdentifier(field.name)}`,
  );
  return `(select row_to_json(x)::text from (select ${columns.join(", ")}) x)`;
}

export function column(row: string, field: BundleField): string {
  return `${row}.${quoteIdentifier(field.column)}`;
}
