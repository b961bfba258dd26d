// The words of rules, for people: names, operators, functions. Only data.

export interface WordHelp {
  /** The notation. */
  readonly notation: string;
  readonly help: string;
  /** A valid rule over the sample entity of the reference. */
  readonly example: string;
}

/** Names that are used alone. */
export const ruleNames: Readonly<Record<string, WordHelp>> = {
  record: word("record.field", "The record. A bare `field` means the same.", 'record.title != ""'),
  old: word("old.field", "The record before an update.", "old.price == new.price"),
  new: word("new.field", "The record after an update, or the new record.", "new.price > 0"),
  input: word(
    "input.field",
    "The values that the caller sent. A field that was not sent is empty; `has(input.field)` tells whether it was sent.",
    "!has(input.price)",
  ),
  current_user: word(
    "current_user.id",
    "The signed-in user: `id`, `email`, `roles`, profile fields, `is(role)`. Empty if nobody is signed in.",
    "author_id == current_user.id",
  ),
  current_org: word("current_org", "The organization in which the request is made.", "org_id == current_org"),
  request: word(
    "request.ip",
    "Where the request comes from: `ip`, and `key_kind` (`publishable` or `secret`; empty without a key).",
    'request.key_kind == "secret"',
  ),
  now: word(
    "now",
    "The time of the request. Not available in computed fields, checks and `fill`.",
    "published_at <= now",
  ),
  today: word(
    "today",
    "The day of the request, in UTC. Not available in computed fields, checks and `fill`.",
    "due_on >= today",
  ),
};

export const ruleFunctions: Readonly<Record<string, WordHelp>> = {
  has: word("has(field)", "Whether the field has a value.", "has(published_at)"),
  size: word(
    "size(field)",
    "The number of characters in a text, or of members in a list or relation.",
    "size(title) >= 3",
  ),
  round: word(
    "round(number, places)",
    "Rounds to this many decimal places, or to a whole number. A value in the middle is rounded away from zero.",
    "round(price / 3, 2) < 10",
  ),
  floor: word("floor(number)", "The nearest whole number below.", "floor(price) == ceil(price)"),
  ceil: word("ceil(number)", "The nearest whole number above.", "ceil(price) < 10"),
  abs: word("abs(number)", "The absolute value.", "abs(price - 100) < 10"),
  year: word(
    "year(date)",
    "The year of a date, or of a datetime in UTC. The next three functions work the same way.",
    "year(published_at) == year(today)",
  ),
  month: word("month(date)", "1 to 12.", "month(today) in [6, 7, 8]"),
  day: word("day(date)", "The day of the month.", "day(today) == 1"),
  weekday: word("weekday(date)", "The day of the week: 1 is Monday, 7 is Sunday.", "weekday(today) < 6"),
  hour: word(
    "hour(time)",
    "The hour of a time of day, or of a datetime in UTC. The next function works the same way.",
    "hour(now) in [8, 9, 10]",
  ),
  minute: word("minute(time)", "0 to 59.", "minute(now) < 30"),
  date: word("date(datetime)", "The day of a datetime, in UTC.", "date(published_at) == today"),
  in_cidr: word(
    "in_cidr(address, network)",
    "Whether an IPv4 or IPv6 address is in a network. Unknown if the text is not an address.",
    'in_cidr(request.ip, "10.0.0.0/8")',
  ),
  duration: word('duration("1h")', "A duration, in `h`, `m` and `s`.", 'published_at > now - duration("24h")'),
  member: word(
    "member(org), member(org, role)",
    "Whether the user is a member of this organization, with exactly this role: an owner is not an `admin`.",
    "member(org_id, admin)",
  ),
  can: word(
    "can(operation, relation)",
    "Whether the rules of the other record let the user do this to it.",
    "can(read, category)",
  ),
};

/** Names after a dot. */
export const ruleMethods: Readonly<Record<string, WordHelp>> = {
  startsWith: word('field.startsWith("a")', "Whether the text starts with the other text.", 'title.startsWith("A")'),
  endsWith: word('field.endsWith("a")', "Whether the text ends with the other text.", 'title.endsWith("!")'),
  contains: word('field.contains("a")', "Whether the text contains the other text.", 'title.contains("bike")'),
  matches: word(
    'field.matches("^[a-z]+$")',
    "Whether the text matches the regular expression (a subset of RE2).",
    'title.matches("^[A-Z]")',
  ),
  is: word("current_user.is(role)", "Whether the user has the role.", "current_user.is(admin)"),
  exists: word(
    "relation.exists(x, rule)",
    "Whether the rule is true for at least one of the records.",
    "comments.exists(c, c.author_id == current_user.id)",
  ),
  all: word("relation.all(x, rule)", "Whether the rule is true for all records.", "comments.all(c, c.approved)"),
  exists_one: word(
    "relation.exists_one(x, rule)",
    "Whether the rule is true for exactly one record.",
    "comments.exists_one(c, c.approved)",
  ),
  filter: word(
    "relation.filter(x, rule).size()",
    "The number of records for which the rule is true.",
    "comments.filter(c, c.approved).size() < 10",
  ),
  count: word(
    "relation.count(x, rule)",
    "The same: the number of records for which the rule is true.",
    "comments.count(c, c.approved) < 10",
  ),
  sum: word(
    "relation.sum(x, value)",
    "The sum of a value over all records, for numbers and durations; 0 if there are no records. After `filter(x, rule)`, only over records for which the rule is true.",
    "comments.sum(c, c.likes) >= 100",
  ),
  avg: word(
    "relation.avg(x, value)",
    "The average, with ten decimal places; empty if there are no records. Records without a value don't count.",
    "comments.avg(c, c.likes) > 2.5",
  ),
  min: word(
    "relation.min(x, value)",
    "The smallest value, of numbers, texts, dates or times; empty if there are none.",
    "comments.min(c, c.likes) > 0",
  ),
  max: word("relation.max(x, value)", "The largest value.", "comments.filter(c, c.approved).max(c, c.likes) < 50"),
};

export const ruleOperators: readonly WordHelp[] = [
  word("a == b, a != b", "Equal, not equal. `a == null` tests whether a field is empty.", "status == active"),
  word("a < b, a <= b, a > b, a >= b", "Order. Texts are compared by code point.", "price < 100"),
  word("a in [b, c]", "Whether the value is in the list.", "status in [draft, active]"),
  word("a && b", "Both.", "status == active && price > 0"),
  word("a || b", "Either.", "status == active || author_id == current_user.id"),
  word("!a", "Not.", "!(status == draft)"),
  word(
    "a + b, a - b, a * b, a / b",
    "Exact arithmetic, which never fails: a result that can't be computed is unknown.",
    "price * quantity <= 1000",
  ),
  word(
    "day + 7, day - other_day, time + duration",
    "Arithmetic with dates and times. A date plus a number of days is a date; the difference of two dates is a number of days. A date or datetime plus a duration is a datetime; the difference of two datetimes is a duration.",
    "due_on - today <= 14",
  ),
  word("object.member", "A member of an object: texts, numbers, `bool` and enums.", 'address.city == "Berlin"'),
  word(
    "a ? b : c",
    "One value or the other, depending on a condition.",
    "status == draft ? author_id == current_user.id : true",
  ),
];

export const roleHelp: Readonly<Record<string, string>> = {
  public: "Everybody with a key, signed in or not.",
  user: "Everybody who is signed in.",
  owner: "Everybody who is signed in. Use it for rules about the record's own user.",
  admin: "Users with this role, and secret keys with this role.",
};

function word(notation: string, help: string, example: string): WordHelp {
  return { notation, help, example };
}
