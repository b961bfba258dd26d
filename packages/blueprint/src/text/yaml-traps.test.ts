// If YAML reads a text in a way that its author can't have meant, one diagnostic names it at its position.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

const head = "project: demo\nmodules: [auth, users, roles, audit_logs]\nentities:\n";

function found(text: string): string[] {
  return checkBlueprint(text).diagnostics.map(({ code, span }) => `${code} ${span.start.line}:${span.start.column}`);
}

describe("in a rule", () => {
  const fields = "    fields: { n: int, s: string, ok: bool, st: 'enum[x, y]' }\n";
  test.each([
    ["public: { read: n > 0 ? ok : !ok }", "yaml_question 7:23"],
    ["public: { read: st in [x, y], update: ok }", "yaml_flow_split 7:23"],
    ["public: { read: s.matches('a, b'), update: ok }", "yaml_flow_split 7:23"],
    ["public:\n        read: !ok", "yaml_tag 8:15"],
    ["public:\n        read: *ok", "yaml_alias 8:15"],
    ["public:\n        read: &ok", "yaml_anchor 8:15"],
    ['public:\n        read: "x" == st', "yaml_quote 8:15"],
    ["public:\n        read: 'x' == st", "yaml_quote 8:15"],
    ['public:\n        read: [ok, "x" == st]', "yaml_quote 8:20"],
    ["public:\n        read: ok ? n > 1 : n > 2", "yaml_question 8:15"],
    ["public:\n        read: ok # && n > 3", "yaml_comment_in_rule 8:18"],
    ["public:\n        read:\n          ok # first\n          && n > 3", "yaml_comment_in_rule 9:14"],
    ["public:\n        read: ok: true", "yaml_colon 8:15"],
  ])("%s", (rule, place) => expect(found(`${head}  a:\n${fields}    permissions:\n      ${rule}\n`)).toEqual([place]));

  test("a block scalar contains everything", () => {
    const rule = "public:\n        read: |\n          (n > 0 ? ok : !ok) && 'a: b # c' != s";
    expect(found(`${head}  a:\n${fields}    permissions:\n      ${rule}\n`)).toEqual([]);
  });
});

describe("in a check", () => {
  test.each([
    ["checks: { low: n < 3 ? ok : n < 2 }", "yaml_question 6:20"],
    ["checks: { low: n in [1, 2], other: ok }", "yaml_flow_split 6:20"],
    ["checks:\n      low: n < 3 # or so", "yaml_comment_in_rule 7:18"],
    ["checks:\n      low: !ok", "yaml_tag 7:12"],
  ])("%s", (check, place) =>
    expect(found(`${head}  a:\n    fields: { n: int, ok: bool }\n    ${check}\n`)).toEqual([place]),
  );
});

describe("in a field", () => {
  test.each([
    ["  a: { n: decimal(10,2), m: int }", "yaml_flow_split 4:11"],
    ["  a: { n: list<enum[a, b]>, m: int }", "yaml_flow_split 4:11"],
    ["  a: { n: 'enum[a, b]', m: enum[a, b]? = a }", "yaml_flow_split 4:28"],
    ["  a: { n: list<int> = [1, 2], m: int }", "yaml_flow_split 4:11"],
    ["  a: { n: object{ x: int, y: int }, m: int }", "yaml_flow_split 4:11"],
    ["  a: { c: computed(x ? 1 : 2), x: bool }", "yaml_question 4:11"],
    ["  a:\n    c: computed(x ? 1 : 2)\n    x: bool", "yaml_question 5:8"],
    ["  a:\n    c: object{ x: int }\n    x: bool", "yaml_colon 5:8"],
    ['  a:\n    c: string? deprecated("use # x")', "yaml_comment_in_rule 5:32"],
    ["  a:\n    c: computed(n # + 1)\n    n: int", "yaml_comment_in_rule 5:19"],
    ["  a:\n    n: !int\n    m: int", "yaml_tag 5:8"],
    ["  a:\n    n: *int\n    m: int", "yaml_alias 5:8"],
    ['  a:\n    n: "string" unique', "yaml_quote 5:8"],
    ["  yes:\n    a: int", "yaml_word 4:3"],
    ["  a:\n    on: int", "yaml_word 5:5"],
    ["  a:\n    n: enum[a, no]", "yaml_word 5:16"],
    ["  a:\n    n: { type: enum, values: [a, off] }", "yaml_word 5:34"],
    ["  a:\n    n: int # \u2067", "yaml_direction 5:14"],
  ])("%s", (entity, place) => expect(found(`${head}${entity}\n`)).toEqual([place]));

  test("a comment after a field, the key `on`, and quoted words are valid", () => {
    expect(found(`${head}  a:\n    n: string = "x" # why\n    m: string # what\n`)).toEqual(["entity_unused 4:3"]);
  });
});
