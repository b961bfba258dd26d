// The buttons next to a record.
import { expect, test } from "vitest";
import { recordActions } from "./record-actions.ts";

const edge = (name: string, from: string[], to: string, require: string[] = []) => ({
  name,
  from,
  to,
  require,
  emit: `post.${name}`,
});
const entity = {
  softDelete: true,
  stateMachine: {
    field: "state",
    initial: "draft",
    edges: [edge("publish", ["draft"], "live", ["title", "cover"]), edge("retire", ["draft", "live"], "gone")],
  },
};

test("the transitions from the record's state, with missing fields", () => {
  expect(recordActions(entity, { state: "draft", title: null }, false)).toEqual([
    { kind: "transition", edge: "publish", to: "live", missing: ["title"] },
    { kind: "transition", edge: "retire", to: "gone", missing: [] },
  ]);
  expect(recordActions(entity, { state: "live" }, false)).toEqual([
    { kind: "transition", edge: "retire", to: "gone", missing: [] },
  ]);
  expect(recordActions(entity, { state: "gone" }, false)).toEqual([]);
});

test("no actions if the state isn't shown, or without a state machine", () => {
  expect(recordActions(entity, {}, false)).toEqual([]);
  expect(recordActions({ softDelete: true, stateMachine: null }, { state: "draft" }, false)).toEqual([]);
});

test("a deleted record can only be restored", () => {
  expect(recordActions(entity, { state: "draft" }, true)).toEqual([{ kind: "restore" }]);
});
