// The steps of background work in all three forms, and the templates in them.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Background } from "../model/background.ts";

const notServed = ["entity_unused", "module_not_served", "section_not_served", "event_never_comes"];
const head = `project: demo
modules: [auth, users, roles, storage, webhooks, workers, audit_logs]
entities:
  label:
    fields: { code: string, shipment_id: ref(shipment) }
  shipment:
    soft_delete: true
    fields:
      status: enum[draft, purchased, delivered]
      tracking_number: string?
    transitions:
      status:
        initial: draft
        purchase: { from: draft, to: purchased }
        deliver: { from: purchased, to: delivered, emit: shipment.delivered }
events:
  shipment.lost: { payload: { where: string } }
`;

function codesOf(sections: string): string[] {
  return checkBlueprint(`${head}${sections}\n`)
    .diagnostics.map((one) => one.code)
    .filter((code) => !notServed.includes(code));
}

function backgroundOf(sections: string): Background {
  const { model, diagnostics } = checkBlueprint(`${head}${sections}\n`);
  if (model === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return model.background;
}

/** The steps of the only workflow. */
function stepsOf([only]: Background["workflows"]): Background["workflows"][number]["steps"] {
  return only?.steps ?? [];
}

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));
const workflow = (steps: string, on = "shipment.created"): string =>
  `workflows:\n  flow:\n    on: ${on}\n    steps:\n${indented(steps, 6)}`;

describe("steps", () => {
  test("a name, a map of one and the long form mean the same", () => {
    const steps =
      "- audit.write\n- record.update: { with: { status: purchased } }\n- { action: wait, id: rest, with: { for: 5m } }";
    expect(stepsOf(backgroundOf(workflow(steps)).workflows)).toMatchObject([
      { id: "write", action: { kind: "audit.write" } },
      {
        id: "update",
        action: {
          kind: "record.update",
          entity: "shipment",
          id: { kind: "value", expression: { kind: "field", row: "record", path: ["id"] } },
          values: { status: { kind: "literal", value: "purchased" } },
        },
      },
      { id: "rest", action: { kind: "wait", forMs: 300_000 }, retry: { attempts: 1 } },
    ]);
  });

  test("every key of the long form is in the model; a step waits for the steps before it", () => {
    const step = [
      "- id: all",
      "  action: audit.write",
      "  connection: shipping",
      '  with: { to: "${{ each.name }}", list: [1, true, null] }',
      "  if: \"record.status == 'draft'\"",
      "  retry: { attempts: 4, backoff: linear, delay: 2s, max_delay: 1m }",
      "  timeout: 20s",
      "  on_error: [{ action: audit.write, id: failed }]",
      "  compensate: [{ id: undo, action: record.update, with: { status: delivered } }]",
      '  for_each: "${{ event.data }}"',
      "  max_parallel: 3",
      "  delay: 5m",
      "  wait_for: { event: shipment.updated, timeout: 1d, if: record.status == purchased }",
      "  approval: { roles: admin, by_self: true, timeout: 2d }",
    ].join("\n");
    const integrations = "\nintegrations:\n  shipping: { kind: parcel, provider: easypost, help: Labels }\n";
    const webhook = "\nwebhooks:\n  in:\n    shop: { verify: stripe, type: body.type, events: { a: order.made } }\n";
    const text = workflow(step, "order.made").replace(
      "    steps:",
      "    record: { shipment: { tracking_number: a } }\n    steps:",
    );
    const { workflows, integrations: kept } = backgroundOf(`${text}${integrations}${webhook}`);
    const [wait, approval, all] = stepsOf(workflows);
    expect(wait).toMatchObject({
      id: "all_wait",
      action: { kind: "wait_for", event: "shipment.updated", timeoutMs: 86_400_000 },
      if: { kind: "operation" },
      forEach: null,
      delayMs: null,
    });
    expect(approval).toMatchObject({
      id: "all_approval",
      action: {
        kind: "approve",
        roles: ["admin"],
        bySelf: true,
        onReject: "fail",
        message: null,
        timeoutMs: 172_800_000,
      },
    });
    // The approval of the step must be given, even if `on_error` handles a refusal.
    const condition = all?.if == null ? null : printExpression(all.if);
    expect(condition).toBe('status == "draft" && steps.all_approval.approved');
    expect(all).toMatchObject({
      id: "all",
      action: { kind: "audit.write", note: { kind: "object", members: { list: { value: [1, true, null] } } } },
      retry: { attempts: 4, backoff: "linear", delayMs: 2_000, delayMsMax: 60_000 },
      timeoutMs: 20_000,
      delayMs: 300_000,
      forEach: { items: { kind: "value" }, parallelMax: 3 },
      onError: { kind: "steps", steps: [{ id: "failed" }] },
      compensate: [{ id: "undo", action: { kind: "record.update" } }],
      as: "service",
    });
    expect(kept).toEqual([
      {
        name: "shipping",
        declaration: { help: "Labels", kind: "parcel", provider: "easypost" },
        egress: [{ to: "http", entity: null }],
      },
    ]);
  });

  test("a step that only waits needs no action; a worker is called by its name", () => {
    const workers = "\nworkers:\n  label:\n    steps: [audit.write]\n";
    const { workflows } = backgroundOf(
      `${workflow("- delay: 5m\n- { id: ask, approval: { roles: [admin] } }\n- wait_for: shipment.updated\n- label")}${workers}`,
    );
    expect(stepsOf(workflows).map(({ id, action }) => [id, action])).toEqual([
      ["wait", { kind: "wait", forMs: 300_000 }],
      ["ask", { kind: "approve", roles: ["admin"], bySelf: false, onReject: "fail", message: null, timeoutMs: null }],
      ["wait_for", { kind: "wait_for", event: "shipment.updated", if: null, timeoutMs: null }],
      ["label", { kind: "worker.run", worker: "label", input: { kind: "literal", value: {} } }],
    ]);
  });

  test("an entity `subscription` takes its transition, if there is one", () => {
    const entity = (more: string): string =>
      `${head.replace("entities:\n", `entities:\n  subscription:\n    fields: { status: "enum[pending, active, cancelled] = pending" }\n${more}`)}`;
    const actionIn = (more: string): unknown => {
      const text = workflow("- subscription.cancel", "subscription.created");
      return checkBlueprint(`${entity(more)}${text}\n`).model?.background.workflows[0]?.steps[0]?.action;
    };
    const edges = "    transitions: { status: { initial: pending, cancel: { from: pending, to: cancelled } } }\n";
    expect(actionIn(edges)).toMatchObject({ kind: "record.transition", entity: "subscription", edge: "cancel" });
    expect(actionIn("")).toMatchObject({
      kind: "record.update",
      entity: "subscription",
      values: { status: { kind: "literal", value: "cancelled" } },
    });
  });

  test.each([
    ["- audit.write\n- audit.write", ["duplicate_step"]],
    ["- { id: write, action: record.update }\n- audit.write", ["duplicate_step"]],
    ["- { id: A, action: audit.write }", ["invalid_name"]],
    ["- audit.writ", ["unknown_action"]],
    ["- shipment.label", ["unknown_action"]],
    ["- easypost.buy_label", ["connection_missing"]],
    ["- subscription.cancel", ["unknown_action"]],
    ["- [audit.write]", ["invalid_step"]],
    ["- {}", ["invalid_step"]],
    ["- { with: { a: 1 } }", ["missing_key"]],
    ["- { action: audit.write, wiht: {} }", ["unknown_key"]],
    ["- { action: audit.write, connection: mail }", ["unknown_connection"]],
    ["- { action: audit.write, retry: 0 }", ["invalid_limit"]],
    ["- { action: audit.write, retry: { times: 3 } }", ["unknown_key"]],
    ["- { action: audit.write, retry: { backoff: quick } }", ["invalid_option"]],
    ["- { action: audit.write, timeout: 5 }", ["invalid_duration"]],
    ["- { action: audit.write, timeout: 2d }", ["invalid_duration"]],
    ["- { action: audit.write, max_parallel: 2 }", ["invalid_step"]],
    ["- { action: audit.write, for_each: all }", ["invalid_step"]],
    ["- { action: audit.write, wait_for: shipment.sold }", ["unknown_event"]],
    ["- { action: audit.write, wait_for: { timeout: 1h } }", ["missing_key"]],
    ["- wait_for: { event: shipment.updated, if: record.id == run.record.id }", []],
    ["- wait_for: { event: shipment.updated, if: event.record_id == run.event.record_id }", []],
    ["- wait_for: { event: shipment.updated, if: record.status == run.record.statis }", ["unknown_name"]],
    ["- wait_for: { event: shipment.updated, if: record.tracking_number == run.event.data.code }", ["unknown_name"]],
    [
      "- wait_for: { event: shipment.updated, if: record.id == event.record_id && record.status == purchased }",
      ["wait_compares_itself"],
    ],
    ["- wait_for: { event: shipment.updated, if: record.status == old.status }", []],
    ["- audit.write: { with: { note: '${{ run.record.id }}' } }", ["unknown_name"]],
    ["- { action: audit.write, approval: { roles: [boss] } }", ["unknown_role"]],
    ["- { id: ask, approval: { message: 'Send ${{ record.tracking_number }}?' } }", []],
    ["- { id: ask, approval: { message: 'Send ${{ record.tracking }}?' } }", ["unknown_name"]],
    ["- { id: ask, approval: { on_reject: go_on } }", ["invalid_option"]],
    ["- { action: audit.write, on_error: stop }", ["invalid_option"]],
    ["- { action: audit.write, on_error: [audit.rite] }", ["unknown_action"]],
    ["- { action: audit.write, on_error: [{ id: b, action: audit.write, if: error.attempts > 1 }] }", []],
    [
      "- { action: audit.write, on_error: [{ id: b, action: audit.write, if: error.reason == 'a' }] }",
      ["unknown_name"],
    ],
    ["- { action: audit.write, on_error: [{ id: b, action: audit.write, if: error.code == 'timeout' }] }", []],
    ["- { action: audit.write, on_error: [{ id: b, action: audit.write, if: error.status == 422 }] }", []],
    [
      "- { action: audit.write, on_error: [{ id: b, action: audit.write, if: error.status == 'late' }] }",
      ["type_mismatch"],
    ],
    [
      "- { action: audit.write, on_error: [{ id: b, action: audit.write, if: error.code == 'late' }] }",
      ["unknown_enum_value"],
    ],
    ["- { action: audit.write, if: error.code == 'timeout' }", ["name_not_available"]],
    [
      "- { action: audit.write, compensate: [{ id: b, action: audit.write, if: error.attempts > 1 }] }",
      ["name_not_available"],
    ],
    ["- { action: audit.write, for_each: [1], on_error: [{ id: b, action: audit.write, if: each != null }] }", []],
    ["- { action: audit.write, for_each: [1], if: each != null }", []],
    ["- { action: audit.write, if: each != null }", ["name_not_available"]],
    ["- delay: { until: record.created_at, before: 1d }", []],
    ["- delay: { until: '${{ event.record.created_at }}' }", []],
    ["- { action: audit.write, delay: { until: event.at, after: 2h } }", []],
    ["- delay: { until: record.status }", ["invalid_option"]],
    ["- delay: { before: 1d }", ["missing_key"]],
    ["- delay: { until: event.at, before: 1d, after: 1d }", ["invalid_option"]],
    ["- delay: { until: event.at, by: 1d }", ["unknown_key"]],
    ["- delay: { until: 5 }", ["invalid_rule"]],
    ["- audit.write: { with: { note: '${{ event.record.tracking_number }}' } }", []],
    ["- audit.write: { with: { note: '${{ event.record.trackin_number }}' } }", ["unknown_name"]],
    ["- { action: audit.write, on_error: [{ id: b, action: audit.write, with: { note: '${{ error.body }}' } }] }", []],
    ["- { action: audit.write, if: 'record.' }", ["expression_syntax"]],
    ["- { action: audit.write, if: '${{ steps.update.id == 1 }}' }", ["unknown_step"]],
    ["- event.emit: { with: { name: shipment.sold } }", ["unknown_event"]],
    ["- event.emit: { with: { name: shipment.delivered } }", ["unknown_event"]],
    ["- worker.run: { with: { worker: label } }", ["unknown_worker"]],
    ["- record.update: { with: { traking_number: x } }", ["unknown_field"]],
    ["- record.update: { with: { tracking_number: 5 } }", ["invalid_step_value"]],
    ["- record.update: { with: { id: 5, status: purchased } }", ["invalid_step_value"]],
    ["- record.update: { with: { version: 5 } }", ["field_not_writable"]],
    ["- record.update: { with: { status: lost } }", ["invalid_step_value"]],
    ["- record.update: { with: { status: draft } }", ["invalid_step_value"]],
    ["- record.update: { with: { status: '${{ event.at }}' } }", ["type_mismatch"]],
    ["- record.update: { with: { tracking_number: '${{ record.trackin_number }}' } }", ["unknown_name"]],
    ["- record.update: { with: { entity: parcel } }", ["unknown_entity"]],
    ["- record.create: { with: { status: purchased } }", ["invalid_step_value"]],
    ["- record.create: { with: { entity: label } }", ["step_value_missing"]],
    ["- record.create: { with: { entity: label, code: a, shipment_id: '${{ record.id }}' } }", []],
    [
      "- record.create: { with: { entity: label, values: { code: a, shipment_id: '${{ record.code }}' } } }",
      ["unknown_name"],
    ],
    ["- record.delete", []],
    ["- record.delete: { with: { entity: label } }", ["missing_key"]],
    ["- record.transition", ["missing_key"]],
    ["- record.transition: { with: { edge: loose } }", ["unknown_transition"]],
    ["- record.transition: { with: { edge: purchase, tracking_number: a } }", []],
    ["- record.transition: { with: { edge: purchase, status: purchased } }", ["field_not_writable"]],
    [
      "- record.find: { with: { entity: label, limit: 5, where: { code: a } } }\n- { action: record.delete, for_each: '${{ steps.find }}', with: { entity: label, id: '${{ each.id }}' } }",
      [],
    ],
    [
      "- record.find: { with: { entity: label, limit: 5 } }\n- audit.write: { with: { note: '${{ steps.find.code }}' } }",
      ["unknown_name"],
    ],
    ["- audit.write: { with: { note: '${{ record.label.code }}' } }", ["expression_not_supported"]],
    ["- audit.write: { with: { note: '${{ current_user.id }}' } }", ["name_not_available"]],
    ["- { action: record.update, as: caller }", ["invalid_step"]],
    ["- event.emit: { with: { name: shipment.lost } }", ["step_value_missing"]],
    ["- event.emit: { with: { name: shipment.lost, payload: { where: here, how: so } } }", ["unknown_field"]],
    ["- event.emit: { with: { name: shipment.lost, payload: { where: '${{ record.status }}' } } }", []],
    ["- { action: audit.write, compensate: [audit.rite] }", ["unknown_action"]],
  ])("`%s`", (steps, expected) => expect(codesOf(workflow(steps))).toEqual(expected));

  test("no step at all", () =>
    expect(codesOf("workflows:\n  flow: { on: manual, steps: [] }")).toEqual(["invalid_step"]));
});

describe("templates", () => {
  const value = (text: string): string[] =>
    codesOf(workflow(`- audit.write: { with: { note: ${JSON.stringify(text)} } }`));
  test.each([
    ["plain", []],
    ["${{ record.id }}", []],
    ["PD-${{ record.id }} and ${{ event.actor.id }}", []],
    ["${{ '}}' + record.id }}", []],
    ["${{ event.data.x }}", ["unknown_name"]],
    ["${{ evnt.id }}", ["unknown_name"]],
    ["${{ input.x }}", ["name_not_available"]],
    ["${{ record.id", ["invalid_template"]],
    ["${{ 'open }}", ["invalid_template"]],
    ["${{ }}", ["invalid_template"]],
    ["record.id }}", ["invalid_template"]],
    ["${{ record.id + }}", ["expression_syntax"]],
    ["${{ (record.id }}", ["expression_syntax"]],
    ["${{ steps.before.id }}", ["unknown_step"]],
    ["${{ 'steps.before' }}", []],
  ])("`%s`", (text, expected) => expect(value(text)).toEqual(expected));

  test("a step can use the output of earlier steps", () => {
    const find = "record.find: { with: { entity: label, code: a } }";
    const write = 'audit.write: { with: { a: "${{ steps.find.id }}" } }';
    expect(codesOf(workflow(`- ${find}\n- ${write}`))).toEqual([]);
    expect(codesOf(workflow(`- ${write}\n- ${find}`))).toEqual(["unknown_step"]);
  });
});

describe("webhook.emit", () => {
  test("sends the event of the run", () => {
    const { workflows } = backgroundOf("workflows:\n  tell: { on: shipment.created, actions: [webhook.emit] }");
    expect(stepsOf(workflows)).toMatchObject([{ id: "emit", action: { kind: "webhook.emit" } }]);
  });

  test("sends a declared event by name, also from a run without an event", () => {
    const given = "[{ webhook.emit: { with: { name: shipment.lost, payload: { where: sea } } } }]";
    const { workflows } = backgroundOf(`workflows:\n  tell: { on: manual, actions: ${given} }`);
    const data = { kind: "object", members: { where: { kind: "literal", value: "sea" } } };
    const action = { kind: "event.emit", event: "shipment.lost", data };
    expect(stepsOf(workflows)).toMatchObject([{ id: "emit", action }]);
  });

  test("needs an event, and accepts no other name", () => {
    expect(codesOf("workflows:\n  tell: { on: manual, actions: [webhook.emit] }")).toEqual(["invalid_step"]);
    const of = (given: string) =>
      codesOf(`workflows:\n  tell: { on: shipment.created, actions: [{ webhook.emit: { with: ${given} } }] }`);
    expect(of("{ name: shipment.created }")).toEqual(["unknown_event"]);
    expect(of("{ payload: { code: a } }")).toEqual(["missing_key"]);
    expect(of("{ name: shipment.created, to: all }")).toContain("unknown_key");
  });
});
