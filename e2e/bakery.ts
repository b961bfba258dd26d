// A bakery with background work: its blueprint, the workflows that no blueprint can declare yet, a schedule, and the
// bank that one of them calls.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BundleSchedule, BundleWorkflow, Template } from "@plinth/bundle";
import { stepOf, workflowOf } from "./publish-background.ts";

export const blueprint = `project: bakery
modules: [auth, users, roles, workers, audit_logs]
entities:
  order:
    fields:
      cake: string
      status: enum[open, baked, sent] = open
    permissions:
      admin: { all: true }
  note:
    fields:
      text: string
    permissions:
      admin: { all: true }
actions:
  order-again:
    input:
      order: ref(order)
      pieces: { type: int, min: 1, help: How many of them. }
      wrapped: bool = false
      day: date?
      icing: enum[sugar, chocolate]?
    permissions: { admin: true }
    steps:
      - audit.write: { with: { note: Again } }
`;

const text = { kind: "text" } as const;
const literal = (value: string): Template => ({ kind: "literal", value });
const field = (name: string): Template => ({
  kind: "value",
  expression: { kind: "field", type: text, row: "record", path: [name] },
});
const value = (root: string, ...path: readonly string[]): Template => ({
  kind: "value",
  expression: { kind: "value", type: text, root, path },
});
const note = (content: Template) => ({ kind: "record.create", entity: "note", values: { text: content } }) as const;
const anOrder = { on: ["order.created"], entity: "order" } as const;

/** @param bank The address of the service that transfers money. */
export const workflowsOf = (bank: string): readonly BundleWorkflow[] => [
  workflowOf({
    ...anOrder,
    name: "bake",
    steps: [
      stepOf("write_down", note(field("cake"))),
      stepOf("rise", { kind: "wait", forMs: 1_500 }),
      stepOf("mix", note(value("each")), {
        forEach: { items: { kind: "literal", value: ["flour", "butter", "sugar"] }, parallelMax: 1 },
      }),
      stepOf("taste", {
        kind: "approve",
        roles: ["admin"],
        bySelf: true,
        onReject: "fail",
        message: null,
        timeoutMs: 86_400_000,
      }),
      stepOf("label", {
        kind: "worker.run",
        worker: "print",
        input: { kind: "object", members: { text: field("cake") } },
      }),
      stepOf("finish", {
        kind: "record.update",
        entity: "order",
        id: field("id"),
        values: { status: literal("baked") },
      }),
    ],
  }),
  workflowOf({
    ...anOrder,
    name: "charge",
    steps: [
      stepOf("reserve", note(literal("reserved")), {
        compensate: [stepOf("release", { kind: "record.delete", entity: "note", id: value("steps", "reserve", "id") })],
      }),
      stepOf("payment", { kind: "record.find", entity: "note", where: { text: literal("paid") }, limit: null }),
      stepOf("book", {
        kind: "record.update",
        entity: "note",
        id: value("steps", "payment", "id"),
        values: { text: literal("booked") },
      }),
    ],
  }),
  workflowOf({
    name: "pay",
    kind: "worker",
    on: [],
    steps: [
      stepOf("reserve", note(literal("reserved money"))),
      stepOf("transfer", {
        kind: "http.request",
        method: "POST",
        url: literal(`${bank}/transfer`),
        headers: {},
        body: null,
        signed: false,
        repeat: "unsafe",
      }),
      stepOf("receipt", note(value("steps", "transfer", "receipt"))),
    ],
  }),
  workflowOf({ name: "print", kind: "worker", on: [], steps: [stepOf("print", note(value("input", "text")))] }),
];

/** Far enough in the future that no tick comes in between. */
export const payday: BundleSchedule = {
  name: "payday",
  cron: "0 0 29 2 *",
  timezone: "Europe/Berlin",
  run: "pay",
  overlap: "skip",
  catchUp: "last",
};

export interface Bank {
  readonly url: string;
  /** The number of calls so far. */
  transfers(): number;
  close(): void;
}

/** It accepts each call, and closes the connection without an answer. */
export async function openBank(): Promise<Bank> {
  let transfers = 0;
  const server = createServer((request) => {
    transfers++;
    request.socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, transfers: () => transfers, close: () => void server.close() };
}
