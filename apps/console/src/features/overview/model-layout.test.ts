// The layout of the diagram: no box overlaps, lines end at their targets, circular references are handled.
import { describe, expect, test } from "vitest";
import { type Box, boxWidth, edgesGap, layoutModel, type ModelNode, rowHeight } from "./model-layout.ts";

function node(name: string, targets: readonly string[] = [], fields = 2): ModelNode {
  const plain = Array.from({ length: fields }, (_, index) => ({ name: `f${index}`, type: "text", target: null }));
  return {
    name,
    rows: [...plain, ...targets.map((target) => ({ name: `${target}_id`, type: target, target }))],
    more: 0,
    edges: [],
  };
}

function boxOf(boxes: readonly Box[], name: string): Box {
  const box = boxes.find((candidate) => candidate.node.name === name);
  if (!box) throw new Error(`no box ${name}`);
  return box;
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + boxWidth && b.x < a.x + boxWidth && a.y < b.y + b.height && b.y < a.y + a.height;
}

const shop = [
  node("user"),
  node("listing", ["user"]),
  node("inquiry", ["listing"]),
  node("order", ["user", "listing"]),
  node("banner"),
];

describe("layoutModel", () => {
  test("a reference of an entity to itself stays within the layout", () => {
    const { lines, width } = layoutModel([node("a", ["a"])]);
    expect(lines[0]?.right).toBeGreaterThan(boxWidth);
    expect(width).toBe(lines[0]?.right);
  });

  test("makes room for the edges of a state machine", () => {
    const edges = [{ name: "publish", states: "draft → active" }];
    const [plain, moving] = [node("a"), { ...node("b"), edges }].map((one) => layoutModel([one]).height);
    expect(moving).toBe((plain ?? 0) + edgesGap + rowHeight);
  });

  test("puts a referenced entity left of the entities that refer to it", () => {
    const { boxes } = layoutModel(shop);
    const xs = ["user", "listing", "inquiry", "order"].map((name) => boxOf(boxes, name).x);
    expect(xs[0]).toBeLessThan(xs[1] ?? 0);
    expect(xs[1]).toBeLessThan(xs[2] ?? 0);
    expect(xs[2]).toBe(xs[3]);
  });

  test("no two boxes overlap, and all are within the layout", () => {
    const { boxes, width, height } = layoutModel([...shop, node("a"), node("b"), node("c", [], 9), node("d", ["d"])]);
    expect(boxes).toHaveLength(9);
    for (const box of boxes) {
      expect(box.x + boxWidth).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
      for (const other of boxes) if (other !== box) expect(overlaps(box, other)).toBe(false);
    }
  });

  test("draws one line for each reference, to the head of its target", () => {
    const { boxes, lines } = layoutModel(shop);
    expect(lines.map(({ id }) => id).sort()).toEqual([
      "inquiry.listing_id",
      "listing.user_id",
      "order.listing_id",
      "order.user_id",
    ]);
    const line = lines.find(({ id }) => id === "inquiry.listing_id");
    const target = boxOf(boxes, "listing");
    expect(line?.end).toEqual({ x: target.x + boxWidth, y: target.y + 18 });
  });

  test("circular references and self-references are laid out", () => {
    const { boxes, lines } = layoutModel([node("a", ["b"]), node("b", ["c"]), node("c", ["a"]), node("d", ["d"])]);
    expect(boxes).toHaveLength(4);
    expect(lines).toHaveLength(4);
  });

  test("a reference to an entity that isn't drawn has no line", () => {
    expect(layoutModel([node("a", ["organization"])]).lines).toEqual([]);
  });

  test("an empty model has an empty layout", () => {
    expect(layoutModel([])).toEqual({ boxes: [], lines: [], width: 0, height: 0 });
  });

  test.each([
    ["a hub", (index: number) => (index === 0 ? [] : ["n0"])],
    ["a chain", (index: number) => (index === 0 ? [] : [`n${index - 1}`])],
    ["nothing related", () => []],
  ])("sixty entities are about as wide as a window: %s", (_, targetsOf) => {
    const nodes = Array.from({ length: 60 }, (_, index) => node(`n${index}`, targetsOf(index), 8));
    const { boxes, width, height } = layoutModel(nodes);
    expect(width / height).toBeGreaterThan(0.5);
    expect(width / height).toBeLessThan(2.5);
    for (const box of boxes) for (const other of boxes) if (other !== box) expect(overlaps(box, other)).toBe(false);
  });
});
