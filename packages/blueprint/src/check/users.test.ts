// Permissions to read users: mistakes, what others see, and the consents for changes.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { diffModels } from "../diff/diff.ts";
import { protect } from "../diff/protect.ts";
import type { Model } from "../model/model.ts";

const text = (users: string): string => `project: chat
modules: [auth, users, roles]
roles: { support: {} }
users:
  fields:
    nickname: string?
    birthday: date? pii
    mood: string? internal
    listed: bool = true
${users}entities:
  room:
    fields: { title: string, guest_id: user_ref? }
    permissions:
      user: { create: true, read: true, update: true }
`;

const permitting = (lines: string): string => text(`  permissions:\n    ${lines}\n`);

function modelOf(source: string): Model {
  const { model, diagnostics } = checkBlueprint(source);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

test("without `fields`, others see neither personal nor internal fields", () => {
  const { userPermissions } = modelOf(permitting("user: { read: listed }"));
  expect(userPermissions).toMatchObject([{ role: "user", fields: ["id", "name", "nickname", "listed"] }]);
  expect(modelOf(text("")).userPermissions).toBeUndefined();
});

test("permissions mean the same at the top level", () => {
  const top = `${text("")}permissions:\n  user:\n    user: { read: listed }\n`;
  expect(modelOf(top).userPermissions).toEqual(modelOf(permitting("user: { read: listed }")).userPermissions);
});

describe("is refused:", () => {
  test.each([
    ["admin: { read: true }", "option_not_applicable"],
    ["owner: { read: listed }", "option_not_applicable"],
    ["user: { update: listed }", "option_not_applicable"],
    ["user: { all: true }", "option_not_applicable"],
    ["user: { read: name == roles }", "unknown_name"],
    ["user: { read: { allow: true, fields: [mood] } }", "field_not_readable"],
    ["user: { read: { allow: true, fields: [password_hash] } }", "unknown_field"],
    ["stranger: { read: true }", "unknown_role"],
  ])("%s", (lines, code) => {
    const { diagnostics, model } = checkBlueprint(permitting(lines));
    expect(model).toBeNull();
    expect(diagnostics.map((one) => one.code)).toContain(code);
  });
});

describe("a change", () => {
  const none = modelOf(text(""));
  const listed = modelOf(permitting("user: { read: listed }"));
  const all = modelOf(permitting("user: { read: true }"));
  const mail = modelOf(permitting("user: { read: { allow: listed, fields: [name, email] } }"));
  const open = modelOf(permitting("public: { read: listed }"));
  const classes = (before: Model, after: Model) =>
    diffModels(before, after).map(({ path, classes: found }) => [path, ...found]);
  const path = "user.permissions.user.read";

  test("that shows users, more users, or more of their fields, loosens access", () => {
    for (const [before, after] of [
      [none, listed],
      [listed, all],
      [listed, mail],
    ] as const)
      expect(classes(before, after)).toMatchObject([[path, "loosens_access", ...(after === mail ? ["breaking"] : [])]]);
  });

  test("that shows fewer breaks clients, and has no other effect", () => {
    expect(classes(all, listed)).toEqual([[path, "breaking"]]);
    expect(classes(listed, none)).toEqual([[path, "breaking"]]);
    expect(classes(listed, listed)).toEqual([]);
  });

  test("that shows users to everybody touches the protected core", () => {
    const rules = protect(none, open, "ai", diffModels(none, open)).map(({ rule }) => rule);
    expect(rules).toContain("widens_public");
  });

  test("to a role that inherits the right to read users loosens access", () => {
    const support = permitting("support: { read: true }");
    const before = modelOf(support);
    const after = modelOf(
      support.replace("roles: { support: {} }", "roles: { support: {}, clerk: { inherits: support } }"),
    );
    const held = modelOf(support.replace("roles: { support: {} }", "roles: { support: {}, clerk: {} }"));
    expect(classes(before, held)).toEqual([["roles.clerk", "safe"]]);
    expect(classes(held, after)).toEqual([["roles.clerk", "loosens_access"]]);
  });

  test("also affects the rules that use `can(read, guest)`", () => {
    const asking = (source: string): Model => modelOf(source.replace("update: true", 'update: "can(read, guest)"'));
    const [before, after] = [asking(text("")), asking(permitting("user: { read: listed }"))];
    expect(classes(before, after)).toEqual([
      [path, "loosens_access"],
      ["room.permissions.user.update", "loosens_access"],
    ]);
  });

  test("of a profile field's name renames it in the rule", () => {
    const renamed = permitting("user: { read: shown }").replace(
      "listed: bool = true",
      "shown: bool was(listed) = true",
    );
    expect(classes(listed, modelOf(renamed)).filter(([at]) => at === path)).toEqual([]);
  });
});

describe("unique profile fields", () => {
  const having = (lines: string): string => text(`${lines.replaceAll(/^/gm, "    ")}\n`);
  const codes = (lines: string): readonly string[] => checkBlueprint(having(lines)).diagnostics.map(({ code }) => code);
  const changes = (before: string, after: string) =>
    diffModels(modelOf(before), modelOf(after)).map(({ path, classes }) => [path, ...classes]);

  test("are reported by their fields, single and combined", () => {
    const model = modelOf(having("handle: string? unique\ndesk: int? unique(nickname)\nfloor: int? index"));
    expect(model).toMatchObject({ userUniques: [["handle"], ["desk", "nickname"]], userIndexes: [["floor"]] });
    expect(Object.keys(modelOf(text("")))).not.toContain("userUniques");
  });

  test.each([
    ["handle: string? unique(nobody)", "unknown_field"],
    ["handle: string? unique(email)", "unknown_field"],
    ["handle: string? unique(org)", "misplaced_modifier"],
    ['handle: string unique = "x"', "misplaced_modifier"],
    ["handle: bool unique(listed) = true", "misplaced_modifier"],
    ["handle: json? unique", "misplaced_modifier"],
    ["handle: string? unique index", "misplaced_modifier"],
    ["handle: string? unique(nickname)\nother: string? unique(handle) unique(handle)", "duplicate_value"],
  ])("are refused as `%s`", (lines, code) => expect(codes(lines)).toContain(code));

  test("are refused if all users without a value would share it", () => {
    const [found] = checkBlueprint(having('handle: string unique = "x"')).diagnostics;
    expect(found).toMatchObject({
      message: "`unique` can't be used here: everybody who signs up without a value would get the same `handle`.",
      hint: "Make it optional (`?`), without a default.",
    });
  });

  test("can be violated by existing users, and by clients", () => {
    const unique = having("handle: string? unique");
    expect(changes(having("handle: string?"), unique)).toEqual([
      ["user.unique(handle)", "breaking", "data_dependent", "online"],
    ]);
    expect(changes(unique, having("handle: string?"))).toEqual([["user.unique(handle)", "safe"]]);
    expect(changes(text(""), unique)).toEqual([
      ["user.handle", "safe"],
      ["user.unique(handle)", "online"],
    ]);
    expect(changes(unique, having("handle: string? index"))).toEqual([
      ["user.unique(handle)", "safe"],
      ["user.index(handle)", "online"],
    ]);
  });

  test("stay the same under a new name", () => {
    const renamed = having("slug_name: string? unique was(handle)");
    expect(changes(having("handle: string? unique"), renamed).map(([path]) => path)).toEqual(["user.slug_name"]);
  });
});

test("a blueprint's tests can test which users can be referred to", () => {
  const expecting = (allowed: boolean): string => `${permitting("user: { read: listed }")}tests:
  users: { ana: {}, ben: {}, eve: { profile: { listed: false } } }
  expect:
    - { as: ana, create: room, with: { title: A, guest_id: ben }, allow: true }
    - { as: ana, create: room, with: { title: A, guest_id: eve }, allow: ${allowed} }
    - { as: eve, create: room, with: { title: A, guest_id: eve }, allow: true }
`;
  expect(checkBlueprint(expecting(false)).diagnostics).toEqual([]);
  expect(checkBlueprint(expecting(true)).diagnostics.map((one) => one.code)).toEqual(["test_failed"]);
});
