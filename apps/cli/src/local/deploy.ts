// One change of a project's blueprint, from text to served. In: the control API, a project, a text. Out: what happened.
// What the migration refuses is told and not applied. Whoever saves the file agrees to what it loosens and breaks; data is
// dropped only where somebody says so in the console.
import { setTimeout as pause } from "node:timers/promises";
import type { Diagnostic } from "@plinth/blueprint";
import { type ControlClient, isControlError } from "../control-client.ts";

export type Deployed =
  | { readonly kind: "unchanged" }
  | { readonly kind: "deployed"; readonly changes: readonly string[]; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "invalid"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  /** The proposal stays open, for somebody to look at what it drops. */
  | { readonly kind: "undecided"; readonly proposalId: string; readonly consents: readonly string[] }
  | { readonly kind: "failed"; readonly reason: string };

const pollMs = 150;
const waitMsMax = 120_000;

export async function deploy(control: ControlClient, projectId: string, text: string): Promise<Deployed> {
  const current = await control.blueprints.current.query({ projectId });
  if (current?.text === text) return { kind: "unchanged" };
  try {
    const proposal = await control.proposals.create.mutate({ projectId, text });
    if (proposal.plan.refused.length > 0) {
      await control.proposals.reject.mutate({ proposalId: proposal.id });
      return { kind: "refused", reasons: proposal.plan.refused.map(({ path, reason }) => `${path}: ${reason}`) };
    }
    const { id: proposalId, hash, consents } = proposal;
    const drops = consents.filter((consent) => consent.startsWith("destructive "));
    if (drops.length > 0) return { kind: "undecided", proposalId, consents: drops };
    await control.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
    const { deploymentId } = await control.deployments.create.mutate({ proposalId });
    const failure = await outcomeOf(control, deploymentId);
    if (failure !== null) return { kind: "failed", reason: failure };
    const changes = proposal.diff.map((change) => change.summary);
    return { kind: "deployed", changes, diagnostics: proposal.diagnostics };
  } catch (error) {
    const diagnostics = isControlError(error) ? error.data?.diagnostics : null;
    if (diagnostics) return { kind: "invalid", diagnostics };
    throw error;
  }
}

/** Null once it is active, else what went wrong. */
async function outcomeOf(control: ControlClient, deploymentId: string): Promise<string | null> {
  const deadline = Date.now() + waitMsMax;
  for (;;) {
    const { status, error } = await control.deployments.get.query({ deploymentId });
    switch (status) {
      case "active":
      case "superseded":
        return null;
      case "failed":
        return error ?? "the migration failed";
      case "queued":
      case "received":
      case "migrating":
        if (Date.now() > deadline) return `still ${status} after ${waitMsMax / 1000} s`;
        await pause(pollMs);
    }
  }
}
