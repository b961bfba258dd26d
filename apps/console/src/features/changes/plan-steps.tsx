// The steps of a deployment. In: the plan and, during a deployment, its progress. Out: a list with the state of each step and its SQL to
// unfold. If there are many steps, safe ones are hidden at first. Icons and labels tell the states apart, not only colours.
"use client";
import type { DeploymentStep, PlanMeasures, ProposedPlan, StepMeasure } from "@plinth/control/router";
import { ChevronRight, Circle, CircleCheck, CircleX, LoaderCircle } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { MarkedText } from "../../ui/marked-text.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { ClassBadge } from "./class-badge.tsx";
import { durationText, rowsText, StepFacts } from "./step-facts.tsx";

type StepState = DeploymentStep["status"];

const icons: Record<StepState, { Icon: typeof Circle; look: string; word: string }> = {
  pending: { Icon: Circle, look: "text-line-strong", word: "Waiting" },
  running: { Icon: LoaderCircle, look: "animate-spin text-accent-text", word: "Running" },
  done: { Icon: CircleCheck, look: "text-good", word: "Done" },
  failed: { Icon: CircleX, look: "text-bad", word: "Failed" },
};

type PlannedStep = ProposedPlan["steps"][number] & { readonly state: DeploymentStep | null };

interface PlanStepsProps {
  plan: ProposedPlan;
  /** Null if the live database could not be measured. */
  measures: PlanMeasures | null;
  /** Null before the deployment has started. */
  progress: readonly DeploymentStep[] | null;
}

export function PlanSteps({ plan, measures, progress }: PlanStepsProps) {
  const [all, setAll] = useState(false);
  const planned = plan.steps.map(
    (step): PlannedStep => ({
      ...step,
      state: progress?.find(({ id }) => id === step.id) ?? null,
    }),
  );
  const hidden = planned.length > shownMax && !all ? planned.filter((step) => isHidden(step, measures)) : [];
  // Steps that only the cell has, such as the switch to the new release.
  const own = progress?.filter(({ id }) => !plan.steps.some((step) => step.id === id)) ?? [];
  return (
    <ol className="divide-y">
      {planned.map((step, index) =>
        hidden.includes(step) ? null : (
          <li key={step.id}>
            <details className="group">
              <summary className="flex items-start gap-3 px-4 py-2.5 -outline-offset-2 hover:bg-hover/60 [&::-webkit-details-marker]:hidden">
                <span
                  className={cn("grid h-[1.3125rem] shrink-0 place-items-center", planned.length > 99 ? "w-6" : "w-4")}
                >
                  {progress ? (
                    <StateIcon state={step.state?.status ?? "pending"} />
                  ) : (
                    <span className="text-xs text-ink-faint tabular-nums">{index + 1}</span>
                  )}
                </span>
                <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3 gap-y-1">
                  <span className="min-w-0 flex-1 basis-64 break-words">
                    <MarkedText text={step.summary} />
                  </span>
                  <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                    {blocked(measures, step.id) ? <Badge tone="bad">Violating records</Badge> : null}
                    {step.class === "safe" ? null : <ClassBadge of={step.class} />}
                    {step.phase === "switch" ? <Badge tone="accent">With the switch</Badge> : null}
                    {step.phase === "after" ? <Badge>Afterwards</Badge> : null}
                    <Written step={step.state} rows={rowsText(measureOf(measures, step.id))} />
                    <Duration step={step.state} />
                  </span>
                </span>
                <ChevronRight
                  className="mt-0.5 size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
                  aria-hidden
                />
              </summary>
              <StepFacts step={step} measure={measureOf(measures, step.id)} />
              <ScrollRegion label={`SQL of: ${step.summary}`} className="max-h-80 border-t bg-sunken">
                <pre className="px-4 py-3 font-mono text-xs leading-5">{sqlOf(step).trim()}</pre>
              </ScrollRegion>
            </details>
            <StepError step={step.state} />
          </li>
        ),
      )}
      {hidden.length > 0 ? (
        <li className="flex flex-wrap items-center justify-between gap-3 px-4 py-2.5">
          <span className="text-ink-soft">
            {hidden.length === planned.length
              ? `All ${planned.length} steps are safe.`
              : `The other ${hidden.length} of ${planned.length} steps are safe.`}
          </span>
          <Button size="small" onClick={() => setAll(true)}>
            Show all steps
          </Button>
        </li>
      ) : null}
      {own.map((step) => (
        <li key={step.id}>
          <div className="flex items-center gap-3 px-4 py-2.5">
            <StateIcon state={step.status} />
            <span className="min-w-0 flex-1">
              <MarkedText text={step.summary} />
            </span>
            <Written step={step} rows={null} />
            <Duration step={step} />
          </div>
          <StepError step={step} />
        </li>
      ))}
    </ol>
  );
}

/** With more steps than this, safe ones are hidden until somebody asks for them, unless they run or failed. */
const shownMax = 20;

function isHidden(step: PlannedStep, measures: PlanMeasures | null): boolean {
  const status = step.state?.status;
  return step.class === "safe" && !blocked(measures, step.id) && status !== "running" && status !== "failed";
}

/** The name of the schema is left out: it is the same in every statement, and only makes them longer. */
function sqlOf(step: ProposedPlan["steps"][number]): string {
  const sql = step.kind === "verify" ? `${step.count}\n\n${step.sample}` : step.sql;
  return sql.replaceAll("{schema}.", "");
}

function measureOf(measures: PlanMeasures | null, stepId: string): StepMeasure | null {
  return measures?.steps.find((one) => one.stepId === stepId) ?? null;
}

function blocked(measures: PlanMeasures | null, stepId: string): boolean {
  const violators = measureOf(measures, stepId)?.violators;
  return violators != null && violators.count !== 0;
}

function StateIcon({ state }: { state: StepState }) {
  const { Icon, look, word } = icons[state];
  return <Icon className={`size-4 shrink-0 ${look}`} aria-label={word} role="img" />;
}

/** The progress of a step that fills rows. */
function Written({ step, rows }: { step: DeploymentStep | null; rows: string | null }) {
  if (step?.rows == null || step.status === "pending") return null;
  const of = step.status === "running" && rows !== null ? ` of ${rows}` : "";
  return (
    <span className="text-xs text-ink-soft tabular-nums">
      {step.rows.toLocaleString("en")}
      {of} {step.rows === 1 && of === "" ? "row" : "rows"} written
    </span>
  );
}

function Duration({ step }: { step: DeploymentStep | null }) {
  if (!step?.startedAt || !step.finishedAt) return null;
  const ms = new Date(step.finishedAt).getTime() - new Date(step.startedAt).getTime();
  return <span className="text-xs text-ink-soft tabular-nums">{durationText(ms)}</span>;
}

function StepError({ step }: { step: DeploymentStep | null }) {
  return step?.error ? <p className="bg-bad-soft px-4 py-2.5 pl-11 text-[0.8125rem] text-bad">{step.error}</p> : null;
}
