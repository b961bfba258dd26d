// Writes the reference of the language from its own tables: the grammar, the types, the words of rules, the
// diagnostics. In: nothing. Out: Markdown by file name. It has no other source than these tables.

import {
  roleHelp,
  ruleFunctions,
  ruleMethods,
  ruleNames,
  ruleOperators,
  type WordHelp,
} from "../language/expressions.ts";
import { fieldKeys, modifierHelp, typeHelp } from "../language/field-types.ts";
import { moduleHelp, operationHelp } from "../language/sections.ts";
import { diagnosticCatalogue } from "../text/diagnostic.ts";
import { diagnosticIndex, diagnosticPage } from "./diagnostic-page.ts";
import { keysPage } from "./keys-page.ts";
import { cell, table } from "./markdown.ts";

export function referencePages(): Readonly<Record<string, string>> {
  const pages: Record<string, string> = {
    "README.md": indexPage(),
    "keys.md": keysPage(),
    "types.md": typesPage(),
    "rules.md": rulesPage(),
    "diagnostics/README.md": diagnosticIndex(),
  };
  for (const code of Object.keys(diagnosticCatalogue) as (keyof typeof diagnosticCatalogue)[])
    pages[`diagnostics/${code}.md`] = diagnosticPage(code);
  return pages;
}

function indexPage(): string {
  return `# Reference of the blueprint language

Made from the language's own tables; the [guide](../guide.md) explains how they are used together.

- [Keys](keys.md): what may stand where, and what it changes.
- [Types](types.md): field types and modifiers, with their form in JSON and in Postgres.
- [Rules](rules.md): names, operators and functions of expressions.
- [Diagnostics](diagnostics/README.md): everything that a check can say, with a wrong and a right example each.
`;
}

function typesPage(): string {
  const types = Object.values(typeHelp).map((type) => [
    cell(`\`${type.notation}\``),
    cell(type.help),
    cell(type.json),
    cell(type.postgres),
    cell(`\`${type.example}\``),
  ]);
  const modifiers = Object.values(modifierHelp).map((one) => [
    cell(`\`${one.notation}\``),
    cell(one.help),
    cell(`\`${one.example}\``),
  ]);
  const keys = Object.entries(fieldKeys).map(([name, key]) => [cell(`\`${name}\``), cell(key.help)]);
  return `# Field types

A field is \`type\`, then \`?\` where it may be empty, then modifiers, then \`= default\`: \`status: enum[draft, active] index = draft\`. The same as a map is the long form.

YAML reads a colon and a space as a key and its value, so a type that holds them is put in quotes, or written in the long form:

\`\`\`yaml
project: shop
modules: [auth]
entities:
  customer:
    fields:
      home: "object{street: string, zip: string?}"
      office:
        type: object
        fields: { street: string, zip: string? }
    permissions: { admin: { all: true } }
\`\`\`

${table(["type", "meaning", "in JSON", "in Postgres", "example"], types)}

## Modifiers

${table(["modifier", "meaning", "example"], modifiers)}

## The long form

${table(["key", "meaning"], keys)}

Defaults besides constants: \`now\` (datetime), \`today\` (date), \`current_user.id\` (user_ref), \`current_org\` (org_ref). The service sets the last two; only an admin may give another value.
`;
}

function rulesPage(): string {
  const rows = (words: readonly WordHelp[]): string =>
    table(
      ["", "meaning", "example"],
      words.map(({ notation, help, example }) => [cell(`\`${notation}\``), cell(help), cell(`\`${example}\``)]),
    );
  const pairs = (of: Readonly<Record<string, string>>): string =>
    table(
      ["", "meaning"],
      Object.entries(of).map(([name, help]) => [cell(`\`${name}\``), cell(help)]),
    );
  return `# Rules

A rule is \`true\`, \`false\`, an expression, or a list of them (any is enough). Expressions are a subset of CEL, checked against the blueprint. What is unknown (an empty field compared, a division by zero) denies, also behind \`deny\`.

## Names

${rows(Object.values(ruleNames))}

A bare word that is compared with an enum is one of its values; a field of that name wins, and a warning says so. A reference is called by its field's name, with \`_id\` or without: \`listing_id\`, \`listing.title\`.

## Operators

${rows(ruleOperators)}

## Functions

${rows(Object.values(ruleFunctions))}

## Methods

${rows(Object.values(ruleMethods))}

## Operations

${pairs(operationHelp)}

## Roles

${pairs(roleHelp)}

## Modules

${pairs(moduleHelp)}
`;
}
