// The diagnostics of a step that writes a record. `background.test.ts` tests its form in the model.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

test("the hint names an entity of this blueprint", () => {
  const text = `project: demo
modules: [auth, users, workers]
entities:
  parcel: { fields: { name: string }, permissions: { admin: { all: true } } }
workers:
  rename: { steps: [{ record.update: { with: { name: x } } }] }
`;
  expect(checkBlueprint(text).diagnostics.map(({ code, hint }) => ({ code, hint }))).toEqual([
    { code: "missing_key", hint: "Write `with: { entity: parcel, ... }`." },
  ]);
});
