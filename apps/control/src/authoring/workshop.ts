// The only access to the language and the compiler. In: texts, with their person and organization. Out: the results of the worker
// threads. A blueprint that takes too much is refused with a diagnostic.
import type { Change, Diagnostic } from "@plinth/blueprint";
import { refuse } from "../failure.ts";
import type { OperatorLimits } from "../operator-limits.ts";
import { Busy, type Party } from "./fair-queue.ts";
import type {
  Fingerprint,
  Judged,
  Judgement,
  Limits,
  Proposal,
  Proposed,
  Shaped,
  Stored,
  ThreeTexts,
  Validated,
} from "./jobs.ts";
import type { KeptLive, KeptModel, ModelToKeep } from "./live-model.ts";
import { overBudgetDiagnostic } from "./operator-diagnostics.ts";
import { createWorkers, OverBudget } from "./workers.ts";

type Formatted = { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] };

export interface Workshop {
  validate(by: Party, text: string): Promise<Validated>;
  format(by: Party, text: string): Promise<Formatted>;
  /** The shape of the live version. */
  shape(by: Party, live: KeptLive): Promise<Shaped>;
  /** No request waits for it. Null if the text is no longer valid. @throws Busy, OverBudget */
  modelToKeep(kept: KeptModel): Promise<ModelToKeep | null>;
  /** The version of the format of stored models. */
  modelVersion(): Promise<number>;
  propose(by: Party, proposal: Omit<Proposal, "limits">): Promise<Proposed>;
  /** The consents that a proposal needs by today's rules. */
  judge(by: Party, judgement: Omit<Judgement, "limits">): Promise<Judged>;
  /** Null if they can't be compared. */
  difference(by: Party, before: KeptModel, after: KeptModel): Promise<readonly Change[] | null>;
  /** The changes of both sides in one text. Null if they can't be merged without a decision. */
  merge(by: Party, texts: ThreeTexts): Promise<string | null>;
  /** @throws Busy, OverBudget */
  fingerprint(by: Party, stored: Stored): Promise<Fingerprint>;
  stop(): Promise<void>;
}

const nobody: Party = { personId: null, organizationId: null };

const realJobs = new URL("./jobs.ts", import.meta.url);

export function createWorkshop(limits: OperatorLimits, jobs: URL = realJobs): Workshop {
  const workers = createWorkers({ budget: limits.authoring, jobs });
  const { api, callMsMax, tablesMax, bundleBytesMax, planBytesMax } = limits;
  const allowed: Limits = { api, callMsMax, tablesMax, bundleBytesMax, planBytesMax };
  /** Runs a job for a person who waits for it. */
  const runJob = async <T>(by: Party, job: string, input: object, otherwise: (error: OverBudget) => T): Promise<T> => {
    try {
      return (await workers.run(by, job, input)) as T;
    } catch (error) {
      if (error instanceof OverBudget) return otherwise(error);
      if (error instanceof Busy) {
        throw refuse(error.ownShare ? "TOO_MANY_REQUESTS" : "SERVICE_UNAVAILABLE", error.message, error);
      }
      throw error;
    }
  };
  // Otherwise the first request would wait until the language is loaded.
  workers.run(nobody, "validate", { text: "", limits: allowed }).catch(() => {});
  return {
    validate: (by, text) =>
      runJob<Validated>(by, "validate", { text, limits: allowed }, (error) => ({
        diagnostics: [overBudgetDiagnostic(error.resource)],
        model: null,
      })),
    format: (by, text) =>
      runJob<Formatted>(by, "format", { text }, (error) => ({ diagnostics: [overBudgetDiagnostic(error.resource)] })),
    shape: (by, live) =>
      runJob<Shaped>(by, "shape", live, (error) => {
        throw refuse("SERVICE_UNAVAILABLE", "Reading the live blueprint took too long. Try again shortly.", error);
      }),
    propose: (by, proposal) =>
      runJob<Proposed>(by, "propose", { ...proposal, limits: allowed }, (error) => ({
        kind: "invalid",
        diagnostics: [overBudgetDiagnostic(error.resource)],
      })),
    judge: (by, judgement) =>
      runJob<Judged>(by, "judge", { ...judgement, limits: allowed }, (error) => {
        throw refuse("SERVICE_UNAVAILABLE", "Comparing the change took too long. Try again shortly.", error);
      }),
    difference: (by, before, after) =>
      runJob<readonly Change[] | null>(by, "difference", { before, after }, () => null),
    merge: (by, texts) => runJob<string | null>(by, "merge", texts, () => null),
    fingerprint: async (by, stored) => (await workers.run(by, "fingerprint", stored)) as Fingerprint,
    modelToKeep: async (kept) => (await workers.run(nobody, "model", kept)) as ModelToKeep | null,
    modelVersion: async () => (await workers.run(nobody, "modelVersion", {})) as number,
    stop: () => workers.stop(),
  };
}
