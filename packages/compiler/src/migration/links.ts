// Converts a reference to a list of links, or the reverse. In: two models, then matched tables. Out: the steps that
// copy the values while the old release writes. A record with more than one link stops the deployment, so that none is
// lost.
import { type Entity, type Field, type Model, matchByName } from "@plinth/blueprint";
import { joinTableOf } from "../sql/catalog.ts";
import { dollarQuote, quoteIdentifier as q, quoteText } from "../sql/sql-text.ts";
import * as ddl from "./ddl.ts";
import type { Fills } from "./fills.ts";
import { guardSteps } from "./guard.ts";
import type { Matched, TableChange } from "./match.ts";
import { alteration, facts, type Refusal, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { guardName, linkFeedName } from "./names.ts";
import { changeOf } from "./table-sql.ts";
import { verifyRows } from "./verify.ts";

export interface LinkChange {
  /** `spread`: a column into links. `gathered`: links into a column. */
  readonly how: "spread" | "gathered";
  /** The new name of the table that has, or had, the column. */
  readonly table: string;
  /** `table.column` that is removed, by its old names, and the new column: null if it is a table. */
  readonly column: { readonly table: string; readonly name: string };
  /** The table of links: by its new name if it is created, by its old one if it is removed. */
  readonly links: { readonly table: string; readonly own: string; readonly other: string };
}

export function linksOf(before: Model | null, after: Model): readonly LinkChange[] {
  const entities = matchByName(before?.entities ?? [], after.entities).kept;
  const newName = new Map(entities.map((pair) => [pair.before.name, pair.after.name]));
  return entities.flatMap((pair) =>
    matchByName(pair.before.fields, pair.after.fields).kept.flatMap((field): LinkChange[] => {
      const [was, is] = [field.before.type, field.after.type];
      const table = pair.after.plural;
      if (was.kind === "ref" && is.kind === "refs" && newName.get(was.entity) === is.entity) {
        const column = { table: pair.before.plural, name: field.before.name };
        return [{ how: "spread", table, column, links: linksBy(pair.after, field.after, is.entity) }];
      }
      if (was.kind === "refs" && is.kind === "ref" && newName.get(was.entity) === is.entity) {
        const column = { table, name: field.after.name };
        return [{ how: "gathered", table, column, links: linksBy(pair.before, field.before, was.entity) }];
      }
      return [];
    }),
  );
}

function linksBy({ name, plural }: Entity, field: Field, target: string): LinkChange["links"] {
  return joinTableOf({ name, table: plural }, field.name, target);
}

/**
 * `table` or `table.column`. Created, by their new names: their values come only from the conversion. Carried, by their
 * old names: they are removed, but their values are not lost.
 */
export function movedByLinks(changes: readonly LinkChange[]): {
  readonly made: ReadonlySet<string>;
  readonly carried: ReadonlySet<string>;
} {
  const places = changes.map(({ how, column, links }) => {
    const [asColumn, asTable] = [`${column.table}.${column.name}`, links.table];
    return how === "spread" ? { made: asTable, carried: asColumn } : { made: asColumn, carried: asTable };
  });
  return { made: new Set(places.map(({ made }) => made)), carried: new Set(places.map(({ carried }) => carried)) };
}

/** The links are written while the old release serves, under their final name. */
export function refuseLinks(schema: Matched, changes: readonly LinkChange[]): Matched {
  const refused = changes.flatMap(({ how, links }): Refusal[] => {
    if (how !== "spread" || schema.early.some(({ name }) => name === links.table)) return [];
    const reason = `Another field still uses the table ${links.table}. First rename one of the two in a separate change.`;
    return [{ path: links.table, reason }];
  });
  return { ...schema, refused: [...schema.refused, ...refused] };
}

/** Means "more than one" until the switch; no record has this id, because no UUID has its version. */
const MANY = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid";

/** The new value from a record's links, in addition to `fill`. */
export function fillsOfLinks(changes: readonly LinkChange[], fills: Fills): Fills {
  const all: Record<string, Fills[string]> = { ...fills };
  for (const { how, table, column, links } of changes) {
    if (how !== "gathered") continue;
    const declared = fills[table]?.[column.name];
    const value = (write: Parameters<Fills[string][string]["value"]>[0]): string => {
      const id = write([{ table, column: "id" }]);
      const found = `case when count(*) > 1 then ${MANY} else (array_agg(_l.${q(links.other)}))[1] end`;
      const linked = `(select ${found} from ${ddl.qualified(links.table)} _l where _l.${q(links.own)} = ${id})`;
      return declared === undefined ? linked : `coalesce(${linked}, ${declared.value(write)})`;
    };
    all[table] = { ...all[table], [column.name]: { value, isNew: true, refers: declared === undefined } };
  }
  return all;
}

export function linkSteps(schema: Matched, changes: readonly LinkChange[]): readonly Step[] {
  return changes.flatMap((change) => {
    const table = schema.kept.find(({ after }) => after.name === change.table);
    if (table === undefined) throw new Error(`no table becomes ${change.table}`);
    return change.how === "spread" ? spread(table, change) : gather(table, change);
  });
}

/** A foreign key of the links removes those of a deleted record. */
function spread(table: TableChange, { column, links }: LinkChange): readonly Step[] {
  const [rows, pairs] = [ddl.qualified(table.before.name), ddl.qualified(links.table)];
  const [own, other, from] = [q(links.own), q(links.other), q(column.name)];
  const insert = `insert into ${pairs} (${own}, ${other})`;
  const body = `  if tg_op = 'UPDATE' then
    if new.${from} is not distinct from old.${from} then return null; end if;
    delete from ${pairs} where ${own} = new."id";
  end if;
  if new.${from} is not null then
    ${insert} values (new."id", new.${from}) on conflict do nothing;
  end if;
  return null;`;
  const batch = `with _batch as materialized (
  select "id" as _key from ${rows} where {after}::text is null or "id" > {after}::text::uuid order by "id" limit {limit}
), _held as materialized (
  select _r."id" as _key, _r.${from} as _value from ${rows} _r where _r."id" in (select _key from _batch) for no key update
), _written as (
  ${insert} select _key, _value from _held where _value is not null on conflict do nothing
  returning 1
)
select (select _batch._key::text from _batch order by _batch._key desc limit 1) as last, (select count(*) from _written) as written;`;
  const given = facts({
    slug: `spread-${links.table}`,
    stage: "backfill",
    summary: `Copy the references of ${table.before.name} to ${links.table}, one batch of records at a time.`,
    table: table.before.name,
    undo: UNDO_BY_DEPLOY,
    class: "backfill",
    scans: true,
  });
  return [
    ...feed(links.table, { on: table.before.name, of: table.after.name, events: "insert or update", body }),
    { kind: "backfill", ...given, sql: batch },
  ];
}

/** The links fill the column through a trigger on the record, so a new link updates the record. */
function gather(table: TableChange, { column, links }: LinkChange): readonly Step[] {
  const rows = ddl.qualified(table.before.name);
  const problem = `more than one link in ${column.name}`;
  const counted = `(select count(*) from ${ddl.qualified(links.table)} _l where _l.${q(links.own)} = ${rows}."id")`;
  const touch = (row: string): string => `update ${rows} set "id" = "id" where "id" = ${row}.${q(links.own)};`;
  const body = `  if tg_op <> 'INSERT' then ${touch("old")} end if;
  if tg_op <> 'DELETE' then ${touch("new")} end if;
  return null;`;
  const violation = {
    slug: `links-${links.table}`,
    summary: `Make sure that no record of ${table.after.name} has ${problem}.`,
    violation: problem,
  };
  const { now } = changeOf(table, column.name);
  return [
    verifyRows(table, violation, `${counted} > 1`, `${counted} || ${quoteText(" links")}`),
    ...feed(links.table, { on: links.table, of: table.after.name, events: "insert or update or delete", body }),
    ...guardSteps(table, {
      slug: `links-${links.table}`,
      name: guardName(table.before.name, links.table),
      problem: `with ${problem}`,
      where: `${q(now)} = ${MANY}`,
      column: now,
    }),
  ];
}

interface Feeding {
  /** The table that the old release writes. */
  readonly on: string;
  /** The table of the values, for the summary. */
  readonly of: string;
  readonly events: string;
  readonly body: string;
}

/** From before the first batch until the switch. */
function feed(links: string, { on, of, events, body }: Feeding): readonly Step[] {
  const name = q(linkFeedName(links));
  const block = dollarQuote(`\nbegin\n${body}\nend `);
  const sql = `create or replace function {schema}.${name}() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as ${block};
create or replace trigger ${name} after ${events} on ${ddl.qualified(on)} for each row execute function {schema}.${name}();`;
  const given = { table: on, undo: "It is removed at the switch." } as const;
  return [
    statement(
      {
        ...given,
        slug: `feed-${links}`,
        stage: "feed",
        summary: `Add a trigger on ${on} that updates the new values of ${of} at each write until the switch.`,
        lock: "share row exclusive",
      },
      sql,
    ),
    alteration(
      {
        ...given,
        slug: `unfeed-${links}`,
        stage: "unfeed",
        summary: `Remove the trigger on ${on} that updates ${of}.`,
      },
      `drop trigger ${name} on ${ddl.qualified(on)};\ndrop function {schema}.${name}();`,
    ),
  ];
}
