// Pages of a project's rows in the cell's own tables, newest first. In: a request with filters and a cursor, and a
// description of the table. Out: a page. It never returns a row of another project.
import type { ProjectScope } from "@plinth/postgres";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { logName, parseLogQuery } from "../log-query.ts";
import { asCell } from "./endpoints.ts";

export interface CellPage {
  readonly name: string;
  readonly table: string;
  /** A select list of one JSON text, over the row `of`. */
  readonly shown: string;
  /** The alias of the table; it has the columns `id` and `project_id`. */
  readonly of: string;
  /** Filter > its condition over `$n`. */
  readonly conditions: Readonly<Record<string, (at: string) => string>>;
}

export async function readCellPage(
  { scopeOf }: { readonly scopeOf: (projectId: string) => ProjectScope },
  context: ModuleContext,
  page: CellPage,
): Promise<Reply> {
  const { incoming, projectId, cursors, filters } = context;
  const { name, table, of } = page;
  const query = parseLogQuery(incoming.query, { name, filters }, projectId, cursors);
  const values: string[] = [projectId];
  const conditions = [...query.filters].map(([filter, value]) => {
    values.push(value);
    return page.conditions[filter]?.(`$${values.length}`) ?? "false";
  });
  if (query.before !== null) {
    values.push(query.before);
    conditions.push(`${of}.id < $${values.length}::uuid`);
  }
  const where = [`${of}.project_id = $1`, ...conditions].join(" AND ");
  const text = `SELECT ${page.shown}, ${of}.id::text FROM ${table} ${of} WHERE ${where} ORDER BY ${of}.id DESC LIMIT ${query.limit + 1}`;
  const rows = await scopeOf(projectId).transaction(
    async (open) => (await (await asCell(open)).query(text, values)).rows,
  );
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? (shown.at(-1)?.[1] ?? null) : null;
  const next = last === null ? null : cursors.seal([last], logName(name, projectId, query.filters));
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: `{"data":[${shown.map(([json]) => json ?? "null").join(",")}],"page":{"next_cursor":${JSON.stringify(next)},"has_more":${last !== null}}}`,
  };
}
