// Which waits an event reaches: those whose condition may hold, found by the values that the condition requires.
import type { EvaluationContext, Expression } from "@plinth/expression";
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { countClaims } from "./testing/count-claims.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "./testing/work-cell.ts";
import { keyOf } from "./wait-key.ts";

let work: WorkCell | null = null;
afterEach(async () => {
  await work?.close();
  work = null;
});

const text = { kind: "text" } as const;
const bool = { kind: "bool" } as const;
const literal = (value: string): Expression => ({ kind: "literal", type: text, value });
const field = (...path: readonly string[]): Expression => ({ kind: "field", type: text, row: "record", path });
const value = (root: string, ...path: readonly string[]): Expression => ({ kind: "value", type: text, root, path });
const operation = (operator: "==" | "&&" | "||" | "!=", ...args: readonly Expression[]): Expression => ({
  kind: "operation",
  type: bool,
  operator,
  args,
});
const context: EvaluationContext = {
  rows: {},
  user: { id: null, email: null, roles: [] },
  values: { steps: { order: { id: "o-1", none: null } } },
};
const any = { member: "", wanted: "" };

it.each([
  [operation("==", field("order_id"), value("steps", "order", "id")), { member: "record/order_id", wanted: "o-1" }],
  [operation("==", literal("x"), value("event", "data", "a", "b")), { member: "data/a/b", wanted: "x" }],
  [operation("==", value("event", "record_id"), literal("x")), { member: "record_id", wanted: "x" }],
  [
    operation("&&", operation("!=", field("a"), literal("b")), operation("==", field("a"), literal("c"))),
    { member: "record/a", wanted: "c" },
  ],
  // The condition has no value by which an event could be found.
  [null, any],
  [operation("||", operation("==", field("a"), literal("b")), operation("==", field("a"), literal("c"))), any],
  [operation("!=", field("a"), literal("b")), any],
  [operation("==", field("a"), field("b")), any],
  [operation("==", field("a"), value("event", "data", "b")), any],
  [operation("==", field("a"), value("steps", "order", "none")), any],
  [operation("==", field("a"), literal("x".repeat(401))), any],
  [operation("==", value("event", "name"), literal("x")), any],
] as const)("the key of %j", (condition, key) => {
  expect(keyOf(condition, context)).toEqual(key);
});

it("an event is offered to waits that require it, and to waits for any", async () => {
  const until = (name: string, condition: Expression | null) =>
    workflowOf({
      name,
      on: ["ticket.created"],
      entity: "ticket",
      steps: [stepOf("until", { kind: "wait_for", event: "note.created", if: condition, timeoutMs: null })],
    });
  work = await openWorkCell(
    `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
  note:
    fields: { text: string }
    permissions:
      admin: { all: true }
`,
    {
      workflows: [
        until("any", null),
        until("nothing", operation("!=", field("text"), field("text"))),
        until("a", operation("==", field("text"), literal("a"))),
        until("b", operation("==", field("text"), literal("b"))),
      ],
    },
  );
  const claims = await countClaims(work);
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  await work.settled();
  const turns = async () => {
    const counts = await claims();
    const runs = await work!.sql("SELECT workflow, status FROM {schema}.workers__runs");
    return Object.fromEntries(
      runs.map(({ workflow, status }) => [workflow, `${status} ${counts[String(workflow)]}`] as const),
    );
  };
  expect(await turns()).toEqual({ any: "waiting 1", nothing: "waiting 1", a: "waiting 1", b: "waiting 1" });
  await createRecord(await work.request("note"), crypto.randomUUID(), new Map([["text", "a"]]));
  await work.settled();
  // A run that waits for another note isn't even woken.
  expect(await turns()).toEqual({ any: "completed 2", nothing: "waiting 2", a: "completed 2", b: "waiting 1" });
});
