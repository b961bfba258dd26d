// Checks whether a unique constraint can be violated. In: a table's change and the constraint. Out: that it certainly
// holds, or a step that counts.
import type { Unique } from "@plinth/bundle";
import type { TableChange } from "./match.ts";
import type { Step } from "./migration-step.ts";
import { changeOf, newNameOf, oldValueOf, overOldRows, underNewNames } from "./table-sql.ts";
import { verifyDistinct } from "./verify.ts";

/** True if neither an existing row nor a write of the old release can violate it. */
export function uniqueIsImplied(table: TableChange, unique: Unique): boolean {
  const columns = unique.columns.map((column) => changeOf(table, column));
  // Two nulls are never equal.
  if (columns.some(({ how, after, fill }) => how === "added" && after.default === null && fill === undefined))
    return true;
  return table.before.uniques.some((old) => {
    const where = old.where === null ? null : underNewNames(table, old.where);
    const covers = old.where === null || (where !== null && where === unique.where);
    return covers && old.columns.every((name) => unique.columns.includes(sameValueIn(table, name) ?? ""));
  });
}

/** The column that differs whenever this one does. */
function sameValueIn(table: TableChange, name: string): string | null {
  const converted = table.columns.find(
    (one) => one.how === "converted" && one.before.name === name && one.conversion.total && one.conversion.injective,
  );
  return converted?.after.name ?? newNameOf(table, name);
}

export function verifyUnique(table: TableChange, unique: Unique): Step {
  const name = unique.columns.join("+");
  return verifyDistinct(
    table,
    {
      slug: `unique-${unique.name}`,
      summary: `Make sure that no two records of ${table.after.name} have the same ${name}.`,
      violation: `the same ${name} as another record`,
    },
    unique.columns.map((column) => oldValueOf(changeOf(table, column))),
    unique.where === null ? null : overOldRows(table, unique.where),
  );
}
