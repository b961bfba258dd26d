// SQL templates: text with `{name}` holes. In: a template and what fills each hole. Out: SQL text.
// It never quotes: what fills a hole is either an identifier that the caller quoted or a parameter such as `$3`.

/** SQL with named holes, such as `{schema}` or `{user.id}`. */
export type SqlTemplate = string;

/**
 * Fills every hole of a template.
 *
 * Holes in use: `{schema}` (quoted identifier), `{owner}`, `{worker}` (quoted role names), `{row}`, `{record}`,
 * `{old}`, `{new}` (row aliases), `{pairs.<row>.<join table>}` (the pairs that the row `row`, `record`, `old` or `new` has, and all
 * others, as a relation of the join table's columns), `{value}` (a sent value), and parameters of the request: `{user.id}`, `{user.email}`,
 * `{user.roles}`, `{org}`, `{now}`, `{request.ip}`, `{request.key_kind}`, `{input.<field>}` (as the column would hold it),
 * `{sent.<field>}` (boolean). Of migrations: `{after}`, `{limit}`. The compiler writes a brace
 * in a text constant as `chr(123)`, so a hole can't come out of an author's text.
 *
 * @throws Error (our bug) where a hole is unknown.
 */
export function fillTemplate(template: string, fill: (hole: string) => string | undefined): string {
  return template.replace(/\{([a-z0-9_.]+)\}/g, (_, hole: string) => {
    const text = fill(hole);
    if (text === undefined) throw new Error(`there is no value for {${hole}} in ${template}`);
    return text;
  });
}
