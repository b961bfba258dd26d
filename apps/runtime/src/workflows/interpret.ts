// Executes a claimed run to its end, or until it has to wait. In: the run and its definition. Out: the run has ended,
// or is parked until it is due again. If it fails or is cancelled, its completed steps are compensated.
import type { Interpreting } from "./interpreting.ts";
import { type Outcome, soonest } from "./outcome.ts";
import { finalOf } from "./retry.ts";
import { type Held, RunCancelled, type RunResult } from "./run-store.ts";
import { Walk } from "./walk.ts";

/** @throws ClaimLost. */
export async function interpret(interpreting: Interpreting): Promise<void> {
  const { claimed, store, steps, deadlineMs } = interpreting;
  const held = { runId: claimed.run.id, fence: claimed.fence };
  const walk = new Walk(interpreting);
  const outcome = await outcomeOf(interpreting, walk);
  switch (outcome.kind) {
    case "parked":
      return store.park(held, soonest(outcome.dueAtMs, deadlineMs));
    case "ended":
      return;
    case "done": {
      const result = resultOf(interpreting, walk);
      return result.status === "completed" ? store.end(held, result) : endBadly(interpreting, held, result);
    }
    case "attention":
      return endBadly(interpreting, held, { status: "needs_attention", output: null, error: outcome.error });
    case "failed":
    case "cancelled": {
      const undone = await walk.compensate(steps);
      if (undone.kind === "parked") return store.park(held, undone.dueAtMs);
      // When a person has said how the call ended, the run returns here, and the remaining steps are compensated.
      if (undone.kind === "attention") {
        return endBadly(interpreting, held, { status: "needs_attention", output: null, error: undone.error });
      }
      // What was done is neither complete nor undone: a person must know.
      if (undone.kind === "failed") {
        return endBadly(interpreting, held, { status: "undo_failed", output: null, error: undone.error });
      }
      if (outcome.kind === "cancelled") return store.end(held, { status: "cancelled", output: null, error: null });
      return endBadly(interpreting, held, { status: "failed", output: null, error: outcome.error });
    }
  }
}

/** Whoever listens is told, in the same transaction. */
async function endBadly(interpreting: Interpreting, held: Held, result: RunResult): Promise<void> {
  const { store, claimed, tells, onFailure } = interpreting;
  const { status, error } = result;
  const name = status === "failed" ? "run.failed" : "run.needs_attention";
  const { id, workflow, kind } = claimed.run;
  const code = error?.code ?? "unknown";
  const data = { run_id: id, workflow, kind, ...(status === "failed" ? {} : { status }), code };
  await store.end(held, result, tells(name) ? { name, data, run: claimed.run } : null);
  onFailure(result);
}

async function outcomeOf({ claimed, steps, deadlineMs, now }: Interpreting, walk: Walk): Promise<Outcome> {
  if (claimed.isCancelled) return { kind: "cancelled" };
  if (deadlineMs !== null && deadlineMs <= now()) {
    return { kind: "failed", error: { code: "timeout", message: "The run took longer than its `timeout`." } };
  }
  try {
    return (await walk.findRecord()) ?? (await walk.through(steps, "", { endsRun: true }));
  } catch (error) {
    if (error instanceof RunCancelled) return { kind: "cancelled" };
    return { kind: "failed", error: finalOf(error) };
  }
}

function resultOf({ output }: Interpreting, walk: Walk): RunResult {
  try {
    return { status: "completed", output: output(walk.context()), error: null };
  } catch (error) {
    return { status: "failed", output: null, error: finalOf(error) };
  }
}
