// The consequences of one request, from the write to the last run.
import type { AuditLine, EventSummary, RunSummary } from "@plinth/control/router";
import { expect, test } from "vitest";
import { type ChainNode, chainOf } from "./chain.ts";

const time = (second: number): string => `2026-11-22T10:00:${String(second).padStart(2, "0")}.000Z`;

function line(id: string, entity: string, recordId: string | null, operation: string): AuditLine {
  return { id, at: time(0), requestId: "req", actorKind: "key", actorId: "key_1", operation, entity, recordId };
}

function event(id: string, name: string, at: number, causedBy: string | null, recordId: string | null): EventSummary {
  const entity = recordId === null ? null : (name.split(".")[0] ?? null);
  return { id, name, at: time(at), entity, recordId, actorKind: "key", actorId: "key_1", requestId: "req", causedBy };
}

function run(id: string, at: number, eventId: string | null, causedBy: string | null): RunSummary {
  return {
    id,
    workflow: id,
    kind: "workflow",
    status: "completed",
    eventId,
    eventName: null,
    causedBy,
    depth: 0,
    requestId: "req",
    actorKind: null,
    actorId: null,
    error: null,
    createdAt: time(at),
    startedAt: null,
    endedAt: null,
  };
}

function shape(nodes: readonly ChainNode[]): unknown {
  return nodes.map((node) =>
    node.kind === "line"
      ? node.line.id
      : node.kind === "run"
        ? [node.run.id, shape(node.children)]
        : [`${node.event.name} ${node.line?.id ?? "-"}`, shape(node.children)],
  );
}

test("a write, its event, the runs that it started, and what they wrote and called: each once and in order", () => {
  const events = [
    event("e3", "note.created", 4, "label", "n1"),
    event("e1", "order.created", 1, null, "o1"),
    event("e2", "order.baked", 3, "bake", "o1"),
  ];
  // A run that was started by an event of another run has both causes, and is below the event.
  const runs = [
    run("print", 6, null, "label"),
    run("label", 4, "e2", "bake"),
    run("bake", 2, "e1", null),
    run("charge", 2, "e1", null),
  ];
  const lines = [
    line("12", "note", "n1", "create"),
    line("9", "order", "o1", "create"),
    line("11", "session", null, "sign_in"),
    line("10", "order", "o1", "transition:bake"),
  ];
  const chain = chainOf(lines, events, runs);
  expect(shape(chain)).toEqual([
    "11",
    [
      "order.created 9",
      [
        [
          "bake",
          [
            [
              "order.baked 10",
              [
                [
                  "label",
                  [
                    ["note.created 12", []],
                    ["print", []],
                  ],
                ],
              ],
            ],
          ],
        ],
        ["charge", []],
      ],
    ],
  ]);
});

test("a run whose cause belongs to another request is a root", () => {
  const chain = chainOf(
    [],
    [event("e9", "tick.emitted", 5, "elsewhere", null)],
    [run("again", 1, "gone", "elsewhere")],
  );
  expect(shape(chain)).toEqual([
    ["again", []],
    ["tick.emitted -", []],
  ]);
});

test("lines without an event are below the run that wrote them, or else in order among the roots", () => {
  const ran = (id: string, workflow: string, from: number, to: number | null): RunSummary => ({
    ...run(id, from, null, null),
    workflow,
    startedAt: time(from),
    endedAt: to === null ? null : time(to),
  });
  const wrote = (id: string, at: number, more: Partial<AuditLine>): AuditLine => ({
    ...line(id, "note", null, "create"),
    at: time(at),
    actorKind: "service",
    actorId: "workflow bake",
    ...more,
  });
  const chain = chainOf(
    [
      wrote("7", 30, { operation: "note", changes: { run: "second" } }),
      wrote("1", 0, { actorKind: "key", operation: "action" }),
      wrote("3", 5, {}),
      wrote("2", 2, {}),
      wrote("8", 40, { operation: "note", changes: { run: "gone" } }),
      wrote("4", 8, {}),
      wrote("5", 12, { actorKind: "user" }),
      // Written by the only run of its workflow. The run was retried, so its times are those of the last attempt.
      wrote("6", 13, { actorId: "workflow charge" }),
      wrote("9", 41, { actorId: "retention" }),
    ],
    [],
    [ran("first", "bake", 1, 6), ran("second", "bake", 4, null), ran("third", "charge", 14, 15)],
  );
  expect(shape(chain)).toEqual(["1", ["first", ["2"]], ["second", ["4", "7"]], "3", "5", ["third", ["6"]], "8", "9"]);
});
