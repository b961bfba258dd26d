// The record of a declared event: which events have one, and that it is only looked up if something reads it.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

const blueprintOf = (event: string, payload: string, workflow: string): string => `project: demo
modules: [auth, users, workers, webhooks, audit_logs]
entities:
  shipment:
    fields: { title: string, user_id: user_ref }
    permissions: { admin: { all: true } }
  parcel:
    fields: { title: string }
    permissions: { admin: { all: true } }
events:
  ${event}: { payload: { ${payload} } }
workflows:
  flow:
    on: ${event}
${workflow.replace(/^/gm, "    ")}
`;

const codesOf = (text: string): string[] =>
  checkBlueprint(text)
    .diagnostics.map(({ code }) => code)
    .filter((code) => code !== "event_never_comes");

const update = 'steps: [record.update: { with: { title: "x" } }]';
const byId = { id: { kind: "value", expression: { kind: "value", root: "event", path: ["data", "shipment_id"] } } };

function flowOf(workflow: string): unknown {
  return checkBlueprint(blueprintOf("shipment.packed", "shipment_id: uuid", workflow)).model?.background.workflows[0];
}

describe("a declared event with the id of the record in its name", () => {
  test.each([
    ["a step that writes it", update],
    ["a receipt", "steps: [email.send_receipt]"],
    ["a text", 'steps: [audit.write: { with: { note: "${{ record.title }}" } }]'],
    ["a condition", "when: record.title != ''\nsteps: [audit.write]"],
    ["an order", "ordered: record\nsteps: [audit.write]"],
  ])("is about this record if something reads it: %s", (_, workflow) =>
    expect(flowOf(workflow)).toMatchObject({ entity: "shipment", lookup: byId }),
  );

  test.each([["steps: [webhook.emit]"], ["when: event.data.shipment_id != null\nsteps: [audit.write]"]])(
    "is not looked up if nothing reads it: %s",
    (workflow) => expect(flowOf(workflow)).toMatchObject({ entity: null, lookup: null }),
  );

  test("leaves an explicit look-up of the workflow in place", () =>
    expect(flowOf(`record: { parcel: { title: "x" } }\n${update}`)).toMatchObject({
      entity: "parcel",
      lookup: { title: { kind: "literal", value: "x" } },
    }));

  test.each([
    ["a reference to it", "shipment.packed", "shipment_id: ref(shipment)", []],
    ["an id that may be missing", "shipment.packed", "shipment_id: uuid?", ["missing_key"]],
    ["a reference to another entity", "shipment.packed", "shipment_id: ref(parcel)", ["missing_key"]],
    ["a text", "shipment.packed", "shipment_id: string", ["missing_key"]],
    ["another field", "shipment.packed", "parcel_id: uuid", ["missing_key"]],
    ["a name of no entity", "order.packed", "order_id: uuid", ["missing_key"]],
  ])("%s", (_, event, payload, codes) =>
    expect(codesOf(blueprintOf(event, payload, "steps: [email.send_receipt]"))).toEqual(codes),
  );
});
