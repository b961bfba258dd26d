// Relations from users to the records that refer to them: their names, rules over them, and changes of their names.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { diffModels } from "../diff/diff.ts";
import { runTests } from "../judging/run-tests.ts";
import type { Model } from "../model/model.ts";

const text = (followed: string, more = ""): string => `project: press
modules: [auth, users, roles]
users:
  fields: { nickname: string? }
  permissions:
    user: { read: { allow: true, fields: [id, name] } }
entities:
  follow:
    fields:
      follower_id: user_ref as(following) = current_user.id
      followed_id: user_ref${followed}
    permissions:
      user: { read: true, create: true }
  article:
    fields: { title: string, author_id: user_ref = current_user.id }
    permissions:
      user:
        read: author.followers.exists(f, f.follower_id == current_user.id) || author_id == current_user.id
${more}`;

function modelOf(source: string): Model {
  const { model, diagnostics } = checkBlueprint(source);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const told = (source: string): readonly string[] =>
  checkBlueprint(source).diagnostics.map(({ code, message }) => `${code}: ${message}`);

test("rules can follow it, and tests evaluate it", () => {
  const tests = `tests:
  users: { ana: { roles: [user] }, ben: { roles: [user] }, cem: { roles: [user] } }
  rows:
    follow: { one: { follower_id: ben, followed_id: ana } }
    article: { news: { title: News, author_id: ana } }
  expect:
    - { as: ben, list: article, sees: [news] }
    - { as: cem, list: article, sees: [] }
`;
  const model = modelOf(text(" as(followers)", tests));
  expect(runTests(model).results).toMatchObject([{ outcome: "passed" }, { outcome: "passed" }]);
});

test.each([
  [" as(name)", "relation_collision: On `user`, the back relation of `follow.followed_id` would be named `name`"],
  [
    " as(nickname)",
    "relation_collision: On `user`, the back relation of `follow.followed_id` would be named `nickname`",
  ],
  [
    " as(sessions)",
    "relation_collision: On `user`, the back relation of `follow.followed_id` would be named `sessions`",
  ],
  [
    " as(following)",
    "relation_collision: On `user`, the back relation of `follow.followed_id` would be named `following`",
  ],
  [" as(_x)", "invalid_name: "],
  ["", "unknown_name: `user` has no field `followers`."],
])("named%s", (followed, expected) => {
  expect(
    told(text(followed)).some((one) => one.startsWith(expected)),
    told(text(followed)).join("\n"),
  ).toBe(true);
});

test("another name changes no values", () => {
  const plain = (as: string): Model =>
    modelOf(text(as).replace("author.followers.exists(f, f.follower_id == current_user.id) || ", ""));
  expect(diffModels(plain(" as(followers)"), plain(" as(fans)")).map(({ kind }) => kind)).toEqual([]);
  expect(diffModels(plain(""), plain(" as(fans)")).map(({ kind }) => kind)).toEqual([]);
});
