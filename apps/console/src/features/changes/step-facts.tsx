// The effects of a step on the live database. In: a step of the plan and its measure. Out: rows, size, lock, time, violating records, and
// how to undo it.
import type { ProposedPlan, StepMeasure } from "@plinth/control/router";
import type { ReactNode } from "react";
import { MarkedText } from "../../ui/marked-text.tsx";

type Step = ProposedPlan["steps"][number];

export function StepFacts({ step, measure }: { step: Step; measure: StepMeasure | null }) {
  return (
    <div className="border-t px-4 py-3 text-[0.8125rem] sm:pl-11">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {step.table === null ? null : <Fact name="Table">{step.table}</Fact>}
        {measure?.rows == null ? null : <Fact name="Rows">{rowsText(measure)}</Fact>}
        {measure?.bytes == null ? null : <Fact name="Size">{bytesText(measure.bytes)}</Fact>}
        <Fact name="Lock">{lockWords[step.lock]}</Fact>
        <Fact name="Reads every row">{step.scans ? "Yes" : "No"}</Fact>
        <Fact name="Writes every row">{step.rewrites ? "Yes, in batches" : "No"}</Fact>
        <Fact name="Expected">{measure?.expectedMs == null ? "Unknown" : durationText(measure.expectedMs)}</Fact>
      </dl>
      <p className="mt-2 text-ink-soft">
        <span className="font-medium text-ink">To undo: </span>
        <MarkedText text={step.undo} />
      </p>
      {measure?.violators ? <Violators {...measure.violators} /> : null}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}

function Violators({ count, samples }: NonNullable<StepMeasure["violators"]>) {
  if (count === 0) return <p className="mt-2 text-good">No record violates it.</p>;
  return (
    <div className="mt-2 rounded-md bg-bad-soft px-3 py-2">
      <p className="font-medium text-bad">
        {count === null
          ? "Counting the records that violate it took too long."
          : count === 1
            ? "One record violates it."
            : `${count.toLocaleString("en")} records violate it.`}
      </p>
      {samples.length > 0 ? (
        <ul className="mt-1 font-mono text-xs">
          {samples.map(({ id, text }) => (
            <li key={id} className="wrap-anywhere">
              {id} {text}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

const lockWords: Readonly<Record<Step["lock"], string>> = {
  none: "None",
  "row exclusive": "Blocks no reads or writes",
  "share update exclusive": "Blocks schema changes, not reads or writes",
  "share row exclusive": "Blocks writes for a moment",
  "access exclusive": "Blocks reads and writes for a moment",
};

/** "12,000", or "about 12,000" for an estimate; null if it is unknown. */
export function rowsText(measure: Pick<StepMeasure, "rows" | "rowsExact"> | null): string | null {
  if (measure === null || measure.rows === null) return null;
  return `${measure.rowsExact ? "" : "about "}${measure.rows.toLocaleString("en")}`;
}

function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
