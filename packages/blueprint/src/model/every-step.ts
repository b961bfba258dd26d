// In: steps. Out: these steps and all steps inside them, in order.
import type { Step } from "./background.ts";

export function everyStep(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => [
    step,
    ...(step.onError.kind === "steps" ? everyStep(step.onError.steps) : []),
    ...everyStep(step.compensate),
  ]);
}
