// Zooming and moving the diagram: the visible part, and the points that stay in place.
import { expect, test } from "vitest";
import { fitView, panView, scaleLimits, showBox, type View, zoomView } from "./diagram-view.ts";
import { boxWidth } from "./model-layout.ts";

const size = { width: 800, height: 600 };

/** The point of the diagram at a point on the screen. */
function under(view: View, x: number, y: number): readonly [number, number] {
  return [(x - view.x) / view.scale, (y - view.y) / view.scale];
}

test("the whole diagram fits, and a small one keeps its size", () => {
  const layout = { width: 4000, height: 3000 };
  const view = fitView(layout, size);
  expect(view.x).toBeGreaterThanOrEqual(0);
  expect(view.x + layout.width * view.scale).toBeLessThanOrEqual(size.width);
  expect(view.y + layout.height * view.scale).toBeLessThanOrEqual(size.height);
  expect(fitView({ width: 200, height: 100 }, size)).toEqual({ x: 300, y: 250, scale: 1 });
});

test("zooming keeps the point under the pointer, up to the limits", () => {
  const view = { x: 10, y: 20, scale: 0.5 };
  const larger = zoomView(view, 1.5, { x: 300, y: 200 });
  expect(larger.scale).toBe(0.75);
  expect(under(larger, 300, 200)).toEqual(under(view, 300, 200));
  expect(zoomView(view, 1000, { x: 0, y: 0 }).scale).toBe(scaleLimits.max);
  expect(zoomView(view, 0.0001, { x: 0, y: 0 }).scale).toBe(scaleLimits.min);
});

test("a box is shown in the middle, large enough to read", () => {
  const box = { node: { name: "a", rows: [], more: 0, edges: [] }, x: 1000, y: 500, height: 200 };
  const view = showBox(box, { x: 0, y: 0, scale: 0.1 }, size);
  expect(view.scale).toBeGreaterThan(0.5);
  expect(under(view, size.width / 2, size.height / 2)).toEqual([1000 + boxWidth / 2, 600]);
  expect(showBox(box, { x: 0, y: 0, scale: 1.5 }, size).scale).toBe(1.5);
});

test("the diagram can't be moved out of the window", () => {
  const layout = { width: 1000, height: 1000 };
  const far = panView({ x: 0, y: 0, scale: 1 }, { x: -1e6, y: 1e6 }, layout, size);
  expect(far.x + layout.width).toBeGreaterThan(0);
  expect(far.y).toBeLessThan(size.height);
  expect(panView({ x: 0, y: 0, scale: 1 }, { x: 5, y: -5 }, layout, size)).toEqual({ x: 5, y: -5, scale: 1 });
});
