// Computes until when a step waits. In: the moment, and the context of its expression. Out: a time in ms since the epoch.
import type { Moment } from "@plinth/bundle";
import { type EvaluationContext, evaluateValue, namedValue } from "@plinth/expression";
import { StepFailed } from "./step-failed.ts";

/** @throws StepFailed, final: there is no such time. */
export function timeOfMoment({ time, shiftMs }: Moment, context: EvaluationContext): number {
  const value = namedValue(time, context) ?? evaluateValue(time, context);
  // A date means its beginning in UTC.
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(ms)) return ms + shiftMs;
  const message = value === null ? "The time of the delay is empty." : "The value for the delay is not a time.";
  throw new StepFailed("invalid_value", message, { isFinal: true });
}
