// The sections for background work: their form in the model, and their mistakes.
import { readFileSync } from "node:fs";
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Background } from "../model/background.ts";

// Most snippets below have these diagnostics, because they are incomplete. `testdata` and `alone.test.ts` test them.
const notServed = [
  "entity_unused",
  "module_not_served",
  "section_not_served",
  "event_never_comes",
  "action_without_caller",
];
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

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));
const workflow = (steps: string, on = "shipment.created"): string =>
  `workflows:\n  flow:\n    on: ${on}\n    steps:\n${indented(steps, 6)}`;

test("the example is valid, and the model contains it", () => {
  const text = readFileSync(new URL("../../../../docs/examples/parcel-desk.yaml", import.meta.url), "utf8");
  const { model, diagnostics } = checkBlueprint(text);
  expect(diagnostics.filter((one) => one.severity === "error")).toEqual([]);
  const names = Object.entries(model?.background ?? {}).map(([section, parts]) => [
    section,
    Array.isArray(parts) ? parts.map((one) => one.name) : parts,
  ]);
  expect(Object.fromEntries(names)).toEqual({
    events: ["shipment.label_created"],
    workers: ["create_label", "shipment_status"],
    workflows: ["label_ready", "paid"],
    schedules: [],
    actions: [],
    inboundWebhooks: ["carrier", "stripe"],
    outboundWebhooks: null,
    integrations: [],
    emails: [],
    accounts: null,
    retentionDays: null,
  });
  // The event contains the shipment's id, and the receipt needs the shipment.
  expect(model?.background.workflows[0]).toMatchObject({
    name: "label_ready",
    entity: "shipment",
    lookup: { id: { kind: "value", expression: { root: "event", path: ["data", "shipment_id"] } } },
    steps: [
      { id: "send_receipt", action: { toUser: { expression: { row: "record", path: ["user_id"] } } } },
      { id: "emit", action: { kind: "webhook.emit" } },
    ],
  });
  expect(model?.background.workflows[1]).toMatchObject({
    name: "paid",
    on: ["payment.succeeded"],
    entity: "subscription",
    lookup: { payment_ref: { kind: "value", expression: { root: "event", path: ["data", "object", "id"] } } },
    steps: [
      { id: "activate", action: { kind: "record.update", values: { status: { kind: "literal", value: "active" } } } },
      { id: "send_receipt", action: { kind: "email.send" } },
      { id: "write", action: { kind: "audit.write" } },
      { id: "emit", action: { kind: "webhook.emit" } },
    ],
    egress: [
      { to: "email", entity: "subscription" },
      { to: "webhook", entity: "subscription" },
    ],
  });
});

describe("workflows and workers", () => {
  test("are started by events, lists of events, `schedule` or `manual`, with `when` and `record`", () => {
    const text =
      "workflows:\n  flow:\n    on: [shipment.restored, shipment.purchase, manual]\n    when: record.status != old.status\n    ordered: record\n    actions: [audit.write]";
    const [flow] = backgroundOf(text).workflows;
    expect(flow).toMatchObject({
      on: ["shipment.purchase", "shipment.restored"],
      starts: ["manual"],
      entity: "shipment",
      lookup: null,
      ordered: "record",
      steps: [{ id: "write", action: { kind: "audit.write", note: { kind: "literal", value: null } } }],
    });
    expect(flow?.when === undefined || flow.when === null ? null : printExpression(flow.when)).toBe(
      "status != old.status",
    );
  });

  test("have limits for simultaneous runs, time and retries", () => {
    const text =
      "workers:\n  label: { on: shipment.delivered, steps: [audit.write], concurrency: 4, timeout: 5m, retry: 5 }";
    expect(backgroundOf(text).workers).toMatchObject([
      {
        name: "label",
        on: ["shipment.delivered"],
        concurrencyMax: 4,
        timeoutMs: 300_000,
        steps: [
          {
            retry: { attempts: 5, backoff: "exponential", delayMs: 1_000, delayMsMax: 300_000 },
            timeoutMs: 30_000,
            onError: { kind: "fail" },
          },
        ],
      },
    ]);
  });

  test("report unavailable parts as errors at their positions, and check the rest", () => {
    expect(codesOf(workflow("- http.request: { with: { urll: 'https://a.example' } }")).sort()).toEqual([
      "missing_key",
      "unknown_key",
    ]);
    const shipping = "\nintegrations:\n  shipping: { kind: parcel, provider: easypost }";
    expect(codesOf(`${workflow("- easypost.buy_label")}${shipping}`)).toEqual(["not_supported_yet"]);
  });

  test.each([
    ["workflows:\n  flow: { steps: [audit.write] }", ["missing_key"]],
    ["workflows:\n  flow: { on: manual }", ["missing_key"]],
    ["workflows:\n  flow: { on: manual, steps: [audit.write], actions: [audit.write] }", ["invalid_step"]],
    ["workflows:\n  flow: { on: [shipment.created, shipment.created], steps: [audit.write] }", ["duplicate_value"]],
    ["workflows:\n  flow: { on: shipped, steps: [audit.write] }", ["invalid_event_name"]],
    ["workflows:\n  flow: { on: shipment.purchased, steps: [audit.write] }", ["unknown_event"]],
    ["workflows:\n  flow: { on: manual, do: [audit.write] }", ["missing_key", "unknown_key"]],
    ["workflows:\n  Flow: { on: manual, steps: [audit.write] }", ["invalid_name"]],
    ["workflows:\n  flow: { on: manual, when: 'record ==', steps: [audit.write] }", ["expression_syntax"]],
    ["workflows:\n  flow: { on: manual, record: { parcel: { a: b } }, steps: [audit.write] }", ["unknown_entity"]],
    ["workflows:\n  flow: { on: manual, record: { shipment: { code: b } }, steps: [audit.write] }", ["unknown_field"]],
    ["workflows:\n  flow: { on: manual, record: { shipment: {} }, steps: [audit.write] }", ["invalid_lookup"]],
    ["workers:\n  label: { on: shipment.created }", ["missing_key"]],
    ["workers:\n  label: { steps: [audit.write], http: { url: 'https://a.example' } }", ["invalid_step"]],
    ["workers:\n  label: { http: { url: 'http://a.example' } }", ["invalid_option"]],
    ["workers:\n  label: { http: { method: POST } }", ["missing_key"]],
    ["workers:\n  label: { http: { url: 'https://a.example', verb: POST } }", ["unknown_key"]],
    ["workers:\n  label: { http: { url: 'https://a.example', headers: { webhook-id: '3' } } }", ["invalid_option"]],
    ["workers:\n  label: { steps: [audit.write], concurrency: 0 }", ["invalid_limit"]],
  ])("`%s`", (text, expected) => expect(codesOf(text).sort()).toEqual(expected));
});

describe("parts that can't run, or never end", () => {
  const lost = "events:\n  shipment.lost: {}\n  shipment.sought: {}\n";
  const emit = (event: string, more = ""): string => `{ action: event.emit, ${more}with: { name: ${event} } }`;
  test.each([
    [`${lost}workflows:\n  a: { on: shipment.lost, steps: [${emit("shipment.lost")}] }`, ["endless_work"]],
    [
      `${lost}workflows:\n  a: { on: shipment.lost, steps: [${emit("shipment.sought")}] }\n  b: { on: shipment.sought, steps: [${emit("shipment.lost")}] }`,
      ["endless_work"],
    ],
    [
      `${lost}workflows:\n  a: { on: shipment.lost, steps: [${emit("shipment.sought", "if: event.id != null, ")}] }\n  b: { on: shipment.sought, steps: [${emit("shipment.lost")}] }`,
      ["circular_work"],
    ],
    [
      `${lost}workflows:\n  a: { on: shipment.lost, steps: [{ id: ask, action: approve }, ${emit("shipment.lost")}] }`,
      ["circular_work"],
    ],
    [
      "workflows:\n  a: { on: shipment.updated, steps: [record.update: { with: { tracking_number: a } }] }",
      ["endless_work"],
    ],
    ["workers:\n  a: { steps: [b] }\n  b: { steps: [a] }", ["endless_work"]],
    ["workflows:\n  a: { on: shipment.purchase, steps: [record.transition: { with: { edge: deliver } }] }", []],
    [`${lost}workflows:\n  a: { on: [shipment.lost, shipment.created], steps: [audit.write] }`, []],
    ["workflows:\n  a: { on: shipment.created, steps: [{ action: audit.write, if: false }] }", ["step_never_runs"]],
    [
      "workflows:\n  a: { on: [shipment.created, schedule], steps: [audit.write] }\nschedules:\n  s: { cron: '0 2 * * *', run: a }",
      [],
    ],
  ])("`%s`", (text, expected) => expect(codesOf(text)).toEqual(expected));
});

test.each([
  ["workers:\n  a: { steps: [b] }\n  b: { steps: [a] }", "`a` starts itself again: `a` starts `b`, `b` starts `a`."],
  ["workers:\n  a: { steps: [a] }", "`a` starts itself again: `a` starts `a`."],
  [
    "workflows:\n  a: { on: shipment.updated, steps: [record.update: { with: { tracking_number: a } }] }",
    "`a` starts itself again: `shipment.updated` starts `a`.",
  ],
])("a circle is reported with each of its steps: `%s`", (text, expected) => {
  expect(checkBlueprint(`${head}${text}\n`).diagnostics.map(({ message }) => message)).toContain(expected);
});

describe("events, actions, webhooks and integrations", () => {
  test("an event with its payload", () => {
    expect(
      backgroundOf("events:\n  shipment.lost:\n    payload: { id: uuid, note: string? }\n    help: Gone").events,
    ).toMatchObject([
      {
        name: "shipment.lost",
        help: "Gone",
        payload: [
          { name: "id", type: { kind: "uuid" }, optional: false },
          { name: "note", type: { kind: "string" }, optional: true },
        ],
      },
    ]);
  });

  test("an action with all options", () => {
    const text = [
      "actions:",
      "  publish-video:",
      "    input: { title: string, count: int }",
      '    output: { status: "${{ steps.create.status }}" }',
      "    permissions: { user: input.count < 5, admin: [true] }",
      "    mode: async",
      '    steps: [{ action: record.create, as: caller, with: { entity: shipment, tracking_number: "${{ input.title }}" } }]',
    ].join("\n");
    expect(backgroundOf(text).actions).toMatchObject([
      {
        name: "publish-video",
        input: [{ name: "title" }, { name: "count" }],
        mode: "async",
        output: { kind: "object", members: { status: { kind: "value", expression: { root: "steps" } } } },
        access: { admin: { kind: "literal", value: true }, user: { kind: "operation", operator: "<" } },
        steps: [{ id: "create", as: "caller", action: { kind: "record.create", entity: "shipment" } }],
        egress: [],
      },
    ]);
  });

  test("inbound and outbound webhooks", () => {
    const text = [
      "webhooks:",
      "  out: { retry: 5, signing: v1, events: [shipment.created], enabled: true }",
      "  in:",
      "    shop:",
      "      verify: { scheme: hmac-sha256, header: X-Sign, format: 'v1={hex}', message: [body] }",
      "      type: headers.x-topic",
      "      dedupe: body.data.0.id",
      "      events: { order.made: order.created }",
    ].join("\n");
    const { inboundWebhooks, outboundWebhooks } = backgroundOf(text);
    expect(outboundWebhooks).toEqual({
      name: "out",
      declaration: { enabled: true, events: ["shipment.created"], retry: { attempts: 5 }, signing: "v1" },
      egress: [{ to: "webhook", entity: "shipment" }],
    });
    expect(inboundWebhooks).toEqual([
      {
        name: "shop",
        declaration: {
          dedupe: "body.data.0.id",
          events: { "order.made": "order.created" },
          type: "headers.x-topic",
          verify: { format: "v1={hex}", header: "x-sign", message: ["body"], scheme: "hmac-sha256" },
        },
        egress: [],
      },
    ]);
  });

  test("events of an inbound webhook or an integration can start a workflow", () => {
    const webhook = "webhooks:\n  in:\n    shop: { verify: stripe, type: body.type, events: { a: order.made } }\n";
    expect(codesOf(`${webhook}${workflow("- audit.write", "order.made")}`)).toEqual([]);
    const integration = "integrations:\n  pay: { kind: payment, provider: stripe }\n";
    expect(codesOf(`${integration}${workflow("- audit.write", "payment.succeeded")}`)).toEqual([]);
    expect(codesOf(workflow("- audit.write", "payment.succeeded"))).toEqual(["unknown_event"]);
  });

  test("a record step of an action acts as the caller, unless it says otherwise", () => {
    const more = ["", "id: b, as: service, ", "id: c, as: caller, "];
    const steps = more.map((one) => `{ ${one}action: record.create, with: { entity: shipment, tracking_number: a } }`);
    const [action] = backgroundOf(`actions:\n  ship: { steps: [${steps.join(", ")}, audit.write] }`).actions;
    expect(action?.steps.map(({ as }) => as)).toEqual(["caller", "service", "caller", "service"]);
  });

  test.each([
    ["events:\n  shipped: {}", ["invalid_event_name"]],
    ["events:\n  shipment.created: {}", ["event_exists"]],
    ["events:\n  shipment.lost: { payload: { id: uid } }", ["unknown_type"]],
    ["events:\n  shipment.lost: { data: {} }", ["unknown_key"]],
    ["actions:\n  publishVideo: { steps: [audit.write] }", ["invalid_name"]],
    ["actions:\n  publish: { mode: sync }", ["missing_key"]],
    ["actions:\n  publish: { steps: [delay: 5m] }", ["invalid_step"]],
    ["actions:\n  publish: { mode: async, steps: [delay: 5m] }", []],
    ["actions:\n  publish: { steps: [{ action: audit.write, delay: 5m }] }", ["invalid_step"]],
    ["actions:\n  publish: { steps: [{ action: audit.write, approval: {} }] }", ["invalid_step"]],
    [
      "actions:\n  ship: { steps: [{ action: audit.write, compensate: [{ id: b, action: audit.write }] }] }",
      ["invalid_step"],
    ],
    ["actions:\n  publish: { mode: async, steps: [{ action: audit.write, retry: { attempts: 2 } }] }", []],
    ["actions:\n  publish: { mode: async, input: { key: secret }, steps: [audit.write] }", ["invalid_option"]],
    ["actions:\n  publish: { input: { key: secret }, steps: [audit.write] }", []],
    ["actions:\n  publish: { steps: [{ action: audit.write, on_error: [approve] }] }", ["invalid_step"]],
    ["actions:\n  publish: { steps: [{ action: audit.write, as: caller }] }", ["invalid_step"]],
    ["actions:\n  publish: { steps: [audit.write], output: '${{ steps.writ.id }}' }", ["unknown_step"]],
    [
      "actions:\n  publish: { steps: [{ action: audit.write, with: { note: '${{ record.id }}' } }] }",
      ["row_not_available"],
    ],
    ["actions:\n  publish: { mode: later, steps: [audit.write] }", ["invalid_option"]],
    ["actions:\n  publish: { permissions: { usr: true }, steps: [audit.write] }", ["unknown_role"]],
    ["actions:\n  publish: { permissions: { user: input.x == 1 }, steps: [audit.write] }", ["unknown_name"]],
    ["webhooks:\n  in:\n    shop: { type: body.type }", ["missing_key"]],
    ["webhooks:\n  in:\n    shop: { verify: stripe, events: { a: order.made } }", ["missing_key"]],
    ["webhooks:\n  in:\n    shop: { verify: stripe, type: data.type }", ["invalid_webhook"]],
    ["webhooks:\n  in:\n    shop: { verify: { scheme: md5, header: x } }", ["invalid_option"]],
    ["webhooks:\n  in:\n    shop: { verify: { scheme: token } }", ["missing_key"]],
    ["webhooks:\n  in:\n    shop: { verify: { scheme: token, header: 'a b' } }", ["invalid_webhook"]],
    ["webhooks:\n  in:\n    shop: { verify: { scheme: token, header: a, format: x } }", ["invalid_webhook"]],
    ["webhooks:\n  in:\n    shop: { verify: { scheme: token, header: a, message: [now] } }", ["invalid_webhook"]],
    ["webhooks:\n  in:\n    shop: { verify: stripe, type: body.type, events: { a: made } }", ["invalid_event_name"]],
    ["webhooks:\n  out: { events: [shipment.sold] }", ["unknown_event"]],
    ["webhooks:\n  out: { signing: v9 }", ["invalid_option"]],
    ["webhooks:\n  out: { concurrency: 21 }", ["invalid_limit"]],
    ["webhooks:\n  out: { disable_after: 5m }", ["invalid_duration"]],
    ["webhooks:\n  out: { retry: { delay: 10ms } }", ["invalid_duration"]],
    ["webhooks:\n  out: { retention: soon }", ["invalid_option"]],
    ["webhooks:\n  out: { disabled_after: 5d }", ["unknown_key"]],
    ["webhooks:\n  both: {}", ["unknown_key"]],
    ["integrations:\n  pay: { kind: payment }", ["missing_key"]],
    ["integrations:\n  pay: { kind: paiment, provider: stripe }", ["invalid_option"]],
    ["integrations:\n  pay: { kind: payment, provider: easypost }", ["invalid_option"]],
    ["integrations:\n  pay: { kind: payment, provider: stripe, secret: x }", ["unknown_key"]],
    ["storage: here", ["wrong_kind"]],
  ])("`%s`", (text, expected) => expect(codesOf(text)).toEqual(expected));
});

test("actions and sections name the module that they need", () => {
  const without = (sections: string, module: string): string[] =>
    checkBlueprint(`${head.replace(` ${module},`, "")}${sections}\n`)
      .diagnostics.map((one) => one.code)
      .filter((code) => !notServed.includes(code));
  expect(without(workflow("- webhook.emit"), "webhooks")).toEqual(["module_missing"]);
  expect(without("webhooks: {}", "webhooks")).toEqual(["module_missing"]);
  expect(without(workflow("- audit.write"), "workers")).toEqual(["module_missing"]);
});

test.each([
  ["work: { retention: 7d }", 7],
  ["work: { retention: 2w }", 14],
  ["work: {}", null],
  ["", null],
])("%s stores events and runs for %j days", (section, days) => {
  expect(backgroundOf(section).retentionDays).toBe(days);
});

test.each([
  ["work: { retention: 7 }", "invalid_option"],
  ["work: { retention: 0d }", "invalid_option"],
  ["work: { keep: 7d }", "unknown_key"],
  ["work: 7d", "wrong_kind"],
])("%s is %s", (section, code) => expect(codesOf(section)).toEqual([code]));
