// What a change does to the database, and what the live one says about it. In: the proposal and its deployment. Out: the steps,
// where their numbers come from, and the way to ask anew. It measures nothing itself.
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
  /** Null for whoever may only read. */
  onMeasure: (() => void) | null;
}

export function PlanCard({ proposal, deployment, measuring, onMeasure }: PlanCardProps) {
  const { plan, measures, status } = proposal;
  // Before anything is live there is nothing to measure; afterwards the numbers are history.
  const measurable =
    proposal.baseText !== null &&
    (plan.steps.length > 0 || proposal.diff.some((change) => change.referring || change.counted)) &&
    (status === "open" || status === "approved");
  return (
    <Card
      title="What runs in the database"
      description={
        plan.steps.length > 0
          ? "Each step runs under a short lock limit and is recorded, so that it can be resumed."
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
                "The live database could not be asked"
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
          {plan.refused.length > 0 ? "No plan can be made for this change." : "Nothing: the tables stay as they are."}
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
  if (records === null) return `\`${path}\`: counting the records that stand to be destroyed took too long.`;
  const counted = records === 1 ? "1 record stands" : `${records.toLocaleString("en")} records stand`;
  return `\`${path}\`: ${counted} to be destroyed with what ${records === 1 ? "it refers" : "they refer"} to.`;
}
