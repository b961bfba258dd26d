// Functions of one value and calculations with dates: types, results, and printing.
import { describe, expect, test } from "vitest";
import { checkRule, checkValue } from "./check.ts";
import type { Value } from "./datum.ts";
import { evaluateValue } from "./evaluate.ts";
import { printExpression } from "./print.ts";
import type { Scope } from "./scope.ts";
import { sampleSchema } from "./testing/sample-schema.ts";

const scope: Scope = { schema: sampleSchema, record: "listing", operation: "read" };

function check(text: string): string {
  const { expression, problems } = checkRule([text], scope);
  return expression === null
    ? problems.map((one) => `${one.code} ${one.start}-${one.end}`).join("; ")
    : printExpression(expression);
}

describe("are checked and printed", () => {
  test.each([
    ["round(amount) == 3", "round(amount) == 3"],
    ["round(amount / 3, 2) > 1", "round(amount / 3.0, 2) > 1.0"],
    ["abs(price) + floor(ratio) > 1", "abs(price) + floor(ratio) > 1"],
    ["due_on + 3 > today", "due_on + 3 > today"],
    ["3 + due_on > today", "due_on + 3 > today"],
    ["due_on > today - 30", "due_on > today - 30"],
    ["due_on - today <= 14", "due_on - today <= 14"],
    ["due_on - '2026-01-31' == 2", 'due_on - "2026-01-31" == 2'],
    ["'2026-01-31' - due_on == 2", '"2026-01-31" - due_on == 2'],
    ["due_on + '24h' > now", 'due_on + duration("24h") > now'],
    ["length + due_on > now", "due_on + length > now"],
    ["year(created_at) == 2026 && weekday(today) < 6", "year(created_at) == 2026 && weekday(today) < 6"],
    ["hour(opens_at) == hour(now)", "hour(opens_at) == hour(now)"],
    ["date(created_at) == today", "date(created_at) == today"],
    ["in_cidr(request.ip, '10.0.0.0/8')", 'in_cidr(request.ip, "10.0.0.0/8")'],
    ["in_cidr(request.ip, '2001:db8::/32')", 'in_cidr(request.ip, "2001:db8::/32")'],
    ["round(title) == 1", "type_mismatch 6-11"],
    ["round() == 1", "wrong_arguments 0-7"],
    ["floor(amount, 2) == 1", "wrong_arguments 0-16"],
    ["round(amount, 21) == 1", "wrong_arguments 14-16"],
    ["round(amount, price) == 1", "wrong_arguments 14-19"],
    ["round(amount, 1.5) == 1", "wrong_arguments 14-17"],
    ["amount.round(2) == 1", "wrong_arguments 7-12"],
    ["hour(due_on) == 1", "type_mismatch 5-11"],
    ["year(opens_at) == 1", "type_mismatch 5-13"],
    ["year(length) == 1", "type_mismatch 5-11"],
    ["due_on + due_on == today", "type_mismatch 0-15"],
    ["due_on + 1.5 == today", "type_mismatch 0-12"],
    ["due_on * 2 == today", "type_mismatch 0-10"],
    ["3 - due_on == 1", "type_mismatch 0-10"],
    ["due_on - created_at == 1", "type_mismatch 0-19"],
    ["in_cidr(request.ip, '10.0.0.0/33')", "wrong_arguments 20-33"],
    ["in_cidr(request.ip, 'office')", "wrong_arguments 20-28"],
    ["in_cidr(request.ip, '10.0.0.1/8')", "wrong_arguments 20-32"],
    ["in_cidr(request.ip, title)", "wrong_arguments 20-25"],
    ["in_cidr(request.ip)", "wrong_arguments 0-19"],
    ["in_cidr(price, '10.0.0.0/8')", "type_mismatch 8-13"],
  ])("%s", (text, expected) => expect(check(text)).toBe(expected));

  test("a network with too many bits is corrected in the hint", () => {
    const hints = checkRule(["in_cidr(request.ip, '10.1.2.3/8')"], scope).problems.map(({ hint }) => hint);
    expect(hints).toEqual(['Write `"10.0.0.0/8"`.']);
  });
});

describe("are evaluated in memory", () => {
  function made(text: string, values: Readonly<Record<string, Value>>): Value {
    const { expression, problems } = checkValue(text, scope, null);
    if (expression === null) throw new Error(JSON.stringify(problems));
    const user = { id: null, email: null, roles: [] };
    return evaluateValue(expression, { rows: { record: { values } }, user, now: "2026-02-28T23:30:00Z" });
  }

  test.each<[string, Readonly<Record<string, Value>>, Value]>([
    ["round(amount, 1)", { amount: "2.25" }, "2.3"],
    ["round(amount, 1)", { amount: "-2.25" }, "-2.3"],
    ["round(amount)", { amount: "2.5" }, 3],
    ["round(price, 2)", { price: 7 }, 7],
    ["round(ratio, 1)", { ratio: 2.25 }, 2.3],
    ["round(ratio, 1)", { ratio: 1e151 }, null],
    ["floor(amount)", { amount: "-0.5" }, -1],
    ["ceil(amount)", { amount: "-0.5" }, 0],
    ["ceil(ratio)", { ratio: -0.5 }, 0],
    ["abs(price)", { price: -3 }, 3],
    ["due_on - today", { due_on: "2026-03-02" }, 2],
    ["due_on - today", { due_on: null }, null],
    ["today + price", { price: 1 }, "2026-03-01"],
    ["today - price", { price: 3_000_000 }, null],
    ["today + 'PT36H'", {}, "2026-03-01T12:00:00Z"],
    ["weekday(today)", {}, 6],
    ["hour(now) * 100 + minute(now)", {}, 2330],
    ["date(now) + 1", {}, "2026-03-01"],
    ["month(created_at)", { created_at: "2026-01-01T00:30:00+01:00" }, 12],
    ["hour(opens_at)", { opens_at: "09:30" }, 9],
    ["in_cidr(title, '10.0.0.0/8')", { title: "10.255.0.1" }, true],
    ["in_cidr(title, '10.0.0.0/8')", { title: "::ffff:10.0.0.1" }, true],
    ["in_cidr(title, '10.0.0.0/8')", { title: "::1" }, false],
    ["in_cidr(title, '10.0.0.0/8')", { title: "10.0.0" }, null],
    ["in_cidr(title, '2001:db8::/32')", { title: "2001:DB8::1" }, true],
  ])("%s of %j", (text, values, expected) => expect(made(text, values)).toBe(expected));
});
