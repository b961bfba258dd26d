// Rewrites column names in SQL. In: an expression of the compiler over quoted names. Out: the same over other names or
// expressions. It only reads quotes: text constants and collations are never changed.

/** @param replace The SQL that replaces a name; undefined leaves the name unchanged. */
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
