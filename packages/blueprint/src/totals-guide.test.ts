// The blueprints of docs/blueprint/totals.md are valid, without a warning.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";

const guide = readFileSync(new URL("../../../docs/blueprint/totals.md", import.meta.url), "utf8");
const [totals = "", views = ""] = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((block) => block[1] ?? "");
const head = "project: guide\nmodules: [auth, users, roles]\n";
const articles =
  "entities:\n  writer:\n    fields:\n      account_id: user_ref\n      followers: refs(writer) as(followed)\n    permissions:\n      user: { read: true }\n" +
  "  article:\n    fields:\n      author_id: ref(writer)\n    permissions:\n      user: { read: true }\n";

test.each([
  ["totals", head + totals],
  ["views", head + articles + views],
])("%s", (_, text) => expect(checkBlueprint(text).diagnostics).toEqual([]));
