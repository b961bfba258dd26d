// One entity in the diagram. In: its box, its look, and whether the diagram is too small to read. Out: its name, fields and transitions; in
// a small diagram only the name, in large letters. Long texts are cut; the tooltip has the whole text.
import { memo } from "react";
import { cn } from "../../ui/cn.ts";
import { type Box, boxWidth, edgesGap, fieldRows, headHeight, rowHeight } from "./model-layout.ts";
import { shortened } from "./shortened.ts";

interface EntityBoxProps {
  box: Box;
  look: "plain" | "dimmed" | "related" | "chosen";
  isSmall: boolean;
}

const inset = 12;
const headLetters = 25;
/** The letters that fit in one row: a field and its type, or a transition and its states. */
const rowLetters = 26;
const edgeLetters = 27;

const frames = {
  plain: "stroke-line-strong",
  dimmed: "stroke-line-strong",
  related: "stroke-accent",
  chosen: "stroke-accent stroke-[3px]",
} as const;

export const EntityBox = memo(function EntityBox({ box, look, isSmall }: EntityBoxProps) {
  const { node, x, y, height } = box;
  return (
    <g data-entity={node.name} className={cn("cursor-pointer", look === "dimmed" && "opacity-25")}>
      <title>{node.name}</title>
      <rect
        x={x}
        y={y}
        width={boxWidth}
        height={height}
        rx={8}
        vectorEffect="non-scaling-stroke"
        className={cn("fill-surface", frames[look])}
      />
      {/* Wide letters may need more room than calculated: the svg clips them. */}
      <svg x={x} y={y} width={boxWidth} height={height} className="overflow-hidden" aria-hidden>
        {isSmall ? <LargeName name={node.name} height={height} /> : <Rows box={box} />}
      </svg>
    </g>
  );
});

const largeRow = 38;

function LargeName({ name, height }: { name: string; height: number }) {
  const lines = largeLines(name, Math.max(1, Math.floor((height - inset) / largeRow)));
  const top = height / 2 - ((lines.length - 1) * largeRow) / 2;
  return lines.map((line, index) => (
    <text
      // biome-ignore lint/suspicious/noArrayIndexKey: two lines of a name can be the same.
      key={index}
      x={boxWidth / 2}
      y={top + index * largeRow}
      dominantBaseline="central"
      textAnchor="middle"
      className="fill-ink text-[34px] font-medium"
    >
      {line}
    </text>
  ));
}

const largeLetters = 10;

/** A name over several lines, broken between its words. */
export function largeLines(name: string, linesMax: number): readonly string[] {
  const lines: string[] = [];
  for (const word of name.split("_")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= largeLetters)
      lines[lines.length - 1] = `${last}_${word}`;
    else lines.push(word);
  }
  const shown = lines.slice(0, linesMax).map((line) => shortened(line, largeLetters));
  const end = shown.at(-1);
  if (lines.length > linesMax && end !== undefined && !end.endsWith("…")) shown[shown.length - 1] = `${end}…`;
  return shown;
}

function Rows({ box: { node } }: { box: Box }) {
  const lastRow = headHeight + node.rows.length * rowHeight + rowHeight / 2;
  return (
    <>
      <text x={inset} y={headHeight / 2} dominantBaseline="central" className="fill-ink text-[13px] font-medium">
        {shortened(node.name, headLetters)}
      </text>
      <line x1={0} x2={boxWidth} y1={headHeight - 4} y2={headHeight - 4} className="stroke-line" />
      {node.rows.map((row, index) => {
        const middle = headHeight + index * rowHeight + rowHeight / 2;
        return (
          <g key={row.name} className="font-mono text-[11.5px]">
            <title>{`${row.name}: ${row.type}`}</title>
            <text x={inset} y={middle} dominantBaseline="central" className="fill-ink">
              {shortened(row.name, rowLetters - Math.min(row.type.length, 8))}
            </text>
            <text
              x={boxWidth - inset}
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
        <text x={inset} y={lastRow} dominantBaseline="central" className="fill-ink-soft text-[11.5px]">
          and {node.more} more
        </text>
      ) : null}
      {node.edges.length > 0 ? <Edges box={node} /> : null}
    </>
  );
}

function Edges({ box }: { box: Box["node"] }) {
  const top = headHeight + fieldRows(box) * rowHeight + edgesGap;
  const dashes = top - edgesGap / 2;
  return (
    <>
      <line x1={inset} x2={boxWidth - inset} y1={dashes} y2={dashes} className="stroke-line" strokeDasharray="3 3" />
      {box.edges.map(({ name, states }, index) => {
        const middle = top + index * rowHeight + rowHeight / 2;
        const shown = shortened(name, 12);
        return (
          <g key={name} className="font-mono text-[11px]">
            <title>{`${name}: ${states}`}</title>
            <text x={inset} y={middle} dominantBaseline="central" className="fill-ink-soft">
              {shown}
            </text>
            <text x={boxWidth - inset} y={middle} dominantBaseline="central" textAnchor="end" className="fill-ink-soft">
              {shortened(states, edgeLetters - shown.length)}
            </text>
          </g>
        );
      })}
    </>
  );
}
