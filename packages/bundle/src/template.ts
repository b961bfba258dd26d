// SQL templates: text with `{name}` placeholders. In: a template and a value for each placeholder. Out: SQL text. It
// never quotes: a value is either an identifier that the caller quoted or a parameter such as `$3`.

/** SQL with named placeholders, such as `{schema}` or `{user.id}`. */
export type SqlTemplate = string;

/**
 * Fills every placeholder of a template.
 *
 * Placeholders: `{schema}` (quoted identifier), `{owner}`, `{worker}` (quoted role names), `{row}`, `{record}`,
 * `{old}`, `{new}` (row aliases), `{pairs.<row>.<join table>}` (the pairs of the row `row`, `record`, `old` or `new`,
 * and all others, as a relation with the join table's columns), `{value}` (the input), and parameters of the request:
 * `{user.id}`, `{user.email}`, `{user.roles}`, `{org}`, `{now}`, `{request.ip}`, `{request.key_kind}`,
 * `{input.<field>}` (in the column's form), `{sent.<field>}` (boolean). In migrations: `{after}`, `{limit}`. The
 * compiler writes a brace in a text constant as `chr(123)`, so an author's text never contains a placeholder.
 *
 * @throws Error (our bug) if a placeholder is unknown.
 */
export function fillTemplate(template: string, fill: (hole: string) => string | undefined): string {
  return template.replace(/\{([a-z0-9_.]+)\}/g, (_, hole: string) => {
    const text = fill(hole);
    if (text === undefined) throw new Error(`there is no value for {${hole}} in ${template}`);
    return text;
  });
}
