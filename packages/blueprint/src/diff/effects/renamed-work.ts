// Finds renamed workers. In: two models. Out: the first with the new names of workers that only got another name, so
// that steps that run them are equal.
import type { Background, Step, Workflow } from "../../model/background.ts";
import type { Model } from "../../model/model.ts";
import { same } from "../make-change.ts";

export function inOldNames(before: Model, after: Model): Model {
  const names = renamedWorkers(before.background, after.background);
  if (names.size === 0) return before;
  const part = <One extends { readonly steps: readonly Step[] }>(one: One): One => ({
    ...one,
    steps: one.steps.map((step) => renamed(step, names)),
  });
  const { workers, workflows, actions, schedules } = before.background;
  return {
    ...before,
    background: {
      ...before.background,
      workers: workers.map((one) => ({ ...part(one), name: names.get(one.name) ?? one.name })),
      workflows: workflows.map(part),
      actions: actions.map(part),
      schedules: schedules.map((one) => ({ ...one, run: names.get(one.run) ?? one.run })),
    },
  };
}

function renamedWorkers({ workers: were }: Background, { workers: are }: Background): ReadonlyMap<string, string> {
  const gone = were.filter((one) => !are.some(({ name }) => name === one.name));
  const added = are.filter((one) => !were.some(({ name }) => name === one.name));
  const pairs = gone.flatMap((one): [string, string][] => {
    const found = added.find((other) => same(withoutName(one), withoutName(other)));
    return found === undefined ? [] : [[one.name, found.name]];
  });
  return new Map(pairs);
}

function withoutName({ name: _, egress: __, ...content }: Workflow): unknown {
  return content;
}

function renamed(step: Step, names: ReadonlyMap<string, string>): Step {
  const { action, onError, compensate } = step;
  const within = (steps: readonly Step[]): readonly Step[] => steps.map((one) => renamed(one, names));
  return {
    ...step,
    action: action.kind === "worker.run" ? { ...action, worker: names.get(action.worker) ?? action.worker } : action,
    onError: onError.kind === "steps" ? { kind: "steps", steps: within(onError.steps) } : onError,
    compensate: within(compensate),
  };
}
