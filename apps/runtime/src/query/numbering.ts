// Numbers records within a write's statement. In: the numbered fields, and when they are numbered. Out: the CTE `_num`
// that counts, and the number of a field. Numbers have no gaps: a failed statement returns its numbers, and statements
// wait for each other. A dry run only reads the counters: its numbers are a forecast, and nobody waits for it.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import type { EntityView, StatementCaller, StoredField } from "./entity-view.ts";
import type { Parameters } from "./parameters.ts";
import { allFlags } from "./statement.ts";

/** Counters of sequences: one row each. The statement that uses the number updates it. */
const COUNTERS = "sequences";

export type NumberedField = StoredField & { readonly sequence: NonNullable<StoredField["sequence"]> };

interface Counting {
  readonly flags: readonly string[];
  /** The source of `_new`, the flags and `wanted`. */
  readonly from: string;
  readonly caller: StatementCaller;
  readonly parameters: Parameters;
}

export function isNumbered(field: StoredField): field is NumberedField {
  return field.sequence !== null;
}

/** The counters, without the part that separates organizations. */
export function countersOf(numbered: readonly NumberedField[]): readonly string[] {
  return [...new Set(numbered.map(({ sequence }) => sequence.counter))];
}

/** Empty if nothing is numbered. @param wanted Whether the record is numbered now; default: yes. */
export function numbers(
  { schema }: EntityView,
  numbered: readonly NumberedField[],
  { flags, from, caller, parameters }: Counting,
  wanted: (field: NumberedField) => string | null = () => null,
): string {
  if (numbered.length === 0) return "";
  if (caller.isTried === true) {
    const rows = numbered.map(
      (field) =>
        `(${counterName(field)}, ${wanted(field) ?? "true"}, ${parameters.triedBefore(field.sequence.counter)})`,
    );
    return (
      `_num as (select _n."name", coalesce(_c."value", 0) + 1 + _n."tried" as "value" ` +
      `from ${from}, lateral (values ${rows.join(", ")}) as _n ("name", "wanted", "tried") ` +
      `left join ${schema}.${quoteIdentifier(COUNTERS)} _c on _c."name" = _n."name" where _n."wanted" and ${allFlags(flags)}), `
    );
  }
  const rows = numbered.map((field) => `(${counterName(field)}, ${wanted(field) ?? "true"})`).sort();
  return (
    `_num as (insert into ${schema}.${quoteIdentifier(COUNTERS)} as _c ("name", "value") ` +
    `select _n."name", 1 from ${from}, lateral (values ${rows.join(", ")}) as _n ("name", "wanted") ` +
    `where _n."wanted" and ${allFlags(flags)} order by _n."name" ` +
    `on conflict ("name") do update set "value" = _c."value" + 1 returning _c."name", _c."value"), `
  );
}

/** Null if `_num` counted nothing for it. */
export function nextNumber(field: NumberedField): string {
  return `${quoteLiteral(field.sequence.prefix)} || (select _num."value" from _num where _num."name" = ${counterName(field)})`;
}

/** SQL over the new row. */
function counterName({ sequence }: NumberedField): string {
  const counter = quoteLiteral(sequence.counter);
  return sequence.perOrganization === true ? `${counter} || '/' || (_new."org_id")::text` : counter;
}
