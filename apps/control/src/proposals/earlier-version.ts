// Going back to an earlier version. In: the tables that are live, those of then, the plan there. Out: what doesn't come back.
// It is a change like any other: it never brings back a row that was written over, and says so before anybody approves.
import type { Column, MigrationPlan, Table } from "@plinth/bundle";

/** One sentence for each thing that the earlier version had and the plan can't bring back. */
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
      return restored.has(table.name) ? [] : [`The records of ${table.name} are gone: it comes back empty.`];
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
    return back ? [] : [`The values of ${path} are gone: it comes back empty or with its default.`];
  if (now.sqlType === column.sqlType) return [];
  return [
    `The values of ${path} are converted from ${now.sqlType} to ${column.sqlType}; what the way there lost doesn't come back.`,
  ];
}
