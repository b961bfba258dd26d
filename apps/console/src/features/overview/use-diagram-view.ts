// Zooms and moves the diagram. In: its layout. Out: the view, and event listeners for the diagram's frame. The page scrolls as usual: wheel
// and finger move the diagram only while it has the focus, or with Ctrl (browsers report a pinch on a touchpad like that).
"use client";
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { fitView, type Point, panView, type Size, showBox, type View, zoomView } from "./diagram-view.ts";
import type { Box, ModelLayout } from "./model-layout.ts";

const panPixels = 80;
const zoomStep = 1.25;
/** A shorter movement counts as a click. */
const dragPixels = 4;

interface DiagramView {
  readonly view: View;
  readonly zoomBy: (steps: number) => void;
  readonly showAll: () => void;
  readonly show: (box: Box) => void;
  readonly listeners: {
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onPointerDown: (event: PointerEvent<Element>) => void;
    readonly onPointerMove: (event: PointerEvent<Element>) => void;
    readonly onPointerUp: (event: PointerEvent<Element>) => void;
    readonly onPointerCancel: (event: PointerEvent<Element>) => void;
  };
}

/** `onClick` gets the element that was clicked without dragging. */
export function useDiagramView(
  frame: RefObject<HTMLElement | null>,
  layout: ModelLayout,
  onClick: (target: Element) => void,
): DiagramView {
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const size = useRef<Size>({ width: 0, height: 0 });
  /** While false, the diagram always fits its frame. */
  const moved = useRef(false);
  const pointers = useRef(new Map<number, Point>());
  const pressed = useRef<EventTarget | null>(null);
  const dragged = useRef(false);

  function change(next: (view: View, size: Size) => View): void {
    if (size.current.width === 0) return;
    moved.current = true;
    setView((before) => next(before, size.current));
  }
  const pan = (by: Point): void => change((before, window) => panView(before, by, layout, window));
  const zoom = (factor: number, at?: Point): void =>
    change((before, { width, height }) => zoomView(before, factor, at ?? { x: width / 2, y: height / 2 }));
  function showAll(): void {
    moved.current = false;
    if (size.current.width > 0) setView(fitView(layout, size.current));
  }

  const resized = useEffectEvent((next: Size) => {
    const before = size.current;
    size.current = next;
    if (!moved.current) showAll();
    // The point in the middle stays there.
    else pan({ x: (next.width - before.width) / 2, y: (next.height - before.height) / 2 });
  });
  const wheeled = useEffectEvent((event: WheelEvent) => {
    const focused = frame.current?.contains(document.activeElement) === true;
    if (!(event.ctrlKey || event.metaKey || focused)) return;
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
    // A pinch sends small deltas, a wheel about 100 for each notch.
    zoom(Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.002)), pointOf(event));
  });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) resized({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    // React listens passively, so the page would scroll as well.
    element.addEventListener("wheel", wheeled, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", wheeled);
    };
  }, [frame]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another model is shown as a whole.
  useEffect(() => showAll(), [layout]);

  function pointOf({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point {
    const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {};
    return { x: clientX - left, y: clientY - top };
  }

  function pointerMoved(event: PointerEvent<Element>): void {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = pointOf(event);
    const by = { x: now.x - before.x, y: now.y - before.y };
    if (!dragged.current && Math.hypot(by.x, by.y) < dragPixels) return;
    dragged.current = true;
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, now);
    if (!other) {
      pan(by);
      return;
    }
    const distance = (one: Point): number => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
    zoom(distance(now) / distance(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  }

  function pointerLeft(event: PointerEvent<Element>): void {
    pointers.current.delete(event.pointerId);
  }

  return {
    view,
    showAll,
    zoomBy: (steps) => zoom(zoomStep ** steps),
    show: (box) => change((before, window) => showBox(box, before, window)),
    listeners: {
      onKeyDown(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const direction = directions[event.key];
        if (direction) pan({ x: -direction[0] * panPixels, y: -direction[1] * panPixels });
        else if (event.key === "+" || event.key === "=") zoom(zoomStep);
        else if (event.key === "-") zoom(1 / zoomStep);
        else if (event.key === "0") showAll();
        else return;
        event.preventDefault();
        // Otherwise the page's shortcuts would see the key.
        event.stopPropagation();
      },
      onPointerDown(event) {
        if (event.button !== 0) return;
        if (pointers.current.size === 0) dragged.current = false;
        pointers.current.set(event.pointerId, pointOf(event));
        pressed.current = event.target;
        // The frame also gets the events of a pointer that leaves it.
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: pointerMoved,
      onPointerUp(event) {
        pointerLeft(event);
        if (!dragged.current && pressed.current instanceof Element) onClick(pressed.current);
        pressed.current = null;
      },
      onPointerCancel: pointerLeft,
    },
  };
}

/** The direction of each arrow key. */
const directions: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
