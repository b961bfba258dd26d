// Searches a statement for names that an author's field could shadow. In: SQL text. Out: such names, in their order. It
// only knows the positions of names; other tests ask Postgres for their meaning.

/** Words that our texts use outside of calls: SQL's own, and types after a cast. */
const sqlWords: ReadonlySet<string> = new Set(
  `all and any array as asc between by case collate conflict cross desc distinct do else end exists false filter first for
  from full group having in insert into is join key last lateral left like limit materialized no not null nulls of offset on
  or order ordinality outer over partition recursive returning right row select set share similar some then time true union
  update using values when where with within zone at delete to nothing
  precision second minute hour day month year isodow nfc nfd`.split(/\s+/),
);

interface Token {
  readonly kind: "word" | "quoted" | "other";
  readonly text: string;
}

export function strayNames(text: string): readonly string[] {
  const tokens = tokensOf(text);
  return tokens.filter((token, at) => token.kind !== "other" && isStray(tokens, at)).map((token) => token.text);
}

function isStray(tokens: readonly Token[], at: number): boolean {
  const { kind, text } = tokens[at]!;
  const [before, after] = [tokens[at - 1]?.text, tokens[at + 1]?.text];
  if (kind === "word") {
    if (text.startsWith("_") || sqlWords.has(text)) return false;
    // `count(*)`, `x::double precision`: a call or a type; neither is resolved as a column.
    return after !== "(" && before !== "::";
  }
  if (before === "." || before === "as" || before === "collate") return false;
  // A schema before its table, and the targets of an assignment.
  if (after === ".") return false;
  return !isAssigned(tokens, at) && !isInColumnList(tokens, at);
}

/** `set "a" = ..., "b" = ...`. */
function isAssigned(tokens: readonly Token[], at: number): boolean {
  return tokens[at + 1]?.text === "=" && (tokens[at - 1]?.text === "set" || tokens[at - 1]?.text === ",");
}

/** `insert into "t"."b" ("a", "c")`, `on conflict ("a")`, `as _n ("a")`. */
function isInColumnList(tokens: readonly Token[], at: number): boolean {
  let from = at;
  while (tokens[from]?.kind === "quoted" || tokens[from]?.text === ",") from--;
  if (tokens[from]?.text !== "(") return false;
  const head = tokens.slice(Math.max(0, from - 6), from).map((token) => token.text);
  return /( insert into \S+ \. \S+( as \S+)?| on conflict| as \S+)$/.test(` ${head.join(" ")}`);
}

function tokensOf(text: string): readonly Token[] {
  const pattern = /'(?:[^']|'')*'|("(?:[^"]|"")*")|([A-Za-z_][A-Za-z0-9_$]*)|\$\d+|\d+(?:\.\d+)?(?:e[+-]?\d+)?|::|\S/g;
  return [...text.matchAll(pattern)].map(([whole, quoted, word]) => ({
    kind: quoted !== undefined ? "quoted" : word !== undefined ? "word" : "other",
    text: whole,
  }));
}
