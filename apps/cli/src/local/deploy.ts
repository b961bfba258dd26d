// Deploys one change of a project's blueprint. In: the control API, a project, a text. Out: the result. Refusals of the migration
// and violating records are reported, and nothing is deployed. A save counts as consent to looser rules and breaking changes;
// dropping data needs a consent in the console.
import { setTimeout as pause } from "node:timers/promises";
import type { BlockedField, Change, Diagnostic } from "@plinth/blueprint";
import { type ControlClient, isControlError } from "../control-client.ts";
import { blockedFieldsOf, type Refusal, type Violation, violationsOf } from "../print-refusals.ts";

export type Deployed =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "deployed";
      readonly changes: readonly Change[];
      /** Warnings. */
      readonly diagnostics: readonly Diagnostic[];
      /** The failure of a step after the switch. The new version is served nevertheless. */
      readonly unfinished: string | null;
    }
  | { readonly kind: "invalid"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "refused"; readonly reasons: readonly Refusal[] }
  | { readonly kind: "violated"; readonly violations: readonly Violation[]; readonly fields: readonly BlockedField[] }
  /** The proposal stays open, so that a person can see what it drops. */
  | { readonly kind: "undecided"; readonly proposalId: string; readonly drops: readonly Change[] }
  | { readonly kind: "failed"; readonly reason: string };

const pollMs = 150;
const waitMsMax = 120_000;

export async function deploy(control: ControlClient, projectId: string, text: string): Promise<Deployed> {
  await untilIdle(control, projectId);
  const current = await control.blueprints.current.query({ projectId });
  if (current?.text === text) return { kind: "unchanged" };
  try {
    const proposal = await control.proposals.create.mutate({ projectId, text });
    if (proposal.plan.refused.length > 0) {
      await control.proposals.reject.mutate({ proposalId: proposal.id });
      return { kind: "refused", reasons: proposal.plan.refused };
    }
    const measures = proposal.measures?.steps ?? [];
    const violations = violationsOf(proposal.plan.steps, measures);
    if (violations.length > 0) {
      await control.proposals.reject.mutate({ proposalId: proposal.id });
      const fields = blockedFieldsOf(proposal.plan.steps, measures, proposal.diff, text);
      return { kind: "violated", violations, fields };
    }
    const { id: proposalId, hash, consents } = proposal;
    const drops = proposal.diff.filter(({ classes }) => classes.includes("destructive"));
    if (drops.length > 0) return { kind: "undecided", proposalId, drops };
    await control.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
    const { deploymentId } = await control.deployments.create.mutate({ proposalId });
    const { active, error } = await outcomeOf(control, deploymentId);
    if (!active) return { kind: "failed", reason: error ?? "the migration failed" };
    return { kind: "deployed", changes: proposal.diff, diagnostics: proposal.diagnostics, unfinished: error };
  } catch (error) {
    const diagnostics = isControlError(error) ? error.data?.diagnostics : null;
    if (diagnostics) return { kind: "invalid", diagnostics };
    // Somebody was faster, in the console for example.
    if (isControlError(error) && error.data?.code === "CONFLICT") return { kind: "failed", reason: error.message };
    throw error;
  }
}

/** A deployment that was started in the console, or that continues after a stop, ends first. */
async function untilIdle(control: ControlClient, projectId: string): Promise<void> {
  const deployments = await control.deployments.list.query({ projectId });
  const running = deployments.find(({ finishedAt }) => finishedAt === null);
  if (running !== undefined) await outcomeOf(control, running.id);
}

/** Waits for the end of the deployment. Returns whether it is live, and its error. */
export async function outcomeOf(
  control: ControlClient,
  deploymentId: string,
): Promise<{ readonly active: boolean; readonly error: string | null }> {
  const deadline = Date.now() + waitMsMax;
  for (;;) {
    const { status, error, finishedAt } = await control.deployments.get.query({ deploymentId });
    const late = Date.now() > deadline;
    switch (status) {
      case "superseded":
        return { active: true, error: null };
      case "active":
        if (finishedAt !== null || error !== null || late) return { active: true, error };
        break;
      case "failed":
        return { active: false, error };
      case "queued":
      case "received":
      case "migrating":
        if (late) return { active: false, error: `still ${status} after ${waitMsMax / 1000} s` };
    }
    await pause(pollMs);
  }
}
