// Rewrites the column names in a piece of SQL. In: an expression of the compiler's own, over quoted names. Out: the same over
// other names or expressions. It reads quotes and nothing else: what stands in a text constant, or names a collation, is never touched.

/** @param replace The SQL that takes a name's place; undefined leaves the name as it is. */
export function replaceColumns(sql: string, replace: (name: string) => string | undefined): string {
  return sql.replace(/'(?:[^']|'')*'|\bcollate "[^"]*"|"((?:[^"]|"")*)"/g, (token, quoted: string | undefined) => {
    if (quoted === undefined) return token;
    return replace(quoted.replaceAll('""', '"')) ?? token;
  });
}

export function columnsIn(sql: string): ReadonlySet<string> {
  const names = new Set<string>();
  replaceColumns(sql, (name) => {
    names.add(name);
    return undefined;
  });
  return names;
}
