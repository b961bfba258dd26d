// Writes the records within records. In: a row and a selection. Out: SQL of JSON. Each record stands under the read rule of its own
// entity, each field under its own, whatever leads to it.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { type Asker, type EntityView, oneHolds, wireValue } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import { type ReadableField, readableFields } from "../readable-fields.ts";
import type { FilterWriter } from "./filter-sql.ts";
import { reach } from "./reach.ts";
import type { Expansion, Selection } from "./selection.ts";
import { direction, sortValue } from "./sort.ts";

/** The fields that a selection asks for, as far as the caller reads them; those that are expanded stand there as records. */
export function selectedFields(view: EntityView, asker: Asker, selection: Selection): readonly ReadableField[] {
  const { fields, expansions } = selection;
  const expanded = new Set(expansions.map(({ relation }) => relation.name));
  return readableFields(view, asker.roles).filter(
    ({ field }) => !expanded.has(field.name) && (fields === null || fields.has(field.name)),
  );
}

export class SelectionWriter {
  readonly #asker: Asker;
  readonly #parameters: Parameters;
  readonly #filters: FilterWriter;
  #aliases = 0;

  /** @param filters Goes on behind what it has written: the values of the filters here come behind those. */
  constructor(asker: Asker, parameters: Parameters, filters: FilterWriter) {
    this.#asker = asker;
    this.#parameters = parameters;
    this.#filters = filters;
  }

  /** Of type json: a record or null, or an array. */
  expanded(view: EntityView, row: string, { relation, selection, list }: Expansion): string {
    this.#aliases++;
    const alias = `_e${this.#aliases}`;
    const { view: target, from, conditions } = reach(view, this.#asker, relation, row, alias, this.#parameters);
    if (list === null) {
      return `(select ${this.record(target, alias, selection)} from ${from} where ${conditions.join(" and ")})`;
    }
    const matching = this.#filters.holds(list.filter, target, alias);
    const where = [...conditions, ...(matching === "true" ? [] : [matching])].join(" and ");
    const order = list.sort.map(
      (key) => `${sortValue(key, target, this.#asker, alias, this.#parameters)} ${direction(key)}`,
    );
    const json = this.record(target, alias, selection);
    const page = `select ${json} as _json from ${from} where ${where} order by ${order.join(", ")} limit ${list.limit}`;
    return `(select coalesce(json_agg(_list._json), '[]'::json) from (${page}) _list)`;
  }

  /** Of type json. */
  record(view: EntityView, row: string, selection: Selection): string {
    const fields = selectedFields(view, this.#asker, selection);
    const within = selection.expansions.map((expansion) => ({
      name: expansion.relation.name,
      json: this.expanded(view, row, expansion),
    }));
    if (fields.every((each) => each.rules === null)) {
      const columns = [
        ...fields.map(({ field }) => [field.name, wireValue(view, field, row, this.#parameters)] as const),
        ...within.map(({ name, json }) => [name, json] as const),
      ].map(([name, sql]) => `${sql} as ${quoteIdentifier(name)}`);
      return columns.length === 0 ? "'{}'::json" : `(select row_to_json(_x) from (select ${columns.join(", ")}) _x)`;
    }
    return this.#narrowed(view, row, fields, within);
  }

  /**
   * `row_to_json` can't leave a member out, and dropping nulls would drop those that are values. Each rule is judged once for the
   * record, and not for each field that hangs on it.
   */
  #narrowed(
    view: EntityView,
    row: string,
    fields: readonly ReadableField[],
    within: readonly { readonly name: string; readonly json: string }[],
  ): string {
    const flags = new Map<string, string>();
    const members = fields.map(({ field, rules }) => {
      const member = memberOf({ name: field.name, json: `to_json(${wireValue(view, field, row, this.#parameters)})` });
      if (rules === null) return member;
      const { sql } = oneHolds(view, rules, this.#parameters, { record: row });
      const flag = flags.get(sql) ?? `_s${flags.size}`;
      flags.set(sql, flag);
      return `case when _shown.${flag} then ${member} end`;
    });
    const shown = [...flags].map(([sql, flag]) => `${sql} as ${flag}`).join(", ");
    const json = `concat('{', concat_ws(',', ${[...members, ...within.map(memberOf)].join(", ")}), '}')::json`;
    return `(select ${json} from (select ${shown} offset 0) _shown)`;
  }
}

function memberOf({ name, json }: { readonly name: string; readonly json: string }): string {
  return `concat(${quoteLiteral(`"${name}":`)}, coalesce((${json})::text, 'null'))`;
}
