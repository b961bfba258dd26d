// Describes how fields are read and written. In: an entity's fields. Out: the bundle's fields with their SQL templates.
// It never writes whole statements: the runtime joins the parts that a request needs.
import { type Field, type FieldType, type ObjectMember, targetOf } from "@plinth/blueprint";
import type { BundleField, BundleMember, SqlTemplate } from "@plinth/bundle";
import { lower } from "../rules/lower.ts";
import { type Catalog, DELETED_AT, type JoinTable, joinTableOf } from "../sql/catalog.ts";
import { isStored, sqlTypeOf } from "../sql/column-type.ts";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { entering, leaving, wireOf } from "../sql/wire-sql.ts";
import { columnDefaultOf } from "../tables/columns.ts";

/** The owner of a field. `catalog` can be left out if no field reads other columns. */
export interface FieldSource {
  readonly name: string;
  readonly table: string;
  readonly catalog?: Catalog;
}

export function bundleFieldOf(field: Field, source: FieldSource): BundleField {
  const { type } = field;
  const isSecret = type.kind === "secret";
  return {
    name: field.name,
    column: isStored(field) ? field.name : null,
    sqlType: sqlTypeOf(type),
    wire: wireOf(type),
    select: selectOf(field, source),
    ...(type.kind === "computed" && isFilterable(field) && { value: computedValue(type, source) }),
    write: entering(type, "{value}"),
    optional: field.optional,
    writer: writerOf(field),
    default: defaultOf(field),
    references: targetOf(type) ?? (type.kind === "refs" ? type.entity : null),
    filterable: isFilterable(field),
    immutable: field.immutable,
    hidden: field.internal,
    secret: isSecret,
    masked: field.pii || field.internal || isSecret,
    searchable: field.searchable,
    slugFrom: type.kind === "slug" ? type.from : null,
    sequence: type.kind === "sequence" ? sequenceOf(type, counterOf(source.table, field.name)) : null,
    ...(type.kind === "object" && { members: type.fields.map(memberOf) }),
    join: type.kind === "refs" ? joinTableOf(source, field.name, type.entity) : null,
  };
}

function memberOf({ name, type }: ObjectMember): BundleMember {
  return { name, sqlType: sqlTypeOf(type), ...(type.kind === "object" && { members: type.fields.map(memberOf) }) };
}

/** A column by its name, everything else by its SQL. Encrypted values are never returned. */
function selectOf(field: Field, source: FieldSource): SqlTemplate {
  const { type } = field;
  switch (type.kind) {
    case "secret":
      return "null::text";
    case "refs":
      return refsSelect(joinTableOf(source, field.name, type.entity), type.entity, source.catalog);
    case "computed":
      return computedSelect(type, source);
    default:
      return leaving(type, `{row}.${q(field.name)}`);
  }
}

/** The ids of records that are not deleted, sorted. */
function refsSelect({ table, own, other }: JoinTable, entity: string, catalog: Catalog | undefined): SqlTemplate {
  const target = catalog?.get(entity);
  const living =
    target === undefined || target.softDelete === null
      ? ""
      : ` join {schema}.${q(target.table)} _target on _target."id" = _pair.${q(other)} and _target.${q(DELETED_AT)} is null`;
  return `(select coalesce(json_agg(_pair.${q(other)} order by _pair.${q(other)}), '[]'::json) from {schema}.${q(table)} _pair${living} where _pair.${q(own)} = {row}."id")`;
}

type Computed = Extract<FieldType, { kind: "computed" }>;

function computedValue({ expression }: Computed, { name, catalog }: FieldSource): SqlTemplate {
  if (catalog === undefined) throw new Error(`${name} has no computed fields`);
  return lower(expression, { entity: name, catalog, column: (_, column) => `{row}.${q(column)}`, isRead: true });
}

function computedSelect(computed: Computed, source: FieldSource): SqlTemplate {
  const value = computedValue(computed, source);
  const { type } = computed.expression;
  switch (type.kind) {
    case "decimal":
      // Trailing zeros would show how it was calculated.
      return `trim_scale(${value})::text`;
    case "date":
    case "time":
    case "datetime":
      return `(select ${leaving({ kind: type.kind }, "_v._a")} from (select ${value} as _a offset 0) _v)`;
    case "duration":
      return computedDuration(value);
    case "list":
      return `to_json(${value})`;
    default:
      return value;
  }
}

/** A calculated duration can be negative, or have more hours than a day. */
function computedDuration(value: string): SqlTemplate {
  const size = "case when _v._a < '0'::interval then -_v._a else _v._a end";
  const text = `case when _v._a < '0'::interval then '-' else '' end || ${leaving({ kind: "duration" }, "_w._a")}`;
  return `(select ${text} from (select justify_hours(${value}) as _a offset 0) _v, lateral (select ${size} as _a offset 0) _w)`;
}

/**
 * Only an admin can set another value in a field that the service fills with the current user or organization, or write
 * a field that is reserved for admins.
 */
function writerOf(field: Field): BundleField["writer"] {
  if (field.writer === "service" || field.type.kind === "computed" || field.type.kind === "sequence") return "service";
  if (field.writer === "admin") return "admin";
  return field.default?.kind === "current_user_id" || field.default?.kind === "current_org" ? "admin" : "caller";
}

function defaultOf(field: Field): SqlTemplate | null {
  switch (field.default?.kind) {
    case "current_user_id":
      return "{user.id}::uuid";
    case "current_org":
      return "{org}::uuid";
    default:
      return isStored(field) ? columnDefaultOf(field) : null;
  }
}

/** Values with an order, in a column or calculated from columns. */
export function isFilterable({ type, internal }: Field): boolean {
  if (internal) return false;
  switch (type.kind) {
    case "json":
    case "object":
    case "list":
    case "i18n":
    case "point":
    case "vector":
    case "enum_set":
    case "secret":
    case "refs":
    case "file":
    case "image":
      return false;
    case "computed":
      return !["list", "opaque", "null"].includes(type.expression.type.kind);
    default:
      return true;
  }
}

function sequenceOf(
  { prefix, per, at }: Extract<Field["type"], { kind: "sequence" }>,
  counter: string,
): BundleField["sequence"] {
  return { counter, prefix, ...(per === "org" && { perOrganization: true as const }), ...(at !== undefined && { at }) };
}

function counterOf(table: string, field: string): string {
  return `${table}.${field}`;
}
