// Who can call an action, in words; and the examples of empty lists, which have to be valid.
import { checkBlueprint } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { audienceText } from "./action-audience.ts";
import { exampleAction, exampleSchedule } from "./example.ts";

const head = "project: example\nmodules: [auth, users, roles, workers, audit_logs]\nentities: {}\n";

test.each([
  ["schedule", exampleSchedule],
  ["action", exampleAction],
])("the example of a %s is a valid blueprint", (_, example) => {
  const { diagnostics } = checkBlueprint(`${head}${example}\n`);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
});

test.each([
  [[], "No role can call it."],
  [["admin", "user"], "Roles that can call it, within their rules: admin, user."],
  [["user", "public"], "Roles that can call it, within their rules: public, user."],
  [
    ["user", "clerk"],
    "Roles that can call it, within their rules: clerk, user. The console acts as admin, which is not one of them.",
  ],
])("the roles that can call it: %j", (roles, expected) => expect(audienceText(roles)).toBe(expected));
