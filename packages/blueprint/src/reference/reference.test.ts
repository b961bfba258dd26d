// The reference in docs/ matches the language's tables, and the tables match the language.
import { fileURLToPath } from "node:url";
import { goldenDirectory } from "@plinth/testkit";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { ruleFunctions, ruleMethods, ruleNames, ruleOperators } from "../language/expressions.ts";
import { modifierHelp, typeHelp } from "../language/field-types.ts";
import { referencePages } from "./reference.ts";

test("docs/blueprint/reference equals the generated pages", async () => {
  const folder = fileURLToPath(new URL("../../../../docs/blueprint/reference", import.meta.url));
  await goldenDirectory(folder, referencePages);
});

const head = "project: demo\nmodules: [auth, users, roles, organizations, storage, audit_logs]\n";
const errorsOf = (text: string): readonly string[] =>
  checkBlueprint(text)
    .diagnostics.filter((one) => one.severity === "error")
    .map((one) => `${one.code}: ${one.message}`);

describe("each example is valid", () => {
  const field = (notation: string): string =>
    `${head}entities:\n  listing:\n    fields:\n      title: string\n      price: int\n` +
    `  order:\n    fields:\n      title: string\n      price: int\n      value: ${JSON.stringify(notation)}\n` +
    "    permissions:\n      admin: { all: true }\n";
  test.each(Object.entries(typeHelp))("type %s", (_, { example }) => expect(errorsOf(field(example))).toEqual([]));
  const profile = (notation: string): string => `${head}users:\n  fields:\n    value: ${JSON.stringify(notation)}\n`;
  const within =
    (options: string) =>
    (notation: string): string =>
      field(notation).replace("  order:\n", `  order:\n${options}`);
  const issued =
    "    soft_delete: true\n    transitions:\n      stage: { initial: open, issue: { from: open, to: issued } }\n";
  const places: Readonly<Record<string, (notation: string) => string>> = {
    writable: profile,
    per: within("    org_scoped: true\n"),
    at: (notation) =>
      within(issued)(notation).replace(/ {6}value/, "      stage: enum[open, issued] = open\n      value"),
  };
  test.each(Object.entries(modifierHelp))("modifier %s", (name, { example }) =>
    expect(errorsOf((places[name] ?? field)(example))).toEqual([]),
  );
  test.each([
    ...Object.entries({ ...ruleNames, ...ruleFunctions, ...ruleMethods }),
    ...ruleOperators.map((one) => [one.notation, one] as const),
  ])("rule %s", (_, { notation, example }) => {
    const operation = /^(?:old|new)\.|^input/.test(notation) ? "update" : "read";
    expect(errorsOf(rule(operation, example))).toEqual([]);
  });

  function rule(operation: string, text: string): string {
    return (
      `${head}entities:\n  category:\n    fields:\n      name: string\n    permissions:\n      public: { read: true }\n` +
      "  comment:\n    fields:\n      article_id: ref(article)\n      author_id: user_ref\n      approved: bool = false\n      likes: int = 0\n" +
      "    permissions:\n      admin: { all: true }\n" +
      "  article:\n    fields:\n      title: string\n      price: decimal(10, 2)\n      quantity: int = 1\n" +
      "      status: enum[draft, active] = draft\n      author_id: user_ref\n      org_id: org_ref\n" +
      '      published_at: datetime?\n      due_on: date?\n      category_id: ref(category)\n      address: "object{ city: string }"\n' +
      `    permissions:\n      user:\n        ${operation}: |\n          ${text}\n`
    );
  }
});
