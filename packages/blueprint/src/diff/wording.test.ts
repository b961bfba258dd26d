// Summaries that must distinguish old and new, and the article in front of a name.

import { withArticle } from "@plinth/expression";
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { diffModels } from "./diff.ts";

const text = `project: demo
modules: [auth, users, organizations]
entities:
  invoice:
    org_scoped: true
    exclude:
      apart: { same: [room], overlap: [starts_on, ends_on] }
    fields:
      room: string
      starts_on: date
      ends_on: date
      number: sequence(INV-) per(org)
      status: enum[draft, sent] = draft
    transitions:
      status:
        initial: draft
        send: { from: draft, to: sent, roles: [user], when: room == "a" }
    permissions:
      user: { read: true, create: room == "a" }
`;

function told(from: string, to: string): readonly string[] {
  const [before, after] = [text, text.replace(from, to)].map((one) => checkBlueprint(one).model);
  if (!before || !after) throw new Error("a blueprint of this test has errors");
  return diffModels(before, after).map(({ summary }) => summary);
}

test("a changed exclusion says what it no longer forbids", () => {
  expect(told("same: [room], overlap", "same: [status], overlap")).toEqual([
    "Two records of `invoice` with the same `status` can't overlap from `starts_on` to `ends_on`, instead of the same `room` from `starts_on` to `ends_on`.",
  ]);
  expect(told("ends_on] }", "ends_on], where: status != sent }")[0]).toContain(
    'where `status != "sent"`, instead of the same `room` from `starts_on` to `ends_on`.',
  );
});

test("a sequence per organization differs from one per project", () => {
  expect(told(" per(org)", "")[0]).toContain('from sequence("INV-") per(org) to sequence("INV-")');
});

test("the article matches the name", () => {
  expect(told('create: room == "a"', 'create: room != "b"')[0]).toContain("create an `invoice` where");
  expect(told('when: room == "a"', "when: true").join(" ")).not.toContain("a `invoice`");
  expect(["invoice", "`entry`", "user", "unit", "unknown", "room"].map(withArticle)).toEqual([
    "an invoice",
    "an `entry`",
    "a user",
    "a unit",
    "an unknown",
    "a room",
  ]);
});
