// The form of an action: the kind of each field, the body that is sent, and the problems that are reported before.
import { checkBlueprint, type Field } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { audienceText, inputKindOf, isRequired, readInput, typeText } from "./action-input.ts";
import { exampleAction, exampleSchedule } from "./example.ts";

const head = "project: example\nmodules: [auth, users, roles, workers, audit_logs]\nentities: {}\n";

function fieldsOf(input: Readonly<Record<string, string>>): readonly Field[] {
  const lines = Object.entries(input).map(([name, type]) => `      ${name}: ${type}`);
  const text = `${head.replace("entities: {}", "entities:\n  parcel: { fields: { name: string }, permissions: { admin: { all: true } } }")}actions:
  pack:
    input:
${lines.join("\n")}
    permissions: { admin: true }
    steps: [audit.write]
`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return model.background.actions[0]?.input ?? [];
}

test("each type has a fitting form field, and is sent as its JSON type", () => {
  const fields = fieldsOf({
    parcel: "ref(parcel)",
    urgent: "bool",
    size: "enum[small, large]",
    pieces: "int",
    weight: "float?",
    day: "date?",
    at: "datetime?",
    note: "text?",
    tags: "list<string>?",
    price: "money(EUR)?",
  });
  expect(Object.fromEntries(fields.map(({ name, type }) => [name, inputKindOf(type)]))).toEqual({
    parcel: "text",
    urgent: "choice",
    size: "choice",
    pieces: "number",
    weight: "number",
    day: "date",
    at: "datetime",
    note: "lines",
    tags: "json",
    price: "text",
  });
  expect(
    fields
      .filter(isRequired)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["parcel", "pieces", "size", "urgent"]);
  expect(fields.map(({ type }) => typeText(type))).toContain("ref parcel");
  const id = "0192f000-0000-7000-8000-000000000001";
  const texts = {
    parcel: ` ${id} `,
    urgent: "false",
    size: "large",
    pieces: "3",
    tags: '["a"]',
    price: "5.00",
    at: "2026-11-22T10:00Z",
  };
  expect(readInput(fields, texts)).toEqual({
    body: {
      parcel: id,
      urgent: false,
      size: "large",
      pieces: 3,
      tags: ["a"],
      price: "5.00",
      at: "2026-11-22T10:00:00.000Z",
    },
    problems: {},
  });
  expect(readInput(fields, { parcel: "x", pieces: "1.5", weight: "heavy", tags: "[", at: "soon" }).problems).toEqual({
    parcel: "It must be an id (a UUID).",
    urgent: "A value is required.",
    size: "A value is required.",
    pieces: "It must be a whole number.",
    weight: "It must be a number.",
    tags: "This is not valid JSON.",
    at: "It must be a date and a time.",
  });
});

test.each([
  ["schedule", exampleSchedule],
  ["action", exampleAction],
])("the example of a %s is a valid blueprint", (_, example) => {
  const { diagnostics } = checkBlueprint(`${head}${example}\n`);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
});

test.each([
  [[], "No role can call it."],
  [["admin", "user"], "Roles that can call it, within their rules: admin, user."],
  [["user", "public"], "Roles that can call it, within their rules: public, user."],
  [
    ["user", "clerk"],
    "Roles that can call it, within their rules: clerk, user. The console acts as admin, which is not one of them.",
  ],
])("the roles that can call it: %j", (roles, expected) => expect(audienceText(roles)).toBe(expected));
