// The parts of a change: what counts as written, and a change without the parts of somebody else.
import { expect, test } from "vitest";
import { withoutParts, writtenParts } from "./written-parts.ts";

const before = `project: demo
modules: [auth, users]

entities:
  note:
    fields:
      title: string
      body: text?
    permissions:
      user:
        read: true
`;

const keys = (after: string): readonly string[] => writtenParts(before, after).map(({ key }) => key);

test("new values, other values and values that are gone are parts; layout and comments are not", () => {
  expect(keys(before.replace("body: text?", "body: text"))).toEqual(['entities.note.fields.body = "text"']);
  expect(keys(before.replace("      body: text?\n", ""))).toEqual(['without entities.note.fields.body = "text?"']);
  expect(keys(before.replace("[auth, users]", "[auth, users, roles]"))).toEqual(['modules[] = "roles"']);
  const laidOut = before.replace("user:\n        read: true", "# for users\n      user: { read: true }");
  expect(keys(laidOut)).toEqual([]);
  expect(writtenParts(null, "project: demo\n").map(({ place }) => place)).toEqual(["project"]);
});

test("a change without the parts of somebody else keeps the others", () => {
  const after = before
    .replace("title: string", "title: string(0, 50)")
    .replace("read: true", "read: true\n      admin: { all: true }");
  const isOther = (key: string): boolean => key.startsWith("entities.note.permissions.admin");
  expect(withoutParts(before, after, isOther)).toBe(before.replace("title: string", "title: string(0, 50)"));
  const removed = after.replace("      body: text?\n", "");
  const without = withoutParts(before, removed, (key) => key.startsWith("without "));
  expect(without).toContain("body: text?");
});
