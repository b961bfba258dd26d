// A picture of the model. In: a checked model. Out: boxes and lines as SVG, described in words for screen readers; below an
// entity's fields stands how its state moves.
// It draws at its own size and scrolls where the page is narrower.
import type { Model } from "@plinth/blueprint";
import { useMemo } from "react";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { type Box, boxWidth, edgesGap, fieldRows, headHeight, layoutModel, rowHeight } from "./model-layout.ts";
import { modelNodes } from "./model-nodes.ts";

const margin = 20;
/** What fits into a box beside each other: the name of an edge and its states. */
const edgeLetters = 27;
const rowLetters = 26;

export function ModelPicture({ model }: { model: Model }) {
  const { boxes, lines, width, height } = useMemo(() => layoutModel(modelNodes(model)), [model]);
  const described = boxes.map(({ node }) => node.name).join(", ");
  const relations = lines.map(({ from, to }) => `${from} refers to ${to}`).join(", ");
  const moves = boxes.flatMap(({ node }) =>
    node.edges.map(({ name, states }) => `${node.name} ${name}: ${states.replace("→", "to")}`),
  );
  return (
    <ScrollRegion label="Model" className="bg-sunken">
      <svg
        role="img"
        aria-label={`Entities: ${described}. ${relations ? `${relations}.` : "No relations."}${moves.length > 0 ? ` ${moves.join(". ")}.` : ""}`}
        width={width + margin * 2}
        height={height + margin * 2}
        viewBox={`${-margin} ${-margin} ${width + margin * 2} ${height + margin * 2}`}
        className="mx-auto block"
      >
        {lines.map((line) => (
          <path key={line.id} d={line.path} className="fill-none stroke-ink-faint" strokeWidth={1.25} />
        ))}
        {boxes.map((box) => (
          <EntityBox key={box.node.name} box={box} />
        ))}
        {lines.map((line) => (
          <circle
            key={line.id}
            cx={line.end.x}
            cy={line.end.y}
            r={3}
            className="fill-surface stroke-ink-faint"
            strokeWidth={1.25}
          />
        ))}
      </svg>
    </ScrollRegion>
  );
}

function EntityBox({ box: { node, x, y, height } }: { box: Box }) {
  const lastRow = y + headHeight + node.rows.length * rowHeight + rowHeight / 2;
  return (
    <g>
      <rect x={x} y={y} width={boxWidth} height={height} rx={8} className="fill-surface stroke-line-strong" />
      <text x={x + 12} y={y + headHeight / 2} dominantBaseline="central" className="fill-ink text-[13px] font-medium">
        {node.name}
      </text>
      <line x1={x} x2={x + boxWidth} y1={y + headHeight - 4} y2={y + headHeight - 4} className="stroke-line" />
      {node.rows.map((row, index) => {
        const middle = y + headHeight + index * rowHeight + rowHeight / 2;
        return (
          <g key={row.name} className="font-mono text-[11.5px]">
            <text x={x + 12} y={middle} dominantBaseline="central" className="fill-ink">
              {shortened(row.name, rowLetters - Math.min(row.type.length, 8))}
            </text>
            <text
              x={x + boxWidth - 12}
              y={middle}
              dominantBaseline="central"
              textAnchor="end"
              className={row.target === null ? "fill-ink-soft" : "fill-accent-text"}
            >
              {shortened(row.type, rowLetters - Math.min(row.name.length, 18))}
            </text>
          </g>
        );
      })}
      {node.more > 0 ? (
        <text x={x + 12} y={lastRow} dominantBaseline="central" className="fill-ink-soft text-[11.5px]">
          and {node.more} more
        </text>
      ) : null}
      {node.edges.length > 0 ? <Edges box={{ node, x, y, height }} /> : null}
    </g>
  );
}

function Edges({ box: { node, x, y } }: { box: Box }) {
  const top = y + headHeight + fieldRows(node) * rowHeight + edgesGap;
  return (
    <>
      <line
        x1={x + 12}
        x2={x + boxWidth - 12}
        y1={top - edgesGap / 2}
        y2={top - edgesGap / 2}
        className="stroke-line"
        strokeDasharray="3 3"
      />
      {node.edges.map(({ name, states }, index) => {
        const middle = top + index * rowHeight + rowHeight / 2;
        const shown = shortened(name, 12);
        return (
          <g key={name} className="font-mono text-[11px]">
            <title>{`${name}: ${states}`}</title>
            <text x={x + 12} y={middle} dominantBaseline="central" className="fill-ink-soft">
              {shown}
            </text>
            <text
              x={x + boxWidth - 12}
              y={middle}
              dominantBaseline="central"
              textAnchor="end"
              className="fill-ink-soft"
            >
              {shortened(states, edgeLetters - shown.length)}
            </text>
          </g>
        );
      })}
    </>
  );
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
