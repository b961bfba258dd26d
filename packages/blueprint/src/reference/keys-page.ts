// Writes the page of keys: the grammar, section by section. In: the grammar. Out: Markdown.
import { step } from "../language/background-sections.ts";
import { fieldKeys } from "../language/field-types.ts";
import { sections, shapes } from "../language/sections.ts";
import type { KeyShape, NameOf, Shape } from "../language/shape.ts";
import { cell, table } from "./markdown.ts";

export function keysPage(): string {
  const top = Object.entries(sections).map(([name, key]) => [
    `\`${name}\``,
    cell(key.required === true ? `${key.help} Required.` : key.help),
  ]);
  const parts = Object.entries(sections).flatMap(([name, key]) => describe(name, key.value));
  const shared = [
    ...describe("an entity", shapes.entity),
    ...describe("permissions", shapes.permissions),
    ...describe("a field, in its long form", { kind: "map", keys: fieldKeys }),
    ...describe("a member of an object, or of a list", shapes.member),
    ...describe("a step", step),
  ];
  return `# Keys

Top level:

${table(["key", "meaning"], top)}

${[...shared, ...parts].join("\n\n")}
`;
}

/** One section for each map with fixed keys, with its path as the heading. */
function describe(path: string, shape: Shape): string[] {
  switch (shape.kind) {
    case "map": {
      const rows = Object.entries(shape.keys).map(([name, key]) => [`\`${name}\``, cell(key.help), cell(formOf(key))]);
      const below = Object.entries(shape.keys).flatMap(([name, key]) => describe(`${path} > ${name}`, key.value));
      return [`## ${path}\n\n${table(["key", "meaning", "value"], rows)}`, ...below];
    }
    case "names":
      return describe(`${path} > <${shape.key}>`, shape.value);
    case "list":
      return describe(`${path} > [ ]`, shape.of);
    case "any_of":
      return shape.of.filter((one) => !repeats(one, shape.of)).flatMap((one) => describe(path, one));
    default:
      return [];
  }
}

/** `record.update: { ... }` has the keys of the long form, which are listed once. */
function repeats(one: Shape, all: readonly Shape[]): boolean {
  const { value } = one.kind === "names" ? one : { value: null };
  return value?.kind === "map" && all.some((other) => other.kind === "map" && other.keys === value.keys);
}

function formOf(key: KeyShape): string {
  return `${formsOf(key.value)}${key.required === true ? "; required" : ""}`;
}

/** Names with a form of their own. */
const namesAsWritten: Readonly<Partial<Record<NameOf, string>>> = {
  state: "value of the field",
  sort_field: "`field` or `-field`",
  entity_row: "`entity.row`",
  row_transition: "`entity.row.transition`",
  organization_role: "`owner`, `admin` or `member`",
  integration_kind: "kind",
  provider: "name of a provider",
  webhook_provider: "name of a provider",
};

function formsOf(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return "text";
    case "rule":
      return "rule";
    case "template":
      return "text with `${{ }}`";
    case "number":
      return "number";
    case "boolean":
      return "`true`, `false`";
    case "integer":
      return "whole number";
    case "field":
      return "field";
    case "value":
      return "any value";
    case "word":
      return shape.words.map((word) => `\`${word}\``).join(", ");
    case "name":
      return Object.hasOwn(namesAsWritten, shape.of)
        ? (namesAsWritten[shape.of] ?? "")
        : `name of ${/^[aeiou]/.test(shape.of) ? "an" : "a"} ${shape.of.replace("_", " ")}`;
    case "list":
      return `list of ${formsOf(shape.of)}`;
    case "map":
      return "map";
    case "names":
      return `map by ${shape.key}`;
    case "any_of":
      return [...new Set(shape.of.map(formsOf))].join(", or ");
    case "shape":
      return shape.name;
  }
}
