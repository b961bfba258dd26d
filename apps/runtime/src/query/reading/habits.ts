// Recognizes names that other APIs use. In: a name that this API doesn't know. Out: a hint with this API's notation, as
// a sentence after a space, or nothing. It is only called if no field has the name.

const pages = "Use `limit` and `cursor` for pages: send the `page.next_cursor` of the previous page.";
const order = "Write the order as `sort=-created_at,<field>`.";
const search = "`q` searches the searchable texts; `<field>[icontains]=word` looks into one field.";
const shown = "`fields=id,<field>` chooses the fields of the reply.";
const related = "`expand=<relation>` shows related records.";
const filter = "A filter begins with its field: `<field>=<value>`, `<field>[gte]=<value>`.";
const groups = "Read groups at `/aggregate`, with `group_by=<field>&select=count`.";
const having = "Groups can't be filtered. Filter the records, or filter the groups of the reply in the client.";

const parameters = namedBy([
  [pages, "offset skip page page_number after before starting_after start per_page page_size take first size"],
  [order, "order order_by sort_by ordering direction"],
  [search, "search query keyword keywords term"],
  [shown, "select columns only attributes"],
  [related, "include includes populate embed with relations"],
  [filter, "filter filters"],
  [groups, "group_by groupby group aggregate"],
  [having, "having"],
]);

const conditions = namedBy([
  ["`and` takes a list of conditions.", "$and all && and"],
  ["`or` takes a list of conditions.", "$or any || or"],
  ["`not` takes one condition.", "$not $nor nor ! not"],
]);

const operators = namedBy([
  ["contains icontains", "like ilike regex match search includes contain substring"],
  ["gte lte", "between range"],
  ["ne", "neq <> != not not_eq not_equals"],
  ["eq", "equals is = =="],
  ["nin", "not_in notin"],
  ["in", "any one_of"],
  ["is_null", "isnull null exists is_not_null notnull not_null"],
  ["starts_with", "startswith prefix begins_with"],
  ["ends_with", "endswith suffix"],
  ["gt", "> greater_than after"],
  ["gte", ">= min from"],
  ["lt", "< less_than before"],
  ["lte", "<= max to"],
]);

/** For a parameter: `offset`, `orderBy`, `filter[status]`, `price_gte`. @param isField Whether a field has the name. */
export function habitOfParameter(parameter: string, isField: (name: string) => boolean): string {
  const habit = parameters.get(snake(parameter.replace(/\[.*$/, "")));
  if (habit !== undefined) return ` ${habit}`;
  const [, field = "", operator = ""] =
    /^(.+?)__?(gte?|lte?|ne|n?in|i?contains|i?starts_with|i?ends_with)$/.exec(parameter) ?? [];
  return isField(field)
    ? ` Write ${field}[${operator}].`
    : habitOfCondition(parameter, "`where` takes JSON, in which ");
}

/** For a name within `where`: `$or`, `AND`. */
export function habitOfCondition(name: string, before = ""): string {
  const habit = conditions.get(name.toLowerCase());
  return habit === undefined ? "" : ` ${before}${habit}`;
}

/** For an operator: `like`, `$gte`, `between`. @param known The field's operators. */
export function habitOfOperator(name: string, known: readonly string[]): string {
  const bare = snake(name.replace(/^\$/, ""));
  const meant = known.includes(bare) ? [bare] : (operators.get(bare)?.split(" ") ?? []);
  const taken = meant.filter((each) => each !== name && known.includes(each));
  return taken.length === 0 ? "" : ` Write ${taken.join(bare === "between" || bare === "range" ? " and " : " or ")}.`;
}

function snake(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}

function namedBy(habits: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  return new Map(habits.flatMap(([habit, names]) => names.split(" ").map((name) => [name, habit] as const)));
}
