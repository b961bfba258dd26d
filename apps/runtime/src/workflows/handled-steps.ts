// Finds the failed steps whose failure was handled: the run has gone on after them. In: the definition's steps, and the
// state of the run's steps by path. Out: paths. A retry must not repeat these steps: a payment that was refused and
// then made in another way would be made twice.
import type { BundleStep } from "@plinth/bundle";
import type { StepStatus } from "@plinth/service";

/** @param from The step from which somebody retries the run: its handler is repeated, and not the step itself. */
export function handledSteps(
  steps: readonly BundleStep[],
  states: ReadonlyMap<string, StepStatus>,
  from: string | null,
): readonly string[] {
  const isHandled = (path: string): boolean => {
    const { onError } = stepAt(steps, path) ?? { onError: { kind: "fail" } as const };
    switch (onError.kind) {
      case "fail":
        return false;
      case "continue":
        return true;
      case "steps": {
        const handler = `${path}/on_error/`;
        // As soon as one of its steps is completed, the handler continues with the others.
        const began = (at: string): boolean => at.startsWith(handler) && states.get(at) === "completed";
        return (
          from?.startsWith(handler) === true ||
          [...states.keys()].some(began) ||
          onError.steps.every(({ id }) => isPassed(`${handler}${id}`))
        );
      }
    }
  };
  const isPassed = (path: string): boolean => {
    const state = states.get(path);
    return state === "completed" || state === "skipped" || (state === "failed" && isHandled(path));
  };
  return [...states].flatMap(([path, state]) => (state === "failed" && isHandled(path) ? [path] : []));
}

/** The step with this path, which may be that of a list member. Null for steps that undo others. */
function stepAt(steps: readonly BundleStep[], path: string): BundleStep | null {
  const [own = "", ...rest] = path.split("/on_error/");
  const step = steps.find(({ id }) => id === own.replace(/\/\d+$/, ""));
  if (step === undefined || rest.length === 0) return step ?? null;
  return step.onError.kind === "steps" ? stepAt(step.onError.steps, rest.join("/on_error/")) : null;
}
