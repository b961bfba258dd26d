// Numbers of imported records. In: a target with numbered fields. Out: the numbers of a batch, and counters above all
// numbers of the source. The number of a row that is refused later isn't used again.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import type { ClientBase } from "pg";
import type { StoredField } from "../query/entity-view.ts";
import type { ImportTarget } from "./import-target.ts";

/** @param rows A SELECT of typed rows; each takes one number of each counter. */
export async function takeNumbers(client: ClientBase, target: ImportTarget, rows: string): Promise<void> {
  for (const field of target.numbered) {
    await client.query(
      `INSERT INTO ${target.schema}."sequences" AS _c ("name", "value")
       SELECT ${counterName(field)}, count(*) FROM (${rows}) _t GROUP BY 1 ORDER BY 1
       ON CONFLICT ("name") DO UPDATE SET "value" = _c."value" + EXCLUDED."value"`,
    );
  }
}

export function numberingJoins(target: ImportTarget): string {
  return target.numbered
    .map((field, at) => ` JOIN ${target.schema}."sequences" _n${at} ON _n${at}."name" = ${counterName(field)}`)
    .join("");
}

/** SQL of a row's number, if the batch has taken its numbers and `numberingJoins` follow the rows. */
export function numberOf(field: StoredField, at: number): string {
  const counter = `PARTITION BY _n${at}."name"`;
  return (
    `${quoteLiteral(field.sequence?.prefix ?? "")} || ` +
    `(_n${at}."value" - count(*) OVER (${counter}) + row_number() OVER (${counter}))`
  );
}

/** The service's next number comes after the greatest one of the source. */
export async function raiseCounters(client: ClientBase, target: ImportTarget, rows: string): Promise<void> {
  for (const field of target.mapped.filter(({ sequence }) => sequence !== null)) {
    const { prefix = "" } = field.sequence ?? {};
    const digits = `substr(_t.${quoteIdentifier(field.column)}, ${prefix.length + 1})`;
    const own = `starts_with(_t.${quoteIdentifier(field.column)}, ${quoteLiteral(prefix)}) AND ${digits} ~ '^[0-9]{1,18}$'`;
    await client.query(
      `INSERT INTO ${target.schema}."sequences" AS _c ("name", "value")
       SELECT ${counterName(field)}, max(CASE WHEN ${own} THEN ${digits}::bigint END) FROM (${rows}) _t
       WHERE ${own} GROUP BY 1 ORDER BY 1
       ON CONFLICT ("name") DO UPDATE SET "value" = greatest(_c."value", EXCLUDED."value")`,
    );
  }
}

function counterName({ sequence }: StoredField): string {
  const counter = quoteLiteral(sequence?.counter ?? "");
  return sequence?.perOrganization === true ? `${counter} || '/' || (_t."org_id")::text` : counter;
}
