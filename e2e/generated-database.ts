// Compares a project's tables with the model. In: a connection, the world. Out: a text of all rows, and the first
// difference. It only reads tables, and never runs a statement of the service.
import type { Field, JsonValue } from "@plinth/blueprint";
import type pg from "pg";
import type { Audit } from "./generated-outcomes.ts";
import type { Values, World } from "./generated-world.ts";

export interface Snapshot {
  /** Equal if all rows of all entities and all sequence numbers are equal. */
  readonly text: string;
  readonly audits: number;
  /** The audit rows of the request. */
  readonly own: readonly Audit[];
}

type Table = readonly { readonly id: string; readonly [column: string]: JsonValue }[];

export async function snapshotOf(
  client: pg.Client,
  schema: string,
  world: World,
  requestId: string,
): Promise<Snapshot> {
  const tables = world.model.entities.map(({ name, plural, fields }) => {
    const columns = fields.flatMap((field) => columnSql(field, `"${schema}"`, name, plural));
    return `'${name}', (select coalesce(json_agg(x order by x.id), '[]') from (select ${columns.join(", ")} from "${schema}"."${plural}" r) x)`;
  });
  const audit = `"${schema}"."audit_log"`;
  const sql =
    `select json_build_object(${tables.join(", ")})::text as rows, (select count(*) from ${audit})::int as audits, ` +
    `(select coalesce(json_agg(json_build_array("operation", "entity", "record_id")), '[]') from ${audit} where "request_id" = $1) as own`;
  const { rows } = await client.query<{ rows: string; audits: number; own: Audit[] }>(sql, [requestId]);
  const [row] = rows;
  if (row === undefined) throw new Error("no snapshot");
  return { text: row.rows, audits: row.audits, own: row.own };
}

/** The audit rows of a read: `expand room: <ids>`, sorted. */
export async function auditLinesOf(
  { client, schema }: { readonly client: pg.Client; readonly schema: string },
  requestId: string,
): Promise<readonly string[]> {
  const sql = `select "operation", "entity", coalesce("changes"->'ids', '[]') as ids from "${schema}"."audit_log" where "request_id" = $1`;
  const { rows } = await client.query<{ operation: string; entity: string; ids: string[] }>(sql, [requestId]);
  return rows.map(({ operation, entity, ids }) => `${operation} ${entity}: ${ids.join(",")}`).sort();
}

/** Each value in the form of the API; for a secret, whether there is one. */
function columnSql({ name, type }: Field, schema: string, entity: string, plural: string): string[] {
  const column = `r."${name}"`;
  const as = `as "${name}"`;
  switch (type.kind) {
    case "computed":
      return [];
    case "refs": {
      const own = type.entity === entity ? "other" : type.entity;
      const member = `j."${own}_id"`;
      return [
        `(select coalesce(json_agg(${member} order by ${member}), '[]') from ${schema}."${plural}__${name}" j where j."${entity}_id" = r."id") ${as}`,
      ];
    }
    case "decimal":
    case "money":
    case "bigint":
      return [`${column}::text ${as}`];
    case "percent":
      return [`${column}::float8 ${as}`];
    case "datetime":
      return [`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') ${as}`];
    case "duration":
      return [`extract(epoch from ${column})::float8 ${as}`];
    case "secret":
      return [`(${column} is not null) ${as}`];
    default:
      return [`${column} ${as}`];
  }
}

const seconds: Readonly<Record<string, number>> = { PT1H: 3600, PT30M: 1800, P1D: 86400, PT0S: 0 };

/** Null if both are equal. Times that the service sets are copied from the table if they are recent. */
export function differenceFrom(world: World, { text }: Snapshot, since: number): string | null {
  const tables = JSON.parse(text) as Record<string, Table>;
  for (const entity of world.model.entities) {
    const rows = tables[entity.name] ?? [];
    const records = [...world.records.values()].filter((each) => each.entity.name === entity.name);
    if (rows.length !== records.length) return `${entity.name}: ${rows.length} rows, expected ${records.length}`;
    for (const row of rows) {
      const record = world.records.get(row.id);
      if (record === undefined) return `${entity.name} ${row.id} should not be there`;
      for (const field of entity.fields) {
        const wrong = compare(field, row, record.values, since);
        if (wrong !== null) return `${entity.name} ${row.id}.${field.name}: ${wrong}`;
      }
    }
  }
  return null;
}

function compare(field: Field, row: Table[number], values: Values, since: number): string | null {
  const { name, type } = field;
  if (type.kind === "computed") return null;
  const expected = values[name] ?? null;
  const found = row[name] ?? null;
  if (type.kind === "secret") return found === (expected !== null) ? null : `${found}, expected ${expected}`;
  if (type.kind === "datetime" && isRecent(expected, since) && isRecent(found, since)) {
    values[name] = found;
    return null;
  }
  const wanted = type.kind === "duration" && expected !== null ? (seconds[String(expected)] ?? null) : expected;
  const sorted = type.kind === "refs" && Array.isArray(wanted) ? [...wanted].sort() : wanted;
  return sameJson(found, sorted) ? null : `${JSON.stringify(found)}, expected ${JSON.stringify(sorted)}`;
}

/** A time that the service has set during this request or a moment around it. Both clocks are those of this machine. */
function isRecent(value: JsonValue, since: number): boolean {
  if (typeof value !== "string") return false;
  const at = Date.parse(value);
  return at >= since - 50 && at <= Date.now() + 50;
}

/** In any order, because a create generates the id. */
export function sameAudits(found: readonly (readonly unknown[])[], expected: readonly (readonly unknown[])[]): boolean {
  const sorted = (rows: readonly (readonly unknown[])[]): string[] =>
    rows.map(([operation, entity, id]) => `${operation} ${entity} ${operation === "create" ? "" : id}`).sort();
  return sameJson(sorted(found), sorted(expected));
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => sameJson((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]));
}
