// Pairs of blueprints that differ in one place: changes that were called safe although they aren't, and the other way round.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import { protect } from "./protect.ts";

const text = `project: demo
modules: [auth, users, roles]
roles: { staff: {} }
entities:
  room:
    fields: { name: string }
    permissions: { staff: { read: true } }
  stay:
    fields:
      room_id: ref(room)
      from_day: date
      to_day: date
      open: bool = true
      fee: money(EUR)
      guests: int
      total: computed(fee * guests)
      prices: list<money(EUR)>?
    exclude:
      no_overlap: { same: [room_id], overlap: [from_day, to_day], where: open }
    permissions:
      user: { read: { allow: true, fields: [guests, open] }, create: true }
      staff: { read: true, update: { allow: true, set: { guests: guests + 1 } } }
events:
  stay.paid:
    payload: { amount: int, note: string?, code: string }
views:
  dear: { of: stay, where: guests * 2 > 3 && open, sort: [guests] }
`;

function modelOf(blueprint: string): Model {
  const { model, diagnostics } = checkBlueprint(blueprint);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const before = modelOf(text);

test.each<[string, string, string, string[]]>([
  ["an order by what readers can't read", "sort: [guests]", "sort: [-fee]", ["stay.views.dear loosens_access"]],
  ["the other direction of an order", "sort: [guests]", "sort: [-guests]", ["stay.views.dear safe"]],
  ["a condition in another order", "guests * 2 > 3 && open", "open && 2 * guests > 3", ["stay.views.dear safe"]],
  ["a condition over what readers can't read", "guests * 2 > 3", "fee > 3", ["stay.views.dear loosens_access"]],
  ["factors in another order", "computed(fee * guests)", "computed(guests * fee)", ["stay.total safe"]],
  ["summands in another order", "guests + 1", "1 + guests", ["stay.permissions.staff.update safe"]],
  ["another name of an exclusion", "no_overlap:", "one_at_a_time:", ["stay.exclude.one_at_a_time online"]],
  ["an exclusion of fewer records", "where: open }", "where: open && guests > 1 }", ["stay.exclude.no_overlap online"]],
  [
    "an exclusion of more equal fields",
    "same: [room_id]",
    "same: [room_id, guests]",
    ["stay.exclude.no_overlap online"],
  ],
  ["an exclusion of more records", ", where: open }", " }", ["stay.exclude.no_overlap breaking+data_dependent+online"]],
  [
    "an exclusion of other days",
    "overlap: [from_day, to_day]",
    "overlap: [to_day, from_day]",
    ["stay.exclude.no_overlap breaking+data_dependent+online"],
  ],
  [
    "a member that leaves a payload",
    ", code: string }",
    " }",
    ["events.stay.paid safe", "events.stay.paid.payload breaking"],
  ],
  [
    "a member of another type",
    "amount: int,",
    "amount: string,",
    ["events.stay.paid safe", "events.stay.paid.payload breaking"],
  ],
  [
    "a member that can be missing",
    "code: string }",
    "code: string? }",
    ["events.stay.paid safe", "events.stay.paid.payload breaking"],
  ],
  ["a member that is always there", "note: string?", "note: string", ["events.stay.paid safe"]],
  ["one more member", "code: string }", "code: string, more: int? }", ["events.stay.paid safe"]],
])("%s", (_, from, to, expected) => {
  const after = modelOf(text.replace(from, to));
  const changes = diffModels(before, after).map(({ path, classes }) => `${path} ${classes.join("+")}`);
  expect(changes.toSorted()).toEqual(expected.toSorted());
  expect(protect(before, after, "person")).toEqual([]);
});

test("another currency says what becomes of the amounts", () => {
  const after = modelOf(text.replaceAll("EUR", "USD"));
  const summaries = diffModels(before, after).map(({ path, summary, classes }) => [path, classes[0], summary]);
  expect(summaries).toContainEqual([
    "stay.fee",
    "breaking",
    "`fee` of `stay` changes from money(EUR) to money(USD): existing amounts keep their numbers, so 100 EUR becomes 100 USD.",
  ]);
  expect(summaries.find(([path]) => path === "stay.prices")?.[2]).toContain("so 100 EUR becomes 100 USD");
});

test("members that leave a payload are named", () => {
  const after = modelOf(text.replace("amount: int, ", "").replace("code: string }", "code: int }"));
  expect(diffModels(before, after).map(({ summary }) => summary)).toContain(
    "Receivers of `stay.paid` no longer get `amount`. Receivers of `stay.paid` can get other values in `code`, or none.",
  );
});
