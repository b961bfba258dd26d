// Translates foreign notations. In: the notation of a field in the style of SQL, Prisma, TypeScript or a validation
// library. Out: the same in our notation; null if nothing is recognized. It guesses: the caller checks the guess.

/** The maximum length of a notation to translate, in UTF-16 code units, so that the result fits into a hint. */
const LENGTH_MAX = 160;

type Habit = readonly [pattern: RegExp, ours: string];

const endings: readonly Habit[] = [
  [/[“”„]/g, '"'],
  [/[‘’]/g, "'"],
  [/[,;]\s*$/, ""],
  [/,(?=\s*(?:unique|index|required|optional|nullable|not\s+null|default|primary)\b)/gi, " "],
  [/\s*@relation\(.*\)/g, ""],
  [/\s*@updatedAt\b|\s*@db\.\w+(?:\(.*?\))?/g, ""],
  [/\s+(?:regex|pattern|match(?:es)?)\s*\(\s*["'/]?(.*?)["'/]?\s*\)/gi, " pattern:$1"],
  [/\s*@id\b|\s+primary\s+key\b/gi, " unique"],
  [/@unique\b/g, "unique"],
  [/@default\(\s*(?:uuid|cuid|gen_random_uuid)\(\)\s*\)/g, ""],
  [/@default\(\s*autoincrement\(\)\s*\)|\s+auto_?increment\b/gi, " increasing"],
  [/@default\(\s*now\(\)\s*\)/g, "= now"],
  [/@default\((.*)\)/g, "= $1"],
  [/\s+default\s*\(\s*(.*?)\s*\)\s*$/gi, " = $1"],
  [/\s+default\s*[:=]?\s+(?=\S)/gi, " = "],
  [/\s+not\s+null\b|\s+required\b|^required\s+|!\s*$|!(?=\s)/gi, ""],
  [/=\s*null\s*$/gi, " optional"],
  [/\s*\|\s*(?:null|undefined)\b|\s+(?:optional|nullable|null)\s*$|\s+(?:optional|nullable)\b/gi, " optional"],
  [/^(?:optional|nullable)\s+(.*)$/gi, "$1 optional"],
  [/=\s*(?:now|current_timestamp|getdate)(?:\(\))?\s*$/gi, "= now"],
  [/=\s*True\b/g, "= true"],
  [/=\s*False\b/g, "= false"],
];

const types: readonly Habit[] = [
  [/^(?:string|text|str|varchar|char)\[\]/i, "list<string>"],
  [/^(?:int|integer|number)\[\]/i, "list<int>"],
  [/^(?:bool|boolean)\[\]/i, "list<bool>"],
  [/^(?:Array|List|Set|list|array)\s*[<(]\s*(?:string|text|str)\s*[>)]/i, "list<string>"],
  [/^(?:Array|List|Set|list|array)\s*[<(]\s*(?:int|integer|number)\s*[>)]/i, "list<int>"],
  [/^array\b(?!\s*[<(])/i, "list<string>"],
  [/^enum\s*\[\s*((?:["'][\w-]+["']\s*,?\s*)+)\]/i, "enum[$1]"],
  [/^enum\s*\(([^()]*)\)/i, "enum[$1]"],
  [/^((?:["']\w+["'])(?:\s*\|\s*["']\w+["'])+)/, "enum[$1]"],
  [/^(?:Record\s*<.*>|map|dict|dictionary|hash|any|mixed|object|jsonb)(?=\s|\?|$)/i, "json"],
  [/^(?:n?varchar2?|character\s+varying|str)\s*\(\s*(\d+)\s*\)/i, "string(,$1)"],
  [/^(?:n?char|character)\s*\(\s*(\d+)\s*\)/i, "string($1,$1)"],
  [/^(?:n?varchar2?|char|character(?:\s+varying)?|str)\b(?!\s*\()/i, "string"],
  [/^(?:numeric|dec|number)\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)/i, "decimal($1,$2)"],
  [/^(?:numeric|dec|decimal)\b(?!\s*\()/i, "decimal(10,2)"],
  [/^(?:smallint|tinyint|mediumint|integer|int4|int2|int32|number|long)\b/i, "int"],
  [/^(?:int8|int64|bigint)\b/i, "bigint"],
  [/^(?:double\s+precision|double|real|float4|float8|float32|float64)\b/i, "float"],
  [/^(?:small|big)?serial\b/i, "increasing"],
  [/^boolean\b/i, "bool"],
  [/^(?:timestamptz|timestamp(?:\s+with(?:out)?\s+time\s*zone)?|DateTime)\b/i, "datetime"],
  [/^(?:geopoint|geography|latlng|lat_?lng)\b(?:\(.*?\))?/i, "point"],
  [/^(?:bytea|blob|binary|bytes|attachment)\b/i, "file"],
  [/^(?:interval|timespan)\b/i, "duration"],
  [/^(?:guid|cuid|objectid)\b/i, "uuid"],
  [/^(?:uri|link)\b/i, "url"],
];

/** Limits in other notations: after the type, in parentheses or brackets. */
const limits: readonly RegExp[] = [
  /^(\w+)(\??)\s*\(\s*min\s*\(\s*(?<min>-?\d+)\s*\)\s*(?:,\s*max\s*\(\s*(?<max>-?\d+)\s*\)\s*)?\)(.*)$/,
  /^(\w+)(\??)\s*\(\s*max\s*\(\s*(?<max>-?\d+)\s*\)\s*\)(.*)$/,
  /^(\w+)(\??)\s*\(\s*min\s*[:=]?\s*(?<min>-?\d+)\s*(?:,\s*max\s*[:=]?\s*(?<max>-?\d+)\s*)?\)(.*)$/,
  /^(\w+)(\??)\s*\(\s*max\s*[:=]?\s*(?<max>-?\d+)\s*\)(.*)$/,
  /^(\w+)(\??)\s+(?:min|minimum|gte)\s*\(\s*(?<min>-?\d+)\s*\)(?:\s+(?:max|maximum|lte)\s*\(\s*(?<max>-?\d+)\s*\))?(.*)$/,
  /^(\w+)(\??)\s+(?:max|maximum|lte|maxlength|max_length|length)\s*\(\s*(?<max>-?\d+)\s*\)(.*)$/i,
  /^(\w+)(\??)\s*>=\s*(?<min>-?\d+)(?:\s*<=\s*(?<max>-?\d+))?(.*)$/,
  /^(\w+)(\??)\s*<=\s*(?<max>-?\d+)(.*)$/,
  /^((?!decimal|money|vector)\w+)(\??)\s*\(\s*(?<min>-?\d+)\s*(?:\.\.|-|,)\s*(?<max>-?\d+)\s*\)(.*)$/,
  /^(\w+)(\??)\s+check\s*\(\s*\w+\s*>=\s*(?<min>-?\d+)\s*\)(.*)$/i,
  /^(\w+)(\??)\s+check\s*\(\s*\w+\s*>\s*(?<above>-?\d+)\s*\)(.*)$/i,
  /^(\w+)(\??)\s*>\s*(?<above>-?\d+)(.*)$/,
  /^(\w+)(\??)\s+check\s*\(\s*\w+\s*<=\s*(?<max>-?\d+)\s*\)(.*)$/i,
  /^(text)(\??)\s*\(\s*(?<max>\d+)\s*\)(.*)$/,
  /^(string)(\??)\s*\[\s*(?<max>\d+)\s*\](.*)$/,
];

/** References in other notations, to a named entity. */
const references: readonly RegExp[] = [
  /^\w+\s+(?:references|fk)\s+(\w+)\s*(?:\(\s*\w*\s*\))?(.*)$/i,
  /^(?:fk|foreign_?key|references?|belongs_?to|many_?to_?one|link|relation|pointer)\s*[(<]\s*(\w+)\s*(?:\.\w+\s*)?[)>](.*)$/i,
  /^ref\s*\(\s*(\w+)\.\w+\s*\)(.*)$/i,
  /^ref\s*\(\s*(\w+)\s*,\s*(?:cascade|restrict|set_null)\s*\)(.*)$/i,
  /^ref\s+(\w+)(.*)$/i,
  /^uuid\s+ref\s*\(\s*(\w+)\s*\)(.*)$/i,
  /^(\w+)\.id\b(.*)$/i,
  /^ref\s*\(\s*(\w+)\s*\)(.*)$/i,
  /^(\w+)(\??(?:\s.*)?)$/,
];

/**
 * Our notation for the text, or null.
 * @param entityNamed The declared entity for a word such as `posts` or `Post`, or null.
 */
export function meantNotation(notation: string, entityNamed: (word: string) => string | null): string | null {
  const written = notation.trim();
  if (written.length > LENGTH_MAX) return null;
  const ended = replacedBy(endings, written).trim();
  const reference = referenceIn(ended, entityNamed);
  const typed = reference ?? replacedFirst(types, ended);
  const meant = optionalBehindType(tidy(limitsIn(withPattern(typed))));
  return meant === written ? null : meant;
}

function replacedBy(habits: readonly Habit[], text: string): string {
  return habits.reduce((rest, [pattern, ours]) => rest.replace(pattern, ours), text);
}

function replacedFirst(habits: readonly Habit[], text: string): string {
  const habit = habits.find(([pattern]) => pattern.test(text));
  const replaced = habit === undefined ? text : text.replace(...habit);
  const plain = /^[A-Za-z]+/.exec(replaced)?.[0] ?? "";
  return (plain.toLowerCase() + replaced.slice(plain.length)).replace(/^enum\s*\[(.*?)\]/, (_, values: string) => {
    const words = values.split(/[\s,|]+/).map((one) => one.replaceAll(/["']/g, ""));
    return `enum[${words.filter((one) => one !== "").join(", ")}]`;
  });
}

/** The pattern of a `string` is its third argument. */
function withPattern(text: string): string {
  const [, before = "", pattern, after = ""] = /^(string)\b(?!\()(.*)$/.test(text)
    ? (/^string(.*?) pattern:(\S+)(.*)$/.exec(text) ?? [])
    : [];
  return pattern === undefined ? text : `string(,,"${pattern}")${before}${after}`;
}

function referenceIn(text: string, entityNamed: (word: string) => string | null): string | null {
  const onDelete = /\b(?:on[_ ]delete[:(]?\s*)?\(?(cascade|restrict|set[_ ]null)\)?/i.exec(text)?.[1];
  for (const pattern of references) {
    const [, word = "", rest = ""] = pattern.exec(text) ?? [];
    const type = /^users?$|^user_ref$/i.test(word) ? "user_ref" : typeOf(entityNamed(word));
    if (word === "" || type === null) continue;
    const kept = rest.replace(/\s*,?\s*\bon[_ ]delete\b.*|\s*,?\s*\b(?:cascade|restrict|set[_ ]null)\b.*/i, "");
    const modifier = onDelete === undefined ? "" : ` on_delete(${onDelete.toLowerCase().replace(" ", "_")})`;
    return `${type}${kept}${modifier}`;
  }
  return null;
}

function typeOf(entity: string | null): string | null {
  return entity === null ? null : `ref(${entity})`;
}

/**
 * `int(1, 5)` in the long form, because only the long form has names for limits; a `string` has its own two arguments
 * for them.
 */
function limitsIn(text: string): string {
  for (const pattern of limits) {
    const match = pattern.exec(text);
    const [, type = "", optional = ""] = match ?? [];
    if (match === null) continue;
    const { min = leastAbove(match.groups?.["above"]), max } = match.groups ?? {};
    const rest = match.at(-1) ?? "";
    if (type === "string") return `string(${min ?? ""},${max ?? ""})${optional}${rest}`;
    const bounds = [...(min === undefined ? [] : [`min: ${min}`]), ...(max === undefined ? [] : [`max: ${max}`])];
    const fallback = /=\s*(\S+)\s*$/.exec(rest)?.[1];
    const others = fallback === undefined ? [] : [`default: ${fallback}`];
    const marks = /\bunique\b/.test(rest) ? ["unique: true"] : [];
    const isOptional = optional === "?" || /\boptional\b/.test(rest) ? ["optional: true"] : [];
    return `{ ${[`type: ${type}`, ...isOptional, ...bounds, ...marks, ...others].join(", ")} }`;
  }
  return text;
}

function leastAbove(bound: string | undefined): string | undefined {
  return bound === undefined ? undefined : String(Number(bound) + 1);
}

function tidy(text: string): string {
  return text
    .replace(/^(?:int|bigint|increasing)\b(.*)\bincreasing\b/, "sequence$1")
    .replace(/^increasing\b/, "sequence")
    .replaceAll(/\s+/g, " ")
    .replace(/^((?:sequence|uuid)[^=]*unique) unique/, "$1")
    .trim();
}

function optionalBehindType(text: string): string {
  if (!/ optional\b/.test(text) || text.startsWith("{")) return text;
  const rest = text.replaceAll(/ optional\b/g, "");
  const type = /^\w+(?:\([^()]*\)|\[[^\]]*\]|<[^<>]*>)?/.exec(rest)?.[0] ?? "";
  return rest.charAt(type.length) === "?" ? rest : `${type}?${rest.slice(type.length)}`;
}
