// Writes the SQL for records within records. In: a row and a selection. Out: SQL of JSON. The read rule of each entity
// and of each field applies, whatever leads to the record.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { type EntityView, oneHolds, type StatementCaller } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import { type ReadableField, readableFields, shownValue } from "../readable-fields.ts";
import type { FilterWriter } from "./filter-sql.ts";
import { reach } from "./reach.ts";
import type { Expansion, Selection } from "./selection.ts";
import { direction, sortValue } from "./sort.ts";

/** The selected fields that the caller can read. Expanded ones appear as records. */
export function selectedFields(
  view: EntityView,
  caller: StatementCaller,
  selection: Selection,
): readonly ReadableField[] {
  const { fields, expansions } = selection;
  const expanded = new Set(expansions.map(({ relation }) => relation.name));
  return readableFields(view, caller.roles).filter(
    ({ field }) => !expanded.has(field.name) && (fields === null || fields.has(field.name)),
  );
}

export class SelectionWriter {
  readonly #caller: StatementCaller;
  readonly #parameters: Parameters;
  readonly #filters: FilterWriter;
  #aliases = 0;

  /** @param filters Continues its numbering: the values of the filters here come after its values. */
  constructor(caller: StatementCaller, parameters: Parameters, filters: FilterWriter) {
    this.#caller = caller;
    this.#parameters = parameters;
    this.#filters = filters;
  }

  /** SQL of type json: a record or null, or an array. */
  expanded(view: EntityView, row: string, { relation, selection, list }: Expansion): string {
    this.#aliases++;
    const alias = `_e${this.#aliases}`;
    const { view: target, from, conditions } = reach(view, this.#caller, relation, row, alias, this.#parameters);
    if (list === null) {
      const rows = `from ${from} where ${conditions.join(" and ")}`;
      const open = this.#openColumns(target, alias, selection);
      return open === null
        ? `(select ${this.#narrowed(target, alias, selection)} ${rows})`
        : `(select row_to_json(_x) from (select ${open} ${rows}) _x)`;
    }
    const matching = this.#filters.holds(list.filter, target, alias);
    const where = [...conditions, ...(matching === "true" ? [] : [matching])].join(" and ");
    const order = list.sort.map(
      (key) => `${sortValue(key, target, this.#caller, alias, this.#parameters)} ${direction(key)}`,
    );
    const rows = `from ${from} where ${where} order by ${order.join(", ")} limit ${list.limit}`;
    const open = this.#openColumns(target, alias, selection);
    return open === null
      ? `(select coalesce(json_agg(_list._json), '[]'::json) from (select ${this.#narrowed(target, alias, selection)} as _json ${rows}) _list)`
      : `(select coalesce(json_agg(_list), '[]'::json) from (select ${open} ${rows}) _list)`;
  }

  /** SQL of type json. */
  record(view: EntityView, row: string, selection: Selection): string {
    const open = this.#openColumns(view, row, selection);
    return open === null ? this.#narrowed(view, row, selection) : `(select row_to_json(_x) from (select ${open}) _x)`;
  }

  /**
   * The members as columns, if every record shows them all; building JSON from a whole row is the cheapest way in
   * Postgres.
   */
  #openColumns(view: EntityView, row: string, selection: Selection): string | null {
    const fields = selectedFields(view, this.#caller, selection);
    if (fields.some(({ rules }) => rules !== null) || fields.length + selection.expansions.length === 0) return null;
    return [
      ...fields.map(({ field }) => [field.name, shownValue(view, this.#caller, field, row, this.#parameters)] as const),
      ...this.#within(view, row, selection).map(({ name, json }) => [name, json] as const),
    ]
      .map(([name, sql]) => `${sql} as ${quoteIdentifier(name)}`)
      .join(", ");
  }

  #within(view: EntityView, row: string, { expansions }: Selection): readonly { name: string; json: string }[] {
    return expansions.map((expansion) => ({
      name: expansion.relation.name,
      json: this.expanded(view, row, expansion),
    }));
  }

  /**
   * `row_to_json` can't leave a member out, and dropping nulls would drop nulls that are values. Each rule is evaluated
   * once for the record, not for each field that depends on it.
   */
  #narrowed(view: EntityView, row: string, selection: Selection): string {
    const fields = selectedFields(view, this.#caller, selection);
    const within = this.#within(view, row, selection);
    const flags = new Map<string, string>();
    const members = fields.map(({ field, rules }) => {
      const member = memberOf({
        name: field.name,
        json: `to_json(${shownValue(view, this.#caller, field, row, this.#parameters)})`,
      });
      if (rules === null) return member;
      const { sql } = oneHolds(view, rules, this.#parameters, { record: row });
      const flag = flags.get(sql) ?? `_s${flags.size}`;
      flags.set(sql, flag);
      return `case when _shown.${flag} then ${member} end`;
    });
    if (members.length + within.length === 0) return "'{}'::json";
    const shown = [...flags].map(([sql, flag]) => `${sql} as ${flag}`).join(", ");
    const json = `concat('{', concat_ws(',', ${[...members, ...within.map(memberOf)].join(", ")}), '}')::json`;
    return `(select ${json} from (select ${shown} offset 0) _shown)`;
  }
}

function memberOf({ name, json }: { readonly name: string; readonly json: string }): string {
  return `concat(${quoteLiteral(`"${name}":`)}, coalesce((${json})::text, 'null'))`;
}
