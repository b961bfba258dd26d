// The only door to the language and the compiler. In: texts, and whose they are. Out: what the worker threads make of them.
// A blueprint that takes too much is refused with a diagnostic.
import type { Diagnostic } from "@plinth/blueprint";
import { refuse } from "../failure.ts";
import type { OperatorLimits } from "../operator-limits.ts";
import { Busy, type Party } from "./fair-queue.ts";
import type { Fingerprint, Proposal, Proposed, Stored, Validated } from "./jobs.ts";
import type { LiveShape } from "./live-shape.ts";
import { overBudgetDiagnostic } from "./operator-diagnostics.ts";
import { createWorkers, OverBudget } from "./workers.ts";

type Formatted = { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] };

export interface Workshop {
  validate(by: Party, text: string): Promise<Validated>;
  format(by: Party, text: string): Promise<Formatted>;
  /** Null where the text is no longer understood. */
  shape(by: Party, text: string): Promise<LiveShape | null>;
  propose(by: Party, asked: Omit<Proposal, "limits">): Promise<Proposed>;
  /** @throws Busy, OverBudget */
  fingerprint(by: Party, stored: Stored): Promise<Fingerprint>;
  stop(): Promise<void>;
}

const realJobs = new URL("./jobs.ts", import.meta.url);

export function createWorkshop(limits: OperatorLimits, jobs: URL = realJobs): Workshop {
  const workers = createWorkers({ budget: limits.authoring, jobs });
  const { api, tablesMax, bundleBytesMax } = limits;
  const allowed = { api, tablesMax, bundleBytesMax };
  /** Runs a job for a person who waits for it. */
  const ask = async <T>(by: Party, job: string, input: object, otherwise: (error: OverBudget) => T): Promise<T> => {
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
  // The first request would wait for the language to be loaded.
  workers.run({ personId: null, organizationId: null }, "validate", { text: "", limits: allowed }).catch(() => {});
  return {
    validate: (by, text) =>
      ask<Validated>(by, "validate", { text, limits: allowed }, (error) => ({
        diagnostics: [overBudgetDiagnostic(error.resource)],
        model: null,
      })),
    format: (by, text) =>
      ask<Formatted>(by, "format", { text }, (error) => ({ diagnostics: [overBudgetDiagnostic(error.resource)] })),
    shape: (by, text) =>
      ask<LiveShape | null>(by, "shape", { text }, (error) => {
        throw refuse("SERVICE_UNAVAILABLE", "Reading the live blueprint took too long. Try again shortly.", error);
      }),
    propose: (by, asked) =>
      ask<Proposed>(by, "propose", { ...asked, limits: allowed }, (error) => ({
        kind: "invalid",
        diagnostics: [overBudgetDiagnostic(error.resource)],
      })),
    fingerprint: async (by, stored) => (await workers.run(by, "fingerprint", stored)) as Fingerprint,
    stop: () => workers.stop(),
  };
}
