// Formatting keeps comments and meaning, and a second pass changes nothing.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { diagnosticCatalogue } from "../text/diagnostic.ts";
import { formatBlueprint } from "./format.ts";

function format(text: string): string {
  const result = formatBlueprint(text);
  if ("diagnostics" in result) throw new Error(JSON.stringify(result.diagnostics));
  return result.text;
}

describe.each(["market-square", "parcel-desk"])("the example %s", (name) => {
  const text = readFileSync(new URL(`../../../../docs/examples/${name}.yaml`, import.meta.url), "utf8");
  test("is canonical", () => expect(format(text)).toBe(text));
});

test("formats a blueprint that is written in every other way", () => {
  const text = [
    "---",
    "# The desk.",
    "project:   demo   # why so",
    'modules: [ auth,"users" , roles ]',
    "",
    "",
    "# Who.",
    "roles: {support: {inherits: [user]}}",
    "entities:",
    "",
    "  ticket:",
    "",
    "    fields: {title: {type: string, unique: true}, status: 'enum[open,closed]=open', note: {type: string, max: 20}} # all",
    "    permissions: { user: { read: \"status == open\", update: '!(status == closed)' } }",
    "    # The end of ticket.",
    "",
    "  reply: { ticket_id: ref( ticket ), text: 'text = \"a # b\"' }",
    'events: {x.y: {flag: "yes", text: "1"}}',
    "# Last.",
    "",
  ].join("\n");
  expect(format(text)).toBe(
    [
      "# The desk.",
      "project: demo # why so",
      "modules: [auth, users, roles]",
      "",
      "# Who.",
      "roles:",
      "  support:",
      "    inherits: [user]",
      "",
      "entities:",
      "  ticket:",
      "    # all",
      "    fields:",
      "      title: string unique",
      "      status: enum[open, closed] = open",
      "      note: string(, 20)",
      "    permissions:",
      "      user:",
      "        read: status == open",
      '        update: "!(status == closed)"',
      "    # The end of ticket.",
      "",
      "  reply:",
      "    ticket_id: ref(ticket)",
      "    text: 'text = \"a # b\"'",
      "",
      "events:",
      "  x.y:",
      '    flag: "yes"',
      '    text: "1"',
      "",
      "# Last.",
      "",
    ].join("\n"),
  );
});

test("a long field gets its short form only if it means the same", () => {
  const field = (long: string): string => {
    const text = `project: demo\nmodules: [auth]\nentities:\n  note:\n    fields:\n      text: ${long}\n`;
    return format(text).split("      text:")[1]?.trim() ?? "";
  };
  expect(field("{ type: int, max: 3 }")).toContain("max: 3");
  expect(field('{ type: "enum[a, b]", default: b }')).toBe("enum[a, b] = b");
  expect(field("{ type: int, optional: true, default: -3 }")).toBe("int? = -3");
  expect(field("{ type: text, default: it's }")).toBe(`text = "it's"`);
  expect(field("{ type: datetime, default: now }")).toBe("datetime = now");
  expect(field("{ type: user_ref, default: current_user.id }")).toBe("user_ref = current_user.id");
  expect(field("{ type: string?, unique: [other] }")).toBe("string? unique(other)");
  expect(field("{ type: string, label: Text }")).toContain("label: Text");
});

test("a text that is not YAML is refused with its diagnostics", () => {
  const result = formatBlueprint("project: [demo\n");
  expect("diagnostics" in result && result.diagnostics.map((one) => one.code)).toEqual(["yaml_syntax"]);
});

test("a blueprint with mistakes is formatted, too", () => {
  expect(format("project:   Demo\nentitys: {}\n")).toBe("project: Demo\nentitys: {}\n");
});

test("every readable example of the catalogue keeps its diagnostics, and a second pass changes nothing", () => {
  for (const kind of Object.values(diagnosticCatalogue)) {
    for (const text of [kind.wrong, kind.right]) {
      const result = formatBlueprint(text);
      if ("diagnostics" in result) continue;
      expect(codes(result.text)).toEqual(codes(text));
      expect(format(result.text)).toBe(result.text);
    }
  }
});

test("property: the same model, the same comments, and no change in a second pass", () => {
  fc.assert(
    fc.property(blueprint, (text) => {
      const once = format(text);
      expect(checkBlueprint(once).model).toEqual(checkBlueprint(text).model);
      expect(comments(once)).toEqual(comments(text));
      expect(format(once)).toBe(once);
    }),
    { numRuns: 300 },
  );
});

function codes(text: string): string[] {
  return checkBlueprint(text)
    .diagnostics.map((one) => one.code)
    .sort();
}

function comments(text: string): string[] {
  return [...text.matchAll(/#c\d+/g)].map((match) => match[0]).sort();
}

/** Blueprints in varied layout: empty lines, comments anywhere, flow and block, quoted and plain, long and short. */
const quoted = (text: string): fc.Arbitrary<string> => fc.constantFrom(text, `'${text}'`, `"${text}"`);
const comment = fc.nat({ max: 99 }).map((n) => `#c${n}`);
const above = (indent: string): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        fc.constant(""),
        comment.map((text) => indent + text),
      ),
      { maxLength: 3 },
    )
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
const behind = fc.option(comment, { nil: "" }).map((text) => (text === "" ? "" : ` ${text}`));
const field = fc.oneof(
  fc
    .constantFrom("string", "text?", "int = 4", "bool=true", "enum[ a,b ]=a", "string unique", "ref(item)?")
    .chain(quoted),
  fc.constantFrom(
    "{type: int, default: 3}",
    "{ type: string, max: 9 }",
    "{type: bool, optional: true}",
    "{ type: datetime, default: now }",
  ),
);
const rule = fc.constantFrom(
  "true",
  "[true, f0 == null]",
  "f0 == null",
  '"f0 != null"',
  "'!(f0 == null)'",
  "\n          - true\n          - f0 == null",
);

const entity = (name: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      above("  "),
      behind,
      above("    "),
      fc.array(fc.tuple(above("      "), field, behind), { minLength: 1, maxLength: 3 }),
      fc.option(fc.tuple(above("        "), rule)),
      above("    "),
    )
    .map(([before, own, inner, fields, read, end]) => {
      const lines = fields.map(([top, text, tail], i) => `${top}      f${i}: ${text}${tail}\n`).join("");
      const permissions = read === null ? "" : `    permissions:\n      public:\n${read[0]}        read: ${read[1]}\n`;
      return `${before}  ${name}:${own}\n${inner}    fields:\n${lines}${permissions}${end}`;
    });

const blueprint = fc
  .tuple(
    above(""),
    behind,
    above(""),
    fc.constantFrom("[auth]", "[ auth, roles ]", "\n  - auth\n  - roles"),
    behind,
    above(""),
    entity("item"),
    entity("parcel"),
    above(""),
  )
  .map(
    ([head, own, before, modules, tail, top, first, second, end]) =>
      `${head}project: demo${own}\n${before}modules: ${modules}${tail}\n${top}entities:\n${first}${second}${end}`,
  );
