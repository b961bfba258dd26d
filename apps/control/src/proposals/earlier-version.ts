// Restores an earlier version. In: the live tables, the earlier tables, the plan between them. Out: what can't be restored. It is
// a change like any other: it can't restore values that were overwritten, and its approver sees that first.
import type { Column, MigrationPlan, Table } from "@plinth/bundle";

/** One sentence for each part of the earlier version that the plan can't restore. */
export function lossesOf(
  live: readonly Table[],
  earlier: readonly Table[],
  plan: MigrationPlan,
  renamed: {
    readonly tables: Readonly<Record<string, string>>;
    readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>;
  },
): readonly string[] {
  const restored = new Set(
    plan.steps.flatMap((step) =>
      step.kind === "restore"
        ? [step.what.column === null ? step.what.table : `${step.what.table}.${step.what.column}`]
        : [],
    ),
  );
  const nowOf = new Map(Object.entries(renamed.tables).map(([from, to]) => [to, from]));
  return earlier.flatMap((table) => {
    const nameNow = nowOf.get(table.name) ?? table.name;
    const now = live.find((each) => each.name === nameNow);
    if (now === undefined) {
      return restored.has(table.name) ? [] : [`The records of ${table.name} are no longer stored. It will be empty.`];
    }
    const columnsNow = new Map(Object.entries(renamed.columns[table.name] ?? {}).map(([from, to]) => [to, from]));
    return table.columns.flatMap((column) => {
      const same = now.columns.find((each) => each.name === (columnsNow.get(column.name) ?? column.name));
      const back = restored.has(`${nameNow}.${column.name}`) || restored.has(`${table.name}.${column.name}`);
      return lossOfColumn(table.name, column, same, back);
    });
  });
}

function lossOfColumn(table: string, column: Column, now: Column | undefined, back: boolean): readonly string[] {
  const path = `${table}.${column.name}`;
  if (now === undefined)
    return back ? [] : [`The values of ${path} are no longer stored. It will be empty or have its default.`];
  if (now.sqlType === column.sqlType) return [];
  return [
    `The values of ${path} are converted from ${now.sqlType} to ${column.sqlType}. Information that the earlier conversion lost can't be restored.`,
  ];
}
