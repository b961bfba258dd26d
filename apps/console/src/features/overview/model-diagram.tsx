// A diagram of the model that can be zoomed, moved and searched. In: the layout, the results of a search, and the chosen entity. Out: boxes
// and lines. The chosen entity is moved to the middle, and its neighbours are marked. Screen readers get the list next to it instead of
// the boxes.
"use client";
import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useEffectEvent, useId, useMemo, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { EntityBox } from "./entity-box.tsx";
import type { ModelLayout } from "./model-layout.ts";
import { useDiagramView } from "./use-diagram-view.ts";

interface ModelDiagramProps {
  layout: ModelLayout;
  /** The results of a search; null without a search. */
  found: ReadonlySet<string> | null;
  /** The entity in the middle: the chosen one, or the best result of a search. */
  focus: string | null;
  onChoose: (name: string | null) => void;
}

/** Below this scale the rows are too small to read. */
const readableScale = 0.45;

export function ModelDiagram({ layout, found, focus, onChoose }: ModelDiagramProps) {
  const keys = useId();
  const frame = useRef<HTMLDivElement>(null);
  const { view, zoomBy, showAll, show, listeners } = useDiagramView(frame, layout, (target) =>
    onChoose(target.closest("[data-entity]")?.getAttribute("data-entity") ?? null),
  );
  const near = useMemo(() => neighboursOf(focus, layout), [focus, layout]);
  const moveTo = useEffectEvent((name: string | null) => {
    const box = layout.boxes.find(({ node }) => node.name === name);
    if (box) show(box);
  });
  useEffect(() => moveTo(focus), [focus]);

  const isSmall = view.scale < readableScale;
  const lookOf = (name: string): "plain" | "dimmed" | "related" | "chosen" => {
    if (name === focus) return "chosen";
    if (focus !== null && near.has(name)) return "related";
    return (found === null && focus === null) || found?.has(name) ? "plain" : "dimmed";
  };
  return (
    <div className="relative h-96 min-w-0 bg-sunken lg:h-full">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
      <div
        ref={frame}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves the diagram, so it must take the focus.
        tabIndex={0}
        aria-label={`Diagram of ${layout.boxes.length === 1 ? "1 entity" : `${layout.boxes.length} entities`}`}
        aria-describedby={keys}
        className="peer absolute inset-0 cursor-grab touch-pan-y overflow-hidden focus:touch-none -outline-offset-2 select-none active:cursor-grabbing"
        {...listeners}
      >
        <svg aria-hidden width="100%" height="100%" className="block">
          <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`} data-diagram="view">
            {layout.lines.map(({ id, from, to, path, end }) => {
              const marked = focus !== null && (from === focus || to === focus);
              const dimmed = !marked && (lookOf(from) === "dimmed" || lookOf(to) === "dimmed" || focus !== null);
              const stroke = marked ? "stroke-accent" : "stroke-ink-faint";
              return (
                <g key={id} className={cn(dimmed && "opacity-20")}>
                  <path
                    d={path}
                    className={cn("fill-none", stroke)}
                    strokeWidth={marked ? 2 : 1.25}
                    // In a small diagram, lines are close to each other and would hide the boxes.
                    strokeOpacity={isSmall && !marked ? 0.4 : 1}
                    vectorEffect="non-scaling-stroke"
                  />
                  <circle cx={end.x} cy={end.y} r={3} className={cn("fill-surface", stroke)} strokeWidth={1.25} />
                </g>
              );
            })}
            {layout.boxes.map((box) => (
              <EntityBox key={box.node.name} box={box} look={lookOf(box.node.name)} isSmall={isSmall} />
            ))}
          </g>
        </svg>
      </div>
      <p id={keys} className="sr-only">
        Arrow keys move the diagram, plus and minus zoom, 0 shows all of it. The list of entities has the same content
        as text.
      </p>
      <p
        aria-hidden
        className="pointer-events-none absolute bottom-3 left-3 hidden rounded-md bg-surface px-2 py-1 text-xs text-ink-soft peer-focus:hidden lg:block"
      >
        Click here to zoom with the wheel
      </p>
      <div className="absolute right-3 bottom-3 flex gap-1">
        <span className="rounded-md bg-surface px-2 py-1 text-xs text-ink-soft tabular-nums">
          <span className="sr-only">Zoom </span>
          {Math.round(view.scale * 100)} %
        </span>
        <Button size="icon-small" aria-label="Zoom out" icon={<ZoomOut />} onClick={() => zoomBy(-1)} />
        <Button size="icon-small" aria-label="Zoom in" icon={<ZoomIn />} onClick={() => zoomBy(1)} />
        <Button size="icon-small" aria-label="Show the whole diagram" icon={<Maximize />} onClick={showAll} />
      </div>
    </div>
  );
}

function neighboursOf(name: string | null, { lines }: ModelLayout): ReadonlySet<string> {
  return new Set(lines.filter(({ from, to }) => from === name || to === name).flatMap(({ from, to }) => [from, to]));
}
