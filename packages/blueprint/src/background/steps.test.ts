// The steps of background work in all three forms, and the templates in them.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Background } from "../model-background.ts";

const notServed = ["module_not_served", "section_not_served"];
const head = `project: demo
modules: [auth, users, roles, storage, webhooks, workers, audit_logs]
entities:
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
function stepsOf([only]: Background["workflows"]): unknown {
  const declaration = only?.declaration ?? null;
  return typeof declaration === "object" && declaration !== null && "steps" in declaration ? declaration.steps : null;
}

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));
const workflow = (steps: string, on = "shipment.created"): string =>
  `workflows:\n  flow:\n    on: ${on}\n    steps:\n${indented(steps, 6)}`;

describe("steps", () => {
  test("a name, a map of one and the long form are one thing", () => {
    const steps =
      "- audit.write\n- record.update: { with: { status: draft } }\n- { action: email.send, id: tell, with: { to: a } }\n- http.request:";
    expect(backgroundOf(workflow(steps)).workflows[0]?.declaration).toEqual({
      on: ["shipment.created"],
      steps: [
        { action: "audit.write", id: "write" },
        { action: "record.update", id: "update", with: { status: "draft" } },
        { action: "email.send", id: "tell", with: { to: "a" } },
        { action: "http.request", id: "request" },
      ],
    });
  });

  test("every key of the long form stands in the model", () => {
    const step = [
      "- id: all",
      "  action: http.request",
      "  connection: shipping",
      '  with: { url: "${{ record.id }}", list: [1, true, null] }',
      "  if: \"record.status == 'draft'\"",
      "  retry: { attempts: 4, backoff: exponential, delay: 2s, max_delay: 1m }",
      "  timeout: 30s",
      "  on_error: [audit.write]",
      '  for_each: "${{ event.items }}"',
      "  max_parallel: 3",
      "  delay: 5m",
      "  wait_for: { event: shipment.updated, timeout: 1d, if: event.ok }",
      "  approval: { roles: admin, timeout: 2d }",
    ].join("\n");
    const integrations = "\nintegrations:\n  shipping: { kind: parcel, provider: easypost, help: Labels }\n";
    const { workflows, integrations: kept } = backgroundOf(`${workflow(step)}${integrations}`);
    expect(stepsOf(workflows)).toEqual([
      {
        action: "http.request",
        approval: { roles: ["admin"], timeout: 172_800_000 },
        connection: "shipping",
        delay: 300_000,
        for_each: "${{ event.items }}",
        id: "all",
        if: "record.status == 'draft'",
        max_parallel: 3,
        on_error: [{ action: "audit.write", id: "write" }],
        retry: { attempts: 4, backoff: "exponential", delay: 2_000, max_delay: 60_000 },
        timeout: 30_000,
        wait_for: { event: "shipment.updated", if: "event.ok", timeout: 86_400_000 },
        with: { list: [1, true, null], url: "${{ record.id }}" },
      },
    ]);
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
      `${workflow("- delay: 5m\n- { id: ask, approval: { roles: [admin] } }\n- label")}${workers}`,
    );
    expect(stepsOf(workflows)).toEqual([
      { action: "wait", delay: 300_000, id: "wait" },
      { action: "approve", approval: { roles: ["admin"] }, id: "ask" },
      { action: "worker.run", id: "label", with: { worker: "label" } },
    ]);
  });

  test.each([
    ["- audit.write\n- audit.write", ["duplicate_step"]],
    ["- { id: write, action: email.send }\n- audit.write", ["duplicate_step"]],
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
    ["- { action: audit.write, approval: { roles: [boss] } }", ["unknown_role"]],
    ["- { action: audit.write, on_error: stop }", ["invalid_option"]],
    ["- { action: audit.write, on_error: [audit.rite] }", ["unknown_action"]],
    ["- { action: audit.write, if: 'record.' }", ["expression_syntax"]],
    ["- { action: audit.write, if: '${{ steps.update.id == 1 }}' }", ["unknown_step"]],
    ["- event.emit: { with: { name: shipment.sold } }", ["unknown_event"]],
    ["- event.emit: { with: { name: shipment.delivered } }", []],
    ["- worker.run: { with: { worker: label } }", ["unknown_worker"]],
    ["- record.update: { with: { traking_number: x } }", ["unknown_field"]],
  ])("`%s`", (steps, expected) => expect(codesOf(workflow(steps))).toEqual(expected));

  test("none at all", () => expect(codesOf("workflows:\n  flow: { on: manual, steps: [] }")).toEqual(["invalid_step"]));
});

describe("templates", () => {
  const value = (text: string): string[] =>
    codesOf(workflow(`- record.find: { with: { q: ${JSON.stringify(text)} } }`));
  test.each([
    ["plain", []],
    ["${{ record.id }}", []],
    ["PD-${{ record.id }} and ${{ event.data.x }}", []],
    ["${{ '}}' + record.id }}", []],
    ["${{ record.id", ["invalid_template"]],
    ["${{ 'open }}", ["invalid_template"]],
    ["${{ }}", ["invalid_template"]],
    ["record.id }}", ["invalid_template"]],
    ["${{ record.id + }}", ["expression_syntax"]],
    ["${{ (record.id }}", ["expression_syntax"]],
    ["${{ steps.before.id }}", ["unknown_step"]],
    ["${{ 'steps.before' }}", []],
  ])("`%s`", (text, expected) => expect(value(text)).toEqual(expected));

  test("a step sees those before it", () => {
    expect(codesOf(workflow('- record.find: {}\n- audit.write: { with: { a: "${{ steps.find.id }}" } }'))).toEqual([]);
    expect(codesOf(workflow('- audit.write: { with: { a: "${{ steps.find.id }}" } }\n- record.find: {}'))).toEqual([
      "unknown_step",
    ]);
  });
});
