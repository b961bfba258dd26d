// The visible part of the diagram, and its scale. In: a view and a movement. Out: the next view. A point of the diagram is on the screen at
// `point * scale + (x, y)`. Pure.
import { type Box, boxWidth, type ModelLayout } from "./model-layout.ts";

export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const scaleLimits = { min: 0.05, max: 2.5 } as const;
const margin = 20;
/** Boxes that are brought into view are at least this large, so that their text can be read. */
const readableScale = 0.75;

/** The whole diagram in the middle, never larger than its own size. */
export function fitView({ width, height }: Pick<ModelLayout, "width" | "height">, size: Size): View {
  const scale = Math.min(1, (size.width - margin * 2) / width, (size.height - margin * 2) / height);
  return centered({ x: width / 2, y: height / 2 }, clampScale(scale), size);
}

/** The box in the middle, at the scale of the view, or larger if that is too small to read. */
export function showBox(box: Box, view: View, size: Size): View {
  const fits = Math.min((size.width - margin * 2) / boxWidth, 1);
  const scale = Math.max(view.scale, Math.min(readableScale, fits));
  const middle = { x: box.x + boxWidth / 2, y: box.y + box.height / 2 };
  const shown = centered(middle, scale, size);
  // A box that is higher than the window shows its name.
  return box.height * scale > size.height - margin * 2 ? { ...shown, y: margin - box.y * scale } : shown;
}

/** `at`: the point on the screen that remains where it is. */
export function zoomView(view: View, factor: number, at: Point): View {
  const scale = clampScale(view.scale * factor);
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** An edge of the diagram always remains in the window. */
export function panView(view: View, by: Point, layout: Pick<ModelLayout, "width" | "height">, size: Size): View {
  const within = (value: number, extent: number, window: number): number =>
    Math.min(Math.max(value, margin * 2 - extent * view.scale), window - margin * 2);
  return {
    scale: view.scale,
    x: within(view.x + by.x, layout.width, size.width),
    y: within(view.y + by.y, layout.height, size.height),
  };
}

function centered(point: Point, scale: number, size: Size): View {
  return { scale, x: size.width / 2 - point.x * scale, y: size.height / 2 - point.y * scale };
}

function clampScale(scale: number): number {
  return Math.min(Math.max(scale, scaleLimits.min), scaleLimits.max);
}
