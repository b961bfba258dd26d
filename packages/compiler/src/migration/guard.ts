// Stops the switch if the old release has written rows that the new schema refuses. In: a condition over the current
// columns. Out: an index over exactly the violating rows, which should be empty, and the check at the switch.

import { DELETED_AT } from "../sql/catalog.ts";
import { dollarQuote, quoteIdentifier as q, quoteText } from "../sql/sql-text.ts";
import * as ddl from "./ddl.ts";
import type { TableChange } from "./match.ts";
import { alteration, concurrent, NOTHING_TO_UNDO, type Step } from "./migration-step.ts";
import { forgetsDeleted } from "./table-sql.ts";

export interface Guarded {
  readonly slug: string;
  /** The index. */
  readonly name: string;
  /** The end of "records of listings": "without a price". */
  readonly problem: string;
  /** Immutable SQL: it becomes the predicate of an index. */
  readonly where: string;
  /** For the message. */
  readonly column: string;
}

/**
 * With the index, the switch finds out at once, however long the table is; the lock keeps the result valid until the
 * switch is done. Statistics can make Postgres scan the table instead, so that is prevented here. A column can have the
 * name of a variable that every block has (`found`): the column is meant.
 */
export function guardSteps(table: TableChange, guarded: Guarded): readonly Step[] {
  const { slug, name, problem, column } = guarded;
  const where = forgetsDeleted(table) ? `(${guarded.where}) and ${q(DELETED_AT)} is null` : guarded.where;
  const rows = ddl.qualified(table.before.name);
  const records = `records of ${table.after.name} ${problem}`;
  const said = quoteText(`a record of ${table.after.name} ${problem} was written during the deployment`);
  const block = ` #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from ${rows} where ${where}) then
    raise exception using message = ${said}, errcode = 'check_violation', table = ${quoteText(table.before.name)}, column = ${quoteText(column)};
  end if;
  perform set_config('enable_seqscan', 'on', true);
end `;
  return [
    concurrent(
      {
        slug: `guard-index-${slug}`,
        stage: "index",
        summary: `Build an index over ${records}. It should be empty.`,
        table: table.before.name,
        undo: "It is removed at the switch.",
        scans: true,
      },
      `create index concurrently ${q(name)} on ${rows} ((1)) where ${where}`,
      ddl.dropIndexOnline(name),
    ),
    alteration(
      {
        slug: `guard-${slug}`,
        stage: "guard",
        summary: `Make sure that no ${records} were written during the deployment.`,
        table: table.before.name,
        undo: NOTHING_TO_UNDO,
        class: "data_dependent",
      },
      `lock table ${rows} in access exclusive mode;
do ${dollarQuote(block)};
${ddl.dropIndex(name)}`,
    ),
  ];
}
