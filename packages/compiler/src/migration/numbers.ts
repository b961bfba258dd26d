// Numbers existing records for a new sequence. In: the model, then a table's change. Out: for each such column, the
// steps that give every record a number before the switch, in the order of creation, after the numbers that are already
// used.
import type { Model } from "@plinth/blueprint";
import { quoteIdentifier as q, quoteText } from "../sql/sql-text.ts";
import { SEQUENCES_TABLE } from "../tables/system-tables.ts";
import * as ddl from "./ddl.ts";
import type { ColumnChange, Matched, TableChange } from "./match.ts";
import { alteration, concurrent, facts, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { guardName, presenceName } from "./names.ts";
import { changeOf, existingValueOf } from "./table-sql.ts";

interface Numbered {
  readonly prefix: string;
  /** The column with the organization that has its own numbers; null if all share them. */
  readonly per: string | null;
}

/** Table > column. */
export type Numbers = Readonly<Record<string, Readonly<Record<string, Numbered>>>>;

export function numbersOf({ entities }: Model): Numbers {
  return Object.fromEntries(
    entities.map(({ plural, fields, orgField }) => {
      const numbered = fields.flatMap(({ name, type }) =>
        type.kind === "sequence"
          ? [[name, { prefix: type.prefix, per: type.per === undefined ? null : orgField }]]
          : [],
      );
      return [plural, Object.fromEntries(numbered)];
    }),
  );
}

/** Column > what ensures that every row has a number. */
export type NumberSteps = ReadonlyMap<string, readonly Step[]>;

export function numberSteps(table: TableChange, schema: Matched, numbers: Numbers): NumberSteps {
  const counters = schema.kept.find(({ after }) => after.name === SEQUENCES_TABLE)?.before.name ?? SEQUENCES_TABLE;
  return new Map(
    table.columns.flatMap((change): [string, readonly Step[]][] => {
      const numbered = numbers[table.after.name]?.[change.after.name];
      if (numbered === undefined || change.after.nullable || change.before?.nullable === false) return [];
      return [[change.after.name, stepsOf({ table, change, numbered, counters })]];
    }),
  );
}

interface Numbering {
  readonly table: TableChange;
  readonly change: ColumnChange;
  readonly numbered: Numbered;
  /** The name of the counters table until the switch. */
  readonly counters: string;
}

/**
 * The old release knows no numbers, so its new records are numbered after the others: most of them while it serves, and
 * the last ones, found by an index, while the switch blocks writers.
 */
function stepsOf(numbering: Numbering): readonly Step[] {
  const { table, change } = numbering;
  const { before, after } = table;
  const [slug, name] = [`${after.name}-${change.after.name}`, `${after.name}.${change.after.name}`];
  const guard = guardName(before.name, presenceName(change.after.name));
  const common = { table: before.name, undo: UNDO_BY_DEPLOY, class: "backfill" } as const;
  const missing = `${q(change.now)} is null`;
  const rest = numberSql(
    numbering,
    `select ${row("id")} as _key, ${counterOf(numbering)} as _name from ${rows(table)} _r where _r.${missing} for update`,
  );
  return [
    {
      kind: "backfill",
      ...facts({
        ...common,
        slug: `number-${slug}`,
        stage: "backfill",
        summary: `Number the records of ${after.name} in the order of their creation (${change.after.name}).`,
        lock: "row exclusive",
        rewrites: true,
        scans: true,
      }),
      sql: batchSql(numbering),
    },
    concurrent(
      {
        ...common,
        slug: `unnumbered-${slug}`,
        stage: "index",
        summary: `Build an index over records of ${after.name} without a ${change.after.name}.`,
        undo: "It is removed at the switch.",
        scans: true,
      },
      `create index concurrently ${q(guard)} on ${rows(table)} ("id") where ${missing}`,
      ddl.dropIndexOnline(guard),
    ),
    statement(
      {
        ...common,
        slug: `number-new-${slug}`,
        stage: "index",
        summary: `Number the records that were written during the deployment (${name}).`,
        lock: "row exclusive",
        rewrites: true,
      },
      `${rest};`,
    ),
    alteration(
      {
        ...common,
        slug: `number-last-${slug}`,
        stage: "guard",
        summary: `Number the last records of ${after.name} that were written before the switch.`,
        rewrites: true,
      },
      `lock table ${rows(table)} in access exclusive mode;\n${rest};\n${ddl.dropIndex(guard)}`,
    ),
  ];
}

const row = (column: string): string => `_r.${q(column)}`;

function rows({ before }: TableChange): string {
  return ddl.qualified(before.name);
}

/** By its name until the switch, when counters get the new names. */
function counterOf({ table, change, numbered }: Numbering): string {
  const counter = quoteText(`${table.before.name}.${change.now}`);
  if (numbered.per === null) return counter;
  const organization = changeOf(table, numbered.per);
  return `${counter} || '/' || (${organization.fill?.of("_r") ?? existingValueOf(organization, "_r")})::text`;
}

function batchSql(numbering: Numbering): string {
  const { table, change } = numbering;
  const batch = `select "id" as _key from ${rows(table)} where {after}::text is null or "id" > {after}::text::uuid order by "id" limit {limit}`;
  const todo = `select ${row("id")} as _key, ${counterOf(numbering)} as _name from ${rows(table)} _r join _batch on _batch._key = ${row("id")} where ${row(change.now)} is null for update of _r`;
  return numberSql(
    numbering,
    todo,
    `_batch as materialized (${batch}), `,
    "(select _batch._key::text from _batch order by _batch._key desc limit 1)",
  );
}

/** The counter provides as many numbers as there are records, which get them in the order of their ids. */
function numberSql(
  { table, change, numbered, counters }: Numbering,
  todo: string,
  before = "",
  last: string | null = null,
): string {
  const counted = `insert into ${ddl.qualified(counters)} as _c ("name", "value") select _todo._name, count(*) from _todo group by _todo._name order by _todo._name on conflict ("name") do update set "value" = _c."value" + excluded."value" returning _c."name", _c."value"`;
  const placed = `select _todo._key, _todo._name, row_number() over (partition by _todo._name order by _todo._key) - count(*) over (partition by _todo._name) as _back from _todo`;
  const written = `update ${rows(table)} _r set ${q(change.now)} = ${quoteText(numbered.prefix)} || (_counted."value" + _placed._back)::text from _placed join _counted on _counted."name" = _placed._name where ${row("id")} = _placed._key`;
  const parts = `with ${before}_todo as materialized (${todo}), _counted as (${counted}), _placed as (${placed})`;
  return last === null
    ? `${parts} ${written}`
    : `${parts}, _written as (${written} returning 1) select ${last} as last, (select count(*) from _written) as written;`;
}
