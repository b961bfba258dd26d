// Adds the data that leaves through workers. In: background work, with the data that leaves through its own steps. Out:
// the same, with the data that leaves through the workers that it calls.
import type { Background, Egress, Step } from "../model/background.ts";
import { everyStep } from "../model/every-step.ts";
import { distinct } from "./context.ts";

interface Part {
  readonly steps: readonly Step[];
  readonly egress: readonly Egress[];
}

export function withEgressOfWorkers(background: Background): Background {
  let { workers } = background;
  // Workers call workers: each pass follows one more call.
  for (let pass = 0; pass < background.workers.length; pass++) {
    const next = workers.map((worker) => widened(worker, worker.entity, workers));
    const isSame = next.every((worker, at) => worker.egress.length === workers[at]?.egress.length);
    workers = next;
    if (isSame) break;
  }
  return {
    ...background,
    workers,
    workflows: background.workflows.map((one) => widened(one, one.entity, workers)),
    actions: background.actions.map((one) => widened(one, null, workers)),
  };
}

function widened<One extends Part>(part: One, entity: string | null, workers: Background["workers"]): One {
  const called = new Set(
    everyStep(part.steps).flatMap(({ action }) => (action.kind === "worker.run" ? action.worker : [])),
  );
  if (called.size === 0) return part;
  const through = workers
    .filter(({ name }) => called.has(name))
    .flatMap(({ egress }) => egress.map((one) => ({ ...one, entity: entity ?? one.entity })));
  return { ...part, egress: distinct([...part.egress, ...through]) };
}
