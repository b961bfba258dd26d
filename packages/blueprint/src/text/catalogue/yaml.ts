// Diagnostics of the text as YAML, including common mistakes.
import { type DiagnosticKind, error, listing, readRule, topLevel } from "./kind.ts";

export type YamlCode =
  | "yaml_syntax"
  | "yaml_duplicate_key"
  | "yaml_key"
  | "yaml_anchor"
  | "yaml_alias"
  | "yaml_tag"
  | "yaml_reserved"
  | "yaml_template"
  | "yaml_quote"
  | "yaml_flow_split"
  | "yaml_question"
  | "yaml_colon"
  | "yaml_comment_in_rule"
  | "yaml_word"
  | "yaml_direction"
  | "yaml_many_documents"
  | "yaml_directive"
  | "blueprint_too_large"
  | "blueprint_too_deep"
  | "blueprint_empty";

export const yamlDiagnostics: Readonly<Record<YamlCode, DiagnosticKind>> = {
  yaml_syntax: error(
    "The text is not YAML",
    "project: demo\nmodules: [auth\nentities: {}\n",
    "project: demo\nmodules: [auth]\nentities: {}\n",
  ),
  yaml_duplicate_key: error(
    "A key is used twice in one map",
    listing("price: int\nprice: text"),
    listing("price: int\nnote: text"),
  ),
  yaml_key: error("A key is not a plain word", topLevel("? [a, b]\n: 1"), topLevel("roles: {}")),
  yaml_anchor: error("A value starts with an anchor (`&`)", readRule("&seller published"), readRule("published")),
  yaml_alias: error("A value starts with an alias (`*`)", readRule("*seller == null"), readRule("seller == null")),
  yaml_tag: error("A value starts with a tag (`!`)", readRule("!published"), readRule('"!published"')),
  yaml_reserved: error("A value starts with `@` or a backtick", readRule("@published"), readRule("published")),
  yaml_template: error(
    "`${{` in braces, without quotes",
    topLevel(
      "workers: { greet: { on: listing.created, steps: [audit.write: { with: { note: ${{ run.id }} } }] } }",
    ).replace(", audit_logs", ", workers, audit_logs"),
    topLevel(
      "workers: { greet: { on: listing.created, steps: [audit.write: { with: { note: '${{ run.id }}' } }] } }",
    ).replace(", audit_logs", ", workers, audit_logs"),
  ),
  yaml_quote: error(
    "A value starts with a quote by accident",
    readRule('"active" == status'),
    readRule("'\"active\" == status'"),
  ),
  yaml_flow_split: error(
    "Commas in brackets split an unquoted map in braces",
    "project: demo\nentities:\n  listing: { status: enum[draft, active], title: string }\n",
    'project: demo\nentities:\n  listing: { status: "enum[draft, active]", title: string }\n',
  ),
  yaml_question: error(
    "`? :` in a plain value",
    readRule("published ? price > 1 : price > 2"),
    readRule("(published && price > 1) || price > 2"),
  ),
  yaml_colon: error(
    "A colon and a space in a plain value",
    readRule("status == active: yes"),
    readRule("status == active"),
  ),
  yaml_comment_in_rule: error(
    "A comment directly after a rule",
    readRule("published # && price > 1"),
    readRule("published && price > 1"),
  ),
  yaml_word: error(
    "A word that other YAML readers read as a boolean",
    listing("answer: enum[yes, later]"),
    listing("answer: enum[agreed, later]"),
  ),
  yaml_direction: error(
    "A character that changes the direction of the text",
    listing("note: text # \u202eon"),
    listing("note: text # on"),
  ),
  yaml_many_documents: error("More than one YAML document", `${topLevel("")}---\nproject: other\n`, topLevel("")),
  yaml_directive: error("A YAML directive", "%YAML 1.1\n---\nproject: demo\n", "project: demo\n"),
  blueprint_too_large: error(
    "The blueprint is larger than 256 KiB",
    `project: demo\n# ${"x".repeat(262_144)}\n`,
    "project: demo\n",
  ),
  blueprint_too_deep: error(
    "The blueprint is nested too deep",
    `project: demo\ntests: ${"[".repeat(60)}${"]".repeat(60)}\n`,
    "project: demo\n",
  ),
  blueprint_empty: error("The blueprint is empty", "# Nothing yet.\n", "project: demo\n"),
};
