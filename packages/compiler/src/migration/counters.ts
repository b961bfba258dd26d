// Renames counters together with the columns that they number. In: matched tables, and columns that are set aside. Out:
// one step of the switch, or none. A column that is set aside keeps its counter under its new name, so that no number
// is used twice.
import type { Column, SetAside } from "@plinth/bundle";
import { quoteText } from "../sql/sql-text.ts";
import { SEQUENCES_TABLE } from "../tables/system-tables.ts";
import type { Renamed } from "./checks.ts";
import * as ddl from "./ddl.ts";
import type { Matched, TableChange } from "./match.ts";
import { type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { keptName, movedName } from "./names.ts";

/** Counters have the name `<table>.<column>`. Columns without a counter match no row. */
export function counterSteps(schema: Matched, setAside: readonly SetAside[], tag: string): readonly Step[] {
  const existing = schema.kept.find(({ after }) => after.name === SEQUENCES_TABLE);
  const isMade = [...schema.early, ...schema.late].some(({ name }) => name === SEQUENCES_TABLE);
  if (existing === undefined && !isMade) return [];
  const moved = [
    ...schema.kept.filter((table) => table !== existing).flatMap((table) => movedIn(table, setAside, tag)),
    ...schema.dropped.flatMap((table) =>
      table.columns
        .filter(mayBeNumbered)
        .map(({ name }): Renamed => [`${table.name}.${name}`, `${keptName(tag, table.name)}.${name}`]),
    ),
  ].filter(([from, to]) => from !== to);
  if (moved.length === 0) return [];
  const given = {
    slug: "move-counters",
    stage: "settle",
    summary: "Rename the counters of sequences.",
    table: existing?.before.name ?? null,
    undo: UNDO_BY_DEPLOY,
    lock: "row exclusive",
  } as const;
  return [statement(given, moveSql(moved))];
}

function movedIn(table: TableChange, setAside: readonly SetAside[], tag: string): readonly Renamed[] {
  const { before, after, columns, dropped } = table;
  const named = columns.flatMap((change): readonly Renamed[] =>
    (change.how === "kept" || change.how === "added") && mayBeNumbered(change.after)
      ? [[change.now, change.after.name]]
      : [],
  );
  const gone = dropped.filter(mayBeNumbered).map(({ name }): Renamed => [name, keptName(tag, name)]);
  const existing = new Set(named.map(([from]) => from));
  const kept = setAside
    .filter((what) => what.kind === "column" && what.table === before.name && !existing.has(what.keptAs))
    .map(({ keptAs }): Renamed => [keptAs, keptAs]);
  return [...named, ...gone, ...kept].map(([from, to]) => [`${before.name}.${from}`, `${after.name}.${to}`]);
}

function mayBeNumbered({ sqlType, default: fallback }: Column): boolean {
  return sqlType === "text" && fallback === null;
}

/**
 * Through temporary names, because two can be swapped. A counter that already has the new name belonged to something
 * that was removed.
 */
function moveSql(moved: readonly Renamed[]): string {
  const rows = ddl.qualified(SEQUENCES_TABLE);
  const pairs = moved.map(([from, to]) => `(${quoteText(from)}, ${quoteText(to)})`).join(", ");
  const via = `${quoteText(movedName(""))} || `;
  // The name of the organization follows the field's name if each has its own counter.
  const [name, rest] = [
    `split_part(_c."name", '/', 1)`,
    `substr(_c."name", length(split_part(_c."name", '/', 1)) + 1)`,
  ];
  return `update ${rows} _c set "name" = ${via}_m._new_name || ${rest} from (values ${pairs}) _m (_old_name, _new_name) where ${name} = _m._old_name;
delete from ${rows} _c using ${rows} _moved where _moved."name" = ${via}_c."name";
update ${rows} _c set "name" = _m._new_name || ${rest} from (values ${pairs}) _m (_old_name, _new_name) where ${name} = ${via}_m._new_name;`;
}
