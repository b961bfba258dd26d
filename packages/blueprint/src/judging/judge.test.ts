// A blueprint's own tests treat states and restores in the same way as the service.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

const blueprint = (expectations: readonly string[]): string => `
project: judged
modules: [auth, users, roles, audit_logs]
entities:
  box:
    soft_delete: true
    fields: { name: string }
    permissions: { user: { all: true } }
  item:
    soft_delete: true
    fields:
      name: string
      status: enum[draft, sent, gone] = draft
      stamp: string?
      box_id: ref(box) on_delete(cascade)
      near_id: ref(box)? as(near_items) on_delete(set_null)
    transitions:
      status:
        initial: draft
        send: { from: draft, to: sent, require: [stamp] }
        lose: { from: draft, to: gone }
        drop: { from: draft, to: gone }
    permissions:
      user:
        create: true
        read: true
        restore: true
        update: new.status != gone || new.stamp == "dropped"
        "transition:send": { allow: new.stamp == "set", set: { stamp: '"set"' } }
        "transition:lose": name == "loose"
        "transition:drop": { allow: true, set: { stamp: '"dropped"' } }
tests:
  users: { ana: { roles: [user] } }
  rows:
    box:
      there: { name: b }
      gone: { name: b, deleted_at: 2026-01-01T00:00:00Z }
    item:
      one: { name: i, box_id: there }
      loose: { name: loose, box_id: there }
      kept: { name: i, box_id: there, near_id: gone, deleted_at: 2026-01-01T00:00:00Z }
      held: { name: i, box_id: gone, deleted_at: 2026-01-01T00:00:00Z }
  expect:
${expectations.map((line) => `    - ${line}`).join("\n")}
`;

test.each([
  ["an edge that sets what it requires", "{ as: ana, update: item.one, with: { status: sent }, allow: true }"],
  [
    "what the edge sets, whatever was sent",
    "{ as: ana, update: item.one, with: { status: sent, stamp: x }, allow: true }",
  ],
  ["of two edges the one that is allowed", "{ as: ana, update: item.one, with: { status: gone }, allow: true }"],
  ["the first that is, with nothing set", "{ as: ana, update: item.loose, with: { status: gone }, allow: false }"],
  ["a restore beside what was let go of", "{ as: ana, restore: item.kept, allow: true }"],
  ["no restore under a deleted record", "{ as: ana, restore: item.held, allow: false }"],
])("%s", (_, line) => {
  const errors = checkBlueprint(blueprint([line])).diagnostics.filter((each) => each.severity === "error");
  expect(errors.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
});

test("writing a list of references keeps those that the writer can't read", () => {
  const text = `
project: judged
modules: [auth, users, roles, audit_logs]
entities:
  tag:
    fields: { name: string }
    permissions: { user: { read: name != "hidden" }, admin: { all: true } }
  article:
    fields: { title: string, tags: refs(tag) }
    permissions:
      user: { read: true, update: 'size(new.tags) < 2 && new.tags.exists(x, x.name == "hidden")' }
      admin: { read: true, update: size(new.tags) == 0 }
tests:
  users: { ana: { roles: [user] }, root: { roles: [admin] } }
  rows:
    tag: { open: { name: open }, hidden: { name: hidden } }
    article: { one: { title: a, tags: [open, hidden] } }
  expect:
    - { as: ana, update: article.one, with: { tags: [] }, allow: true }
    - { as: ana, update: article.one, with: { tags: [open] }, allow: false }
    - { as: ana, update: article.one, with: { tags: [hidden] }, allow: false }
    - { as: root, update: article.one, with: { tags: [] }, allow: true }
`;
  const errors = checkBlueprint(text).diagnostics.filter((each) => each.severity === "error");
  expect(errors.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
});
