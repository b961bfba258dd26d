// Suggests indexes for a slow list. In: the failure of a list that took too long. Out: the same with a sentence for the
// developer, if useful indexes are missing. It only reveals what the blueprint says, and nothing about the rows.
import { asFault, quoteIdentifier } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { EntityView } from "../entity-view.ts";
import type { Filter } from "./filter.ts";
import { targetOf } from "./reach.ts";
import type { SortKey } from "./sort.ts";

/** Adds what would help to the error of a slow list. */
export function withAdvice(error: unknown, view: EntityView, filter: Filter, sort: readonly SortKey[]): unknown {
  const fault = asFault(error);
  if (!(fault instanceof Fault) || fault.code !== "timeout") return error;
  const advice = whatToIndex(view, filter, sort);
  if (advice === null) return error;
  return new Fault("timeout", { detail: `The list took too long. ${advice}`, headers: fault.headers, cause: error });
}

/** @param sort Without the keys that the service adds. */
function whatToIndex(view: EntityView, filter: Filter, sort: readonly SortKey[]): string | null {
  const wanted = new Set<string>();
  filtered(view, filter, wanted);
  const [first] = sort;
  if (first !== undefined && first.ranked === undefined && first.hops.length === 0 && first.choices === null) {
    if (!isIndexed(view, first.field.column)) wanted.add(`${view.entity.name}.${first.field.name}`);
  }
  if (wanted.size === 0) return null;
  const names = [...wanted].sort().map((name) => `\`${name}\``);
  return `Add \`index\` to ${names.join(" and ")} in the blueprint.`;
}

/** Fields whose conditions every record must meet, and that have no usable index. */
function filtered(view: EntityView, filter: Filter, wanted: Set<string>): void {
  switch (filter.kind) {
    case "all":
      for (const each of filter.of) filtered(view, each, wanted);
      break;
    case "related":
      filtered(targetOf(view, filter.relation), filter.of, wanted);
      break;
    case "test": {
      const { field, path } = filter.subject;
      const byIndex = ["eq", "in", "gt", "gte", "lt", "lte", "is_null"].includes(filter.operator);
      if (byIndex && path.length === 0 && field.filterable && !isIndexed(view, field.column)) {
        wanted.add(`${view.entity.name}.${field.name}`);
      }
      break;
    }
    // A single alternative doesn't have to be met, and no index finds records that don't match.
    case "any":
    case "not":
  }
}

function isIndexed({ table }: EntityView, column: string | null): boolean {
  if (table === null || column === null || column === "id") return true;
  const quoted = quoteIdentifier(column);
  return (
    table.indexes.some(({ method, keys }) => method === "btree" && keys[0] === quoted) ||
    table.uniques.some(({ columns }) => columns[0] === column)
  );
}
