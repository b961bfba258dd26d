// Aggregates over many records: how they are written, which types they have, and their result for no records and for
// unknown values.
import { describe, expect, test } from "vitest";
import { checkRule, checkValue } from "./check.ts";
import type { Value } from "./datum.ts";
import { evaluateValue, type Row } from "./evaluate.ts";
import { printExpression } from "./print.ts";
import type { Scope } from "./scope.ts";
import { sampleSchema } from "./testing/sample-schema.ts";

const scope: Scope = { schema: sampleSchema, record: "listing", operation: "read" };
const inShop: Scope = { ...scope, record: "shop" };

function check(text: string, at: Scope = scope): string {
  const { expression, problems } = checkRule([text], at);
  return expression === null
    ? problems.map((one) => `${one.code} ${one.start}-${one.end}`).join("; ")
    : printExpression(expression);
}

describe("are checked and printed", () => {
  test.each([
    ["comments.sum(c, c.stars) > 3", "comments.sum(c, c.stars) > 3"],
    ["comments.filter(c, !c.hidden).avg(d, d.stars) > 3", "comments.filter(d, !d.hidden).avg(d, d.stars) > 3.0"],
    ["comments.filter(c, !c.hidden).min(c, c.stars) > 3", "comments.filter(c, !c.hidden).min(c, c.stars) > 3"],
    ["comments.max(c, c.body) == title", "comments.max(c, c.body) == title"],
    ["comments.count(c, c.hidden) < 3", "comments.filter(c, c.hidden).size() < 3"],
    ["comments.count() < 3", "comments.filter(one, true).size() < 3"],
    [
      "comments.sum(c, size(c.replies) + price) == 1",
      "comments.sum(c, c.replies.filter(one, true).size() + price) == 1",
    ],
    ["comments.sum(c, c.replies.sum(r, r.stars)) == 1", "comments.sum(c, c.replies.sum(r, r.stars)) == 1"],
    [
      "comments.sum(c, c.stars) > 1 && comments.sum(c, c.stars) < 9",
      "comments.sum(c, c.stars) > 1 && comments.sum(c_2, c_2.stars) < 9",
    ],
    ["comments.sum(c) > 1", "wrong_arguments 0-15"],
    ["comments.sum(c.stars) > 1", "wrong_arguments 0-21"],
    ["comments.sum(c, c.body) == 'x'", "type_mismatch 16-22"],
    ["comments.avg(c, c.created) == 1", "unknown_name 18-25"],
    ["comments.max(c, c.hidden)", "type_mismatch 16-24"],
    ["comments.min(c, c.author_id) == current_user.id", "type_mismatch 16-27"],
    ["comments.min(now, 1) == 1", "wrong_arguments 13-16"],
    ["tags.sum(t, 1) == 1", "wrong_arguments 0-4"],
    ["shop.sum(s, 1) == 1", "wrong_arguments 0-4"],
    ["price.sum(s, 1) == 1", "wrong_arguments 0-5"],
    ["sum(comments, 1) == 1", "wrong_arguments 0-3"],
    ["comments.sum(c, c.replies.sum(r, r.replies.sum(s, s.replies.sum(t, 1)))) == 1", "expression_too_large 50-69"],
  ])("%s", (text, expected) => expect(check(text)).toBe(expected));

  test.each([
    ["listings.sum(l, l.price)", "int"],
    ["listings.sum(l, l.amount)", "decimal"],
    ["listings.sum(l, l.ratio)", "float"],
    ["listings.sum(l, l.length)", "duration"],
    ["listings.avg(l, l.price)", "decimal"],
    ["listings.avg(l, l.ratio)", "float"],
    ["listings.max(l, l.due_on)", "date"],
    ["listings.min(l, l.opens_at)", "time"],
    ["listings.min(l, l.created_at)", "datetime"],
    ["listings.max(l, l.title)", "text"],
  ])("%s is of the type %s", (text, type) => {
    expect(checkValue(text, inShop, null).expression?.type.kind).toBe(type);
  });
});

describe("are evaluated in memory", () => {
  function made(text: string, rows: readonly Readonly<Record<string, Value>>[]): Value {
    const { expression, problems } = checkValue(text, inShop, null);
    if (expression === null) throw new Error(JSON.stringify(problems));
    const listings: readonly Row[] = rows.map((values) => ({ values }));
    const record: Row = { values: { id: "1" }, many: { listings } };
    return evaluateValue(expression, { rows: { record }, user: { id: null, email: null, roles: [] } });
  }
  const values = (...all: readonly Value[]): readonly Readonly<Record<string, Value>>[] =>
    all.map((one) => ({ price: one, amount: one, ratio: one, length: one, due_on: one, published: one !== null }));

  test.each([
    ["listings.sum(l, l.price)", values(), 0],
    ["listings.sum(l, l.price)", values(null, null), 0],
    ["listings.sum(l, l.price)", values(1, null, 2), 3],
    ["listings.sum(l, l.price)", values(2 ** 53 - 1, 2 ** 53 - 1), "18014398509481982"],
    ["listings.sum(l, l.amount)", values("0.1", "0.2"), "0.3"],
    ["listings.sum(l, l.ratio)", values(0.1, 0.2), 0.3],
    ["listings.sum(l, l.ratio)", values(1e150, 1e150), null],
    ["listings.sum(l, l.ratio)", values(1e151, 1), null],
    ["listings.sum(l, l.length)", values("PT1H", "-PT90M"), "-PT30M"],
    ["listings.sum(l, l.length)", values("PT35064000H", "PT1H"), null],
    ["listings.avg(l, l.price)", values(), null],
    ["listings.avg(l, l.price)", values(1, null, 2), "1.5"],
    ["listings.avg(l, l.price)", values(1, 0, 0), "0.3333333333"],
    ["listings.avg(l, l.ratio)", values(0.1, 0.2), 0.15],
    ["listings.min(l, l.price)", values(), null],
    ["listings.min(l, l.price)", values(3, null, 2), 2],
    ["listings.max(l, l.due_on)", values("2026-01-31", "2026-02-01", null), "2026-02-01"],
    ["listings.filter(l, l.price > 1).sum(l, l.price)", values(1, 2, 3), 5],
    ["listings.filter(l, l.price > 1).sum(l, l.price)", values(1, 2, null), null],
    ["listings.filter(l, l.published).max(l, l.price)", values(1, 2, null), 2],
    ["listings.count(l, l.published)", values(1, 2, null), 2],
    ["parent.listings.sum(l, l.price)", values(1), null],
  ])("%s of %j", (text, rows, expected) => expect(made(text, rows)).toBe(expected));
});
