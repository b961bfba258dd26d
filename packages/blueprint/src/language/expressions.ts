// The words of rules, for people: names, operators, functions. Data alone.

export interface WordHelp {
  /** As it is written. */
  readonly notation: string;
  readonly help: string;
  /** A rule that checks, over the sample entity of the reference. */
  readonly example: string;
}

/** Names that stand alone. */
export const ruleNames: Readonly<Record<string, WordHelp>> = {
  record: word("record.field", "The record; a bare `field` means the same.", 'record.title != ""'),
  old: word("old.field", "The record before an update.", "old.price == new.price"),
  new: word("new.field", "The record after an update, or the one being created.", "new.price > 0"),
  input: word(
    "input.field",
    "What was sent; empty where the field was not. `has(input.field)` asks whether it was.",
    "!has(input.price)",
  ),
  current_user: word(
    "current_user.id",
    "Who is signed in: `id`, `email`, `roles`, profile fields, `is(role)`. Empty where nobody is.",
    "author_id == current_user.id",
  ),
  current_org: word("current_org", "The organization that the request is made in.", "org_id == current_org"),
  request: word(
    "request.ip",
    "Where the request comes from: `ip`, `key_kind` (`publishable` or `secret`; empty without a key).",
    'request.key_kind == "secret"',
  ),
  now: word("now", "The time of the request. Computed fields, checks and `fill` have none.", "published_at <= now"),
  today: word(
    "today",
    "The day of the request, in UTC. Computed fields, checks and `fill` have none.",
    "due_on >= today",
  ),
};

export const ruleFunctions: Readonly<Record<string, WordHelp>> = {
  has: word("has(field)", "Whether it has a value.", "has(published_at)"),
  size: word(
    "size(field)",
    "How many characters a text has, or how many members a list or a relation.",
    "size(title) >= 3",
  ),
  round: word(
    "round(number, places)",
    "To that many places, or to a whole number; what lies in the middle goes away from zero.",
    "round(price / 3, 2) < 10",
  ),
  floor: word("floor(number)", "The next whole number below.", "floor(price) == ceil(price)"),
  ceil: word("ceil(number)", "The next whole number above.", "ceil(price) < 10"),
  abs: word("abs(number)", "Without its sign.", "abs(price - 100) < 10"),
  year: word(
    "year(date)",
    "The year of a date, or of a datetime in UTC; so with the next three.",
    "year(published_at) == year(today)",
  ),
  month: word("month(date)", "1 to 12.", "month(today) in [6, 7, 8]"),
  day: word("day(date)", "The day of the month.", "day(today) == 1"),
  weekday: word("weekday(date)", "1 is Monday, 7 is Sunday.", "weekday(today) < 6"),
  hour: word("hour(time)", "Of a time of day, or of a datetime in UTC; so with the next.", "hour(now) in [8, 9, 10]"),
  minute: word("minute(time)", "0 to 59.", "minute(now) < 30"),
  date: word("date(datetime)", "The day of a datetime, in UTC.", "date(published_at) == today"),
  in_cidr: word(
    "in_cidr(address, network)",
    "Whether an address, of IPv4 or IPv6, lies in a network; unknown where it is no address.",
    'in_cidr(request.ip, "10.0.0.0/8")',
  ),
  duration: word('duration("1h")', "A length of time, in `h`, `m` and `s`.", 'published_at > now - duration("24h")'),
  member: word(
    "member(org), member(org, role)",
    "Whether the user belongs to that organization, with exactly that role: an owner is no `admin`.",
    "member(org_id, admin)",
  ),
  can: word(
    "can(operation, relation)",
    "Whether the user may do that to the record referred to, by its own rules.",
    "can(read, category)",
  ),
};

/** Behind a dot. */
export const ruleMethods: Readonly<Record<string, WordHelp>> = {
  startsWith: word('field.startsWith("a")', "Whether the text begins so.", 'title.startsWith("A")'),
  endsWith: word('field.endsWith("a")', "Whether the text ends so.", 'title.endsWith("!")'),
  contains: word('field.contains("a")', "Whether it stands in the text.", 'title.contains("bike")'),
  matches: word(
    'field.matches("^[a-z]+$")',
    "Whether the regular expression (a subset of RE2) is found in the text.",
    'title.matches("^[A-Z]")',
  ),
  is: word("current_user.is(role)", "Whether the user holds the role.", "current_user.is(admin)"),
  exists: word(
    "relation.exists(x, rule)",
    "Whether the rule holds for one of the records.",
    "comments.exists(c, c.author_id == current_user.id)",
  ),
  all: word("relation.all(x, rule)", "Whether it holds for every one of them.", "comments.all(c, c.approved)"),
  exists_one: word(
    "relation.exists_one(x, rule)",
    "Whether it holds for exactly one.",
    "comments.exists_one(c, c.approved)",
  ),
  filter: word(
    "relation.filter(x, rule).size()",
    "For how many it holds.",
    "comments.filter(c, c.approved).size() < 10",
  ),
  count: word("relation.count(x, rule)", "The same: for how many it holds.", "comments.count(c, c.approved) < 10"),
  sum: word(
    "relation.sum(x, value)",
    "The sum of a value of each record, of numbers or durations; 0 where there is none. Behind `filter(x, rule)`, of those for which it holds.",
    "comments.sum(c, c.likes) >= 100",
  ),
  avg: word(
    "relation.avg(x, value)",
    "Their average, to ten places; empty where there is none. Records without a value don't count.",
    "comments.avg(c, c.likes) > 2.5",
  ),
  min: word(
    "relation.min(x, value)",
    "The least of them, of numbers, texts, dates or times; empty where there is none.",
    "comments.min(c, c.likes) > 0",
  ),
  max: word("relation.max(x, value)", "The greatest of them.", "comments.filter(c, c.approved).max(c, c.likes) < 50"),
};

export const ruleOperators: readonly WordHelp[] = [
  word("a == b, a != b", "Equal, not equal. `a == null` asks whether it is empty.", "status == active"),
  word("a < b, a <= b, a > b, a >= b", "Order; of texts by code point.", "price < 100"),
  word("a in [b, c]", "One of these.", "status in [draft, active]"),
  word("a && b", "Both.", "status == active && price > 0"),
  word("a || b", "Either.", "status == active || author_id == current_user.id"),
  word("!a", "Not.", "!(status == draft)"),
  word(
    "a + b, a - b, a * b, a / b",
    "Arithmetic; exact, and never an error: what can't be computed is unknown.",
    "price * quantity <= 1000",
  ),
  word(
    "day + 7, day - other_day, time + duration",
    "Dates and times: a date and a number of days is a date, two dates are the days between them; with a duration, a date or a datetime is a datetime, and two datetimes are a duration.",
    "due_on - today <= 14",
  ),
  word("object.member", "What an object holds: texts, numbers, `bool` and enums.", 'address.city == "Berlin"'),
  word("a ? b : c", "One or the other.", "status == draft ? author_id == current_user.id : true"),
];

export const roleHelp: Readonly<Record<string, string>> = {
  public: "Everybody with a key, signed in or not.",
  user: "Everybody who is signed in.",
  owner: "Everybody who is signed in; for rules about the record's own user.",
  admin: "Who has been given it, and secret keys bound to it.",
};

function word(notation: string, help: string, example: string): WordHelp {
  return { notation, help, example };
}
