// Which buttons stand beside a record.
import { expect, test } from "vitest";
import { deedsOf } from "./deeds.ts";

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

test("the transitions that lead from the record's state, with what they lack", () => {
  expect(deedsOf(entity, { state: "draft", title: null }, false)).toEqual([
    { kind: "transition", edge: "publish", to: "live", lacks: ["title"] },
    { kind: "transition", edge: "retire", to: "gone", lacks: [] },
  ]);
  expect(deedsOf(entity, { state: "live" }, false)).toEqual([
    { kind: "transition", edge: "retire", to: "gone", lacks: [] },
  ]);
  expect(deedsOf(entity, { state: "gone" }, false)).toEqual([]);
});

test("nothing where the state isn't shown, or there is no state machine", () => {
  expect(deedsOf(entity, {}, false)).toEqual([]);
  expect(deedsOf({ softDelete: true, stateMachine: null }, { state: "draft" }, false)).toEqual([]);
});

test("a deleted record is restored, and nothing else", () => {
  expect(deedsOf(entity, { state: "draft" }, true)).toEqual([{ kind: "restore" }]);
});
