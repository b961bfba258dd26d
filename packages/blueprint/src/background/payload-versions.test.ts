// Payload versions of endpoints: valid and invalid descriptions of earlier versions.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

function blueprint(out: string): string {
  return `project: desk
modules: [auth, users, roles, webhooks, workers, audit_logs]
entities:
  order:
    fields: { amount: int, note: text? }
    permissions: { admin: { all: true } }
events:
  order.packed: { payload: { parcels: int } }
workflows:
  pack:
    on: order.created
    steps: [event.emit: { with: { name: order.packed, payload: { parcels: 1 } } }]
webhooks:
  out: ${out}
`;
}

const told = (out: string): string[] => checkBlueprint(blueprint(out)).diagnostics.map((one) => one.code);

test("an earlier version has other names for fields, or omits them", () => {
  const out =
    "{ version: 3, versions: { 1: { order: { names: { total: amount }, omit: [note] } }, 2: { order.packed: { names: { boxes: parcels } } } } }";
  const { model, diagnostics } = checkBlueprint(blueprint(out));
  expect(diagnostics).toEqual([]);
  expect(model?.background.outboundWebhooks?.declaration).toEqual({
    version: 3,
    versions: {
      "1": { order: { names: { total: "amount" }, omit: ["note"] } },
      "2": { "order.packed": { names: { boxes: "parcels" }, omit: [] } },
    },
  });
});

describe("invalid versions", () => {
  test.each([
    ["{ version: 0 }", ["invalid_limit"]],
    ["{ version: 2, versions: { 2: {} } }", ["invalid_option"]],
    ["{ versions: { 1: {} } }", ["invalid_option"]],
    ["{ version: 2, versions: { first: {} } }", ["invalid_option"]],
    ["{ version: 2, versions: [1] }", ["wrong_kind"]],
    ["{ version: 2, versions: { 1: { oder: { omit: [note] } } } }", ["unknown_entity"]],
    ["{ version: 2, versions: { 1: { order: { omit: [notes] } } } }", ["unknown_field"]],
    ["{ version: 2, versions: { 1: { order: { names: { total: amout } } } } }", ["unknown_field"]],
    ["{ version: 2, versions: { 1: { order: { names: { note: amount } } } } }", ["invalid_option"]],
    ["{ version: 2, versions: { 1: { order: { rename: { total: amount } } } } }", ["unknown_key"]],
  ])("%s", (out, codes) => {
    expect(told(out)).toEqual(codes);
    expect(checkBlueprint(blueprint(out)).diagnostics.every(({ hint }) => hint !== null)).toBe(true);
  });
});
