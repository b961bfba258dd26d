// Declared fields in a form: the kind of each form field, the values that are sent, and the problems that are reported before.
import { checkBlueprint, type Field } from "@plinth/blueprint";
import { afterEach, expect, test, vi } from "vitest";
import { inputKindOf, isRequired, readInput, readValue, textOf, typeText } from "./values.ts";

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

test.each<[string, unknown]>([
  ["bool", true],
  ["int", 3],
  ["decimal(8, 2)", "12.50"],
  ["datetime", "2026-11-22T10:00:05.000Z"],
  ["time", "14:30:05"],
  ["enum_set[a, b]", ["b"]],
  ["list<int>", [1, 2]],
  ["json", { a: [null] }],
  ["text", "two\nlines"],
])("a stored %s is shown as a text that gives the same value again", (type, value) => {
  const [field] = fieldsOf({ one: type });
  if (field === undefined) throw new Error("no field");
  expect(readValue(field, textOf(value, field.type))).toEqual({ value });
});

afterEach(() => vi.unstubAllEnvs());

test.each(["Asia/Tokyo", "America/Los_Angeles"])("a datetime is edited in UTC, as it is shown, also in %s", (zone) => {
  vi.stubEnv("TZ", zone);
  const [at] = fieldsOf({ at: "datetime" });
  if (at === undefined) throw new Error("no field");
  expect(textOf("2026-11-22T10:00:05Z", at.type)).toBe("2026-11-22T10:00:05");
  expect(readValue(at, "2026-11-22T10:00:05")).toEqual({ value: "2026-11-22T10:00:05.000Z" });
  expect(typeText(at.type)).toContain("UTC");
});
