// Going back to an earlier version. In: its model, what is live, the plan there. Out: what comes back and what can't.
// It is a change like any other: it never brings back a row that was written over, and says so before anybody approves.
import type { Entity, Field, Model } from "@plinth/blueprint";
import type { Column, MigrationPlan, Table } from "@plinth/bundle";

/**
 * The earlier model, told which names its entities and fields have now: what was renamed since goes back with its data,
 * as far as the live text still says what it was called.
 */
export function withNamesOfNow(earlier: Model, live: Model): Model {
  const entities = earlier.entities.map((entity) => {
    const now = counterpart(entity, earlier.entities, live.entities);
    if (now === undefined) return entity;
    const fields = entity.fields.map((field): Field => {
      const same = counterpart(field, entity.fields, now.fields);
      return same === undefined || same.name === field.name ? field : { ...field, was: same.name };
    });
    const was = now.name === entity.name ? entity.was : now.name;
    return { ...entity, was, fields } satisfies Entity;
  });
  return { ...earlier, entities };
}

interface Named {
  readonly name: string;
  readonly was: string | null;
}

/** What has the same name now, or says that it had it. */
function counterpart<T extends Named>(wanted: T, earlier: readonly T[], live: readonly T[]): T | undefined {
  const same = live.find((each) => each.name === wanted.name);
  if (same !== undefined) return same;
  const renamed = live.find((each) => each.was === wanted.name);
  return renamed === undefined || earlier.some((each) => each.name === renamed.name) ? undefined : renamed;
}

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
