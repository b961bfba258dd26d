// Names that other APIs use for what this one writes otherwise. In: a name that isn't known here. Out: how it is written here, as a
// sentence behind a space, or nothing. It is asked only where no field has the name.

const pages = "Pages go by `limit` and `cursor`: send the `page.next_cursor` of the page before.";
const order = "The order is written `sort=-created_at,<field>`.";
const search = "`q` searches the searchable texts; `<field>[icontains]=word` looks into one field.";
const shown = "`fields=id,<field>` names what is shown.";
const related = "`expand=<relation>` shows related records.";
const filter = "A filter begins with its field: `<field>=<value>`, `<field>[gte]=<value>`.";
const groups = "Groups are read at `/aggregate`, with `group_by=<field>&select=count`.";
const having = "Groups can't be filtered: filter the records, or choose among the groups of the reply.";

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

/** Of a parameter: `offset`, `orderBy`, `filter[status]`, `price_gte`. @param isField Whether a field has the name. */
export function habitOfParameter(parameter: string, isField: (name: string) => boolean): string {
  const habit = parameters.get(snake(parameter.replace(/\[.*$/, "")));
  if (habit !== undefined) return ` ${habit}`;
  const [, field = "", operator = ""] =
    /^(.+?)__?(gte?|lte?|ne|n?in|i?contains|i?starts_with|i?ends_with)$/.exec(parameter) ?? [];
  return isField(field)
    ? ` Write ${field}[${operator}].`
    : habitOfCondition(parameter, "`where` takes JSON, in which ");
}

/** Of a name within `where`: `$or`, `AND`. */
export function habitOfCondition(name: string, before = ""): string {
  const habit = conditions.get(name.toLowerCase());
  return habit === undefined ? "" : ` ${before}${habit}`;
}

/** Of an operator: `like`, `$gte`, `between`. @param known What the field takes. */
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
