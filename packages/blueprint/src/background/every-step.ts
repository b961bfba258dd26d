// In: steps. Out: them and all steps within them, in order.
import type { Step } from "../model/background.ts";

export function everyStep(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => [
    step,
    ...(step.onError.kind === "steps" ? everyStep(step.onError.steps) : []),
    ...everyStep(step.compensate),
  ]);
}
