// The steps of a change in the database, with the numbers measured on the live database. In: the proposal and its deployment. Out: the
// steps, when they were measured, and a button to measure again. It measures nothing itself.
import type { Deployment, Proposal } from "@plinth/control/router";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Time } from "../../ui/time.tsx";
import { PlanSteps } from "./plan-steps.tsx";

interface PlanCardProps {
  proposal: Proposal;
  deployment: Deployment | undefined;
  measuring: boolean;
  /** Null if the person can only read. */
  onMeasure: (() => void) | null;
}

export function PlanCard({ proposal, deployment, measuring, onMeasure }: PlanCardProps) {
  const { plan, measures, status } = proposal;
  // There is nothing to measure before the first deployment, nor after a decision about the proposal.
  const measurable =
    proposal.baseText !== null &&
    (plan.steps.length > 0 || proposal.diff.some((change) => change.referring || change.counted)) &&
    (status === "open" || status === "approved");
  return (
    <Card
      title="Steps in the database"
      description={
        plan.steps.length > 0
          ? "Each step waits only a short time for locks, and is recorded so that the deployment can be resumed."
          : null
      }
      actions={
        measurable ? (
          <>
            <span className="text-xs text-ink-soft">
              {measures ? (
                <>
                  Measured <Time at={measures.measuredAt} />
                </>
              ) : (
                "The live database could not be measured"
              )}
            </span>
            {onMeasure ? (
              <Button size="small" pending={measuring} onClick={onMeasure}>
                {measures ? "Measure again" : "Measure"}
              </Button>
            ) : null}
          </>
        ) : null
      }
      flush
    >
      {plan.steps.length > 0 || deployment ? (
        <PlanSteps plan={plan} measures={measures} progress={deployment?.steps ?? null} />
      ) : (
        <p className="p-4 text-ink-soft">
          {plan.refused.length > 0 ? "This change has no plan." : "No steps: the tables stay as they are."}
        </p>
      )}
      {measures?.destroyed?.map(({ path, records }) => (
        <p key={path} className="border-t px-4 py-2.5">
          <MarkedText text={destroyedText(path, records)} />
        </p>
      ))}
      {measures?.counted?.map(({ path, what, records }) => (
        <p key={path} className="border-t px-4 py-2.5">
          <MarkedText
            text={`\`${path}\`: ${what}: ${records === null ? "counting them took too long" : records.toLocaleString("en")}.`}
          />
        </p>
      ))}
      {measures && measurable ? (
        <p className="border-t px-4 py-2.5 text-xs text-ink-soft">
          <MarkedText text={measures.rates} />
        </p>
      ) : null}
    </Card>
  );
}

function destroyedText(path: string, records: number | null): string {
  if (records === null) return `\`${path}\`: counting the records that would be deleted took too long.`;
  const counted = records === 1 ? "1 record" : `${records.toLocaleString("en")} records`;
  return `\`${path}\`: ${counted} would be deleted together with the records that ${records === 1 ? "it refers" : "they refer"} to.`;
}
