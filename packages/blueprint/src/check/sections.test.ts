// Roles, profile fields and limits: their form in the model, and their mistakes.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";

const head =
  "project: demo\nmodules: [auth, users, roles, audit_logs]\nentities:\n  note:\n    fields: { text: text }\n";
const codesOf = (sections: string): string[] =>
  checkBlueprint(`${head}${sections}\n`).diagnostics.flatMap(({ code }) => (code === "entity_unused" ? [] : [code]));

function modelOf(sections: string): Model {
  const { model, diagnostics } = checkBlueprint(`${head}${sections}\n`);
  if (model === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return model;
}

describe("roles", () => {
  test("have a label and a help", () => {
    const roles = modelOf("roles:\n  support: { inherits: user, label: Support, help: They help }\n  guest:").roles;
    expect(roles.slice(4)).toEqual([
      { name: "support", inherits: ["user"], builtin: false, label: "Support", help: "They help" },
      { name: "guest", inherits: [], builtin: false },
    ]);
  });

  test.each([
    ["roles:\n  support: { inherit: user }", ["unknown_key"]],
    ["roles:\n  support: { label: [a] }", ["wrong_kind"]],
    ["roles:\n  support: user", ["wrong_kind"]],
  ])("`%s`", (text, expected) => expect(codesOf(text)).toEqual(expected));
});

describe("profile fields", () => {
  test("are in the model, and rules can use them", () => {
    const text =
      "users:\n  fields:\n    region: enum[north, south] = north\n    age: int?\npermissions:\n  note:\n    user: { read: current_user.region == north && created_by.age > 17 }\n";
    const model = modelOf(text);
    expect(model.userFields.map((field) => field.name)).toEqual(["region", "age"]);
    const rule = model.entities[0]?.permissions[0]?.rule;
    expect(rule === undefined ? "" : printExpression(rule)).toBe(
      'current_user.region == "north" && created_by.age > 17',
    );
  });

  test.each([
    ["users:\n  fields: { nick: string }", ["profile_field_required"]],
    ["users:\n  fields: { email: string? }", ["reserved_name"]],
    ["users:\n  fields: { id: string? }", ["reserved_name"]],
    ["users:\n  fields: { nick: sequence(N-) }", ["not_supported_yet"]],
    ["users:\n  fields: { about_id: ref(note)? as(readers) }", ["not_supported_yet"]],
    ["users:\n  fields: { nick: string? was(alias), alias: string? }", ["misplaced_modifier"]],
    ["users:\n  fields: { nick: string? was(name) }", ["misplaced_modifier"]],
    ["users:\n  fields: { nick: string? was(old), call: string? was(old) }", ["misplaced_modifier"]],
    ["users:\n  fields: { nick: string? was(alias) }", []],
    ["users:\n  fields: { nick: strin? }", ["unknown_type"]],
    ["users:\n  field: { nick: string? }", ["unknown_key"]],
    ["users: []", ["wrong_kind"]],
  ])("`%s`", (text, expected) => expect(codesOf(text)).toEqual(expected));

  test("need the module", () => {
    const text = `${head.replace(" users,", "")}users:\n  fields: { nick: string? }\n`;
    expect(checkBlueprint(text).diagnostics.map((one) => one.code)).toEqual(["module_missing"]);
  });
});

describe("limits", () => {
  test("have a value, given or default", () => {
    expect(modelOf("").api).toEqual({
      requestsPerSecond: 100,
      burst: 200,
      bodyBytesMax: 1_048_576,
      pageMax: 100,
      statementMsMax: 2_000,
    });
    expect(
      modelOf(
        "api:\n  requests_per_second: 50\n  burst: 80\n  body_max: 512KiB\n  page_max: 250\n  statement_timeout: 500ms",
      ).api,
    ).toEqual({ requestsPerSecond: 50, burst: 80, bodyBytesMax: 524_288, pageMax: 250, statementMsMax: 500 });
  });

  test("a higher rate increases the burst", () => {
    expect(modelOf("api: { requests_per_second: 1000 }").api).toMatchObject({ requestsPerSecond: 1000, burst: 2000 });
    expect(modelOf("api: { requests_per_second: 10000 }").api.burst).toBe(20_000);
  });

  test.each([
    ["requests_per_second: 0"],
    ["requests_per_second: 10001"],
    ["requests_per_second: 1.5"],
    ["burst: 50"],
    ["body_max: 17MiB"],
    ["body_max: 1GB"],
    ["page_max: -1"],
    ["statement_timeout: 2"],
    ["statement_timeout: 1m"],
    ["statement_timeout: 31s"],
  ])("`%s` is out of range", (line) => expect(codesOf(`api: { ${line} }`)).toEqual(["invalid_limit"]));

  test("the operator's limits have priority over the blueprint's limits and over defaults", () => {
    const most = { requestsPerSecond: 50, burst: 60, bodyBytesMax: 524_288, pageMax: 30, statementMsMax: 1_500 };
    const allowed = { api: most, callMsMax: 60_000 };
    const asking = (line: string) => checkBlueprint(`${head}api: { ${line} }\n`, allowed);
    expect(checkBlueprint(head, allowed).model?.api).toEqual(most);
    expect(asking("page_max: 30").model?.api.pageMax).toBe(30);
    expect(asking("page_max: 31").diagnostics).toMatchObject([
      {
        code: "invalid_limit",
        severity: "error",
        hint: "The operator allows at most `30`.",
        span: { start: { line: 6 } },
      },
    ]);
    expect(asking("body_max: 1MiB").diagnostics[0]?.hint).toBe("The operator allows at most `512KiB`.");
    expect(asking("statement_timeout: 2s").diagnostics[0]?.hint).toBe("The operator allows at most `1500ms`.");
  });

  test("an unknown limit is reported", () => expect(codesOf("api: { pages: 3 }")).toEqual(["unknown_key"]));
});

describe("the language of search", () => {
  test("is in the model", () => {
    expect(modelOf("search: { language: german }").searchLanguage).toBe("german");
    expect(modelOf("").searchLanguage).toBeUndefined();
  });

  test.each([
    ["search: { language: de }", "invalid_search", "Write `language: german`."],
    ["search: { language: en-GB }", "invalid_search", "Write `language: english`."],
    ["search: { language: germann }", "invalid_search", "Did you mean `german`?"],
    ["search: { language: klingon }", "invalid_search", expect.stringMatching(/^Known languages: arabic, /)],
    ["search: { languages: german }", "unknown_key", expect.anything()],
    ["search: german", "wrong_kind", null],
    ["search: { language: [german, french] }", "wrong_kind", null],
  ])("`%s`", (text, code, hint) => {
    const [found] = checkBlueprint(`${head}${text}\n`).diagnostics.filter((one) => one.severity === "error");
    expect([found?.code, found?.hint]).toEqual([code, hint]);
  });
});
