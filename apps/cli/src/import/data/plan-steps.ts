// Plans an import from a database. In: a mapping, the source's tables, and the fields of the project. Out: steps in an order in which each
// reference finds its record, with the problems, and the tables and columns that are not imported.
import type { TransferEntity, TransferField, TransferShape } from "@plinth/control/router";
import type { ForeignSchema, ForeignTable } from "../foreign-schema.ts";
import type { ImportPlan, PlannedStep, PlanOptions } from "./import-plan.ts";
import type { DataMapping, LinkMapping, TableMapping } from "./mapping.ts";
import { missingFields, refusalOf } from "./missing-fields.ts";
import { orderEntities } from "./order-entities.ts";
import type { Source } from "./source.ts";
import { idOf, referredId, type SourceTables, valueText } from "./source-sql.ts";
import { createSourceStep } from "./source-step.ts";

export interface DatabasePlanOptions extends PlanOptions {
  readonly source: Source;
  readonly schema: ForeignSchema;
  readonly mapping: DataMapping;
  readonly shape: TransferShape;
  readonly tables: SourceTables;
  /** The estimated number of rows of a table, by its id. */
  readonly rowsOf: (table: string) => number | null;
}

const NOTHING =
  "The project has an entity for none of these tables. If its blueprint is from a Prisma schema, name the schema with --prisma; otherwise write a mapping with --write-map, and use it with --map.";

export function planSteps(options: DatabasePlanOptions): ImportPlan {
  const { schema, mapping, shape, tables } = options;
  const problems: string[] = [];
  const left = unmappedTables(schema, mapping);
  const known = mapping.tables.flatMap((one): KnownTable[] => {
    const table = tables.byId.get(one.table);
    const entity = shape.entities.find(({ name }) => name === one.entity);
    if (table !== undefined && entity !== undefined) return [{ mapping: one, table, entity }];
    const reason =
      table === undefined ? `the source has no table ${one.table}` : `the project has no entity ${one.entity}`;
    (one.isDerived ? left : problems).push(`${one.table}: ${reason}`);
    return [];
  });
  const made = known.map((one) => columnsOf(one, known, options, problems, left));
  const ordered = orderEntities(made.map(({ entity, references }) => ({ entity: entity.name, references })));
  problems.push(...ordered.problems);
  const steps = ordered.entities.flatMap((name) =>
    made.filter(({ entity }) => entity.name === name).map((one) => recordStep(one, ordered.deferred, options)),
  );
  const fills = made.flatMap((one) => fillSteps(one, ordered.deferred, options));
  const links = mapping.links.flatMap((link) => linkStep(link, known, options, problems) ?? []);
  if (known.length === 0 && problems.length === 0) problems.push(NOTHING);
  return { steps: [...steps, ...fills, ...links], problems, left };
}

interface KnownTable {
  readonly mapping: TableMapping;
  readonly table: ForeignTable;
  readonly entity: TransferEntity;
}

interface MadeColumn {
  readonly field: TransferField;
  readonly column: string;
  readonly sql: (salt: string) => string;
}

interface MadeTable extends KnownTable {
  readonly columns: readonly MadeColumn[];
  readonly references: readonly { readonly field: string; readonly entity: string; readonly nullable: boolean }[];
}

function unmappedTables({ tables }: ForeignSchema, mapping: DataMapping): string[] {
  const mapped = new Set([...mapping.tables, ...mapping.links].map(({ table }) => table));
  return tables.filter(({ id }) => !mapped.has(id)).map(({ id }) => `${id}: no entity is mapped to it`);
}

function columnsOf(
  known: KnownTable,
  all: readonly KnownTable[],
  { tables, hasOrganization }: DatabasePlanOptions,
  problems: string[],
  left: string[],
): MadeTable {
  const { mapping, table, entity } = known;
  const columns: MadeColumn[] = [];
  const isDetails = all.some((other) => other.table === table && other.entity.name === "user" && other !== known);
  for (const [name, column] of Object.entries(mapping.fields)) {
    if (name === "id") continue;
    const field = entity.fields.find((one) => one.name === name);
    const from = table.columns.find((one) => one.name === column);
    const problem = from === undefined ? `the table has no column ${column}` : refusalOf(entity, name, field);
    if (from === undefined || field === undefined || problem !== null) {
      (mapping.isDerived ? left : problems).push(`${table.id}.${column}: ${problem}`);
      continue;
    }
    const reference = field.references === null ? undefined : referenceBy(table, column, field.references, all);
    const isOwnUser = isDetails && field.references === "user" && table.key?.columns[0] === column;
    if (isOwnUser) columns.push({ field, column, sql: (salt) => idOf(table, "_t", { salt, entity: "user" }) });
    else if (reference !== undefined) {
      const { reference: by, target } = reference;
      columns.push({
        field,
        column,
        sql: (salt) => referredId(column, by, { table: target.table, salt, entity: target.entity.name }),
      });
    } else if (entity.name === "user" && name === "email")
      columns.push({ field, column, sql: () => `lower(${valueText(from, field, tables)})` });
    else if (isTimeOfRecord(field) && from.optional)
      columns.push({ field, column, sql: () => timeText(known, field, tables) });
    else columns.push({ field, column, sql: () => valueText(from, field, tables) });
  }
  const taken = new Set([...Object.values(mapping.fields)]);
  const elsewhere = (column: string): boolean =>
    all.some(
      (other) => other !== known && other.table === table && Object.values(other.mapping.fields).includes(column),
    );
  for (const { name } of table.columns)
    if (!taken.has(name) && !elsewhere(name) && table.key?.columns.includes(name) !== true)
      left.push(`${table.id}.${name}: no field is mapped to it`);
  const given = new Set(columns.map(({ field }) => field.name));
  problems.push(...missingFields(entity, given, { from: table.id, hasOrganization }));
  const references = columns.flatMap(({ field }) =>
    field.references !== null && all.some((one) => one.entity.name === field.references)
      ? [{ field: field.name, entity: field.references, nullable: field.nullable }]
      : [],
  );
  return { ...known, columns, references };
}

function isTimeOfRecord({ name, nullable }: TransferField): boolean {
  return !nullable && (name === "created_at" || name === "updated_at");
}

/** Every record has both times. The same value for each import, so that a second one finds the same records. */
function timeText({ mapping, table, entity }: KnownTable, field: TransferField, tables: SourceTables): string {
  const times = [field.name, field.name === "created_at" ? "updated_at" : "created_at"].flatMap((name) => {
    const column = table.columns.find((one) => one.name === mapping.fields[name]);
    const own = entity.fields.find((one) => one.name === name);
    return column?.type.kind === "datetime" && own !== undefined ? [valueText(column, own, tables)] : [];
  });
  return `coalesce(${[...times, "'1970-01-01 00:00:00+00'"].join(", ")})`;
}

/** The foreign key that contains the column and refers to a table of the entity. */
function referenceBy(
  table: ForeignTable,
  column: string,
  entity: string,
  all: readonly KnownTable[],
): { readonly reference: ForeignTable["references"][number]; readonly target: KnownTable } | undefined {
  const byLength = [...table.references].sort((one, other) => one.columns.length - other.columns.length);
  for (const reference of byLength) {
    const target = all.find((one) => one.table.id === reference.table && one.entity.name === entity);
    if (target !== undefined && reference.columns.includes(column)) return { reference, target };
  }
  return undefined;
}

type Deferred = ReadonlySet<string>;
const deferredName = (entity: string, field: string): string => `${entity}.${field}`;

function recordStep(
  { table, entity, columns }: MadeTable,
  deferred: Deferred,
  { source, rowsOf }: DatabasePlanOptions,
): PlannedStep {
  const now = columns.filter(({ field }) => !deferred.has(deferredName(entity.name, field.name)));
  const fields = ["id", ...now.map(({ field }) => field.name)];
  return {
    from: table.id,
    entity: entity.name,
    kind: "records",
    rows: rowsOf(table.id),
    columns: now.map(({ field, column }) => [field.name, column] as const),
    withSalt: (salt) =>
      createSourceStep(source, table, { kind: "records", entity: entity.name, fields }, [
        idOf(table, "_t", { salt, entity: entity.name }),
        ...now.map(({ sql }) => sql(salt)),
      ]),
  };
}

function fillSteps(
  { table, entity, columns }: MadeTable,
  deferred: Deferred,
  { source, rowsOf }: DatabasePlanOptions,
): PlannedStep[] {
  return columns
    .filter(({ field }) => deferred.has(deferredName(entity.name, field.name)))
    .map(({ field, column, sql }) => ({
      from: table.id,
      entity: entity.name,
      kind: "fill",
      rows: rowsOf(table.id),
      columns: [[field.name, column]],
      withSalt: (salt) =>
        createSourceStep(
          source,
          table,
          { kind: "fill", entity: entity.name, fields: ["id", field.name] },
          [idOf(table, "_t", { salt, entity: entity.name }), sql(salt)],
          `${sql(salt)} IS NOT NULL`,
        ),
    }));
}

function linkStep(
  link: LinkMapping,
  known: readonly KnownTable[],
  { source, tables, shape, rowsOf }: DatabasePlanOptions,
  problems: string[],
): PlannedStep | null {
  const table = tables.byId.get(link.table);
  const field = shape.entities.find(({ name }) => name === link.entity)?.fields.find(({ name }) => name === link.field);
  const isPair =
    table !== undefined && [link.own, link.other].every((name) => table.columns.some((one) => one.name === name));
  if (!isPair || field?.isList !== true || field.references === null) {
    problems.push(`${link.table}: ${link.entity}.${link.field} is not a many-to-many field of these columns`);
    return null;
  }
  const own = referenceBy(table, link.own, link.entity, known);
  const other = referenceBy(table, link.other, field.references, known);
  if (own === undefined || other === undefined) {
    problems.push(`${link.table}: one of its two tables is not imported`);
    return null;
  }
  const idBy = (salt: string, column: string, { reference, target }: typeof own): string =>
    referredId(column, reference, { table: target.table, salt, entity: target.entity.name });
  return {
    from: table.id,
    entity: link.entity,
    kind: "links",
    rows: rowsOf(table.id),
    columns: [[link.field, link.other]],
    withSalt: (salt) =>
      createSourceStep(source, table, { kind: "links", entity: link.entity, fields: [link.field] }, [
        idBy(salt, link.own, own),
        idBy(salt, link.other, other),
      ]),
  };
}
