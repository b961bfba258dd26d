// Proposals: what a new blueprint would change, and whether an owner agrees. In: a text, or a decision with the hash
// that was shown. Out: proposals. It never approves anything but the very diff and plan that were shown.
import { checkBlueprint, diffModels } from "@plinth/blueprint";
import { hashOf, newId } from "@plinth/bundle";
import { compileModel, planMigration } from "@plinth/compiler";
import { hasErrors, liveModelOf } from "../blueprints/service.ts";
import type { BlueprintStore } from "../blueprints/store.ts";
import { notFound, refuse, refuseBlueprint } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { Proposal, ProposalSummary } from "./api.ts";
import { proposalHash } from "./hash.ts";
import { isStale, type ProposalRecord, type ProposalStore } from "./store.ts";

export interface ProposalService {
  create(by: Person, project: ProjectAccess, text: string): Promise<Proposal>;
  get(proposalId: string): Promise<Proposal>;
  list(project: ProjectAccess): Promise<readonly ProposalSummary[]>;
  approve(by: Person, proposalId: string, hash: string): Promise<Proposal>;
  reject(by: Person, proposalId: string): Promise<Proposal>;
}

export const STALE = "Something else has gone live since this proposal was made. Propose the change again.";

export function createProposalService(store: ProposalStore, blueprints: BlueprintStore): ProposalService {
  const get = async (proposalId: string): Promise<Proposal> => {
    const record = await store.get(proposalId);
    if (record === null) throw notFound("proposal");
    return shown(record);
  };
  return {
    get,
    list: (project) => store.list(project.id),

    create: async (by, project, text) => {
      const { model, diagnostics } = checkBlueprint(text);
      if (model === null || hasErrors(diagnostics)) throw refuseBlueprint(diagnostics);
      const live = project.live === null ? null : await blueprints.get(project.live.versionId);
      const liveBundle = project.live === null ? null : await store.bundleOf(project.live.deploymentId);
      const diff = diffModels(live === null ? null : liveModelOf(live.text), model);
      const bundle = compileModel(model);
      const { plan, refused } = planMigration(liveBundle?.tables ?? null, bundle.tables);
      const base = project.live;
      const id = newId("prp");
      await store.insert({
        id,
        projectId: project.id,
        version: {
          id: newId("ver"),
          projectId: project.id,
          text,
          hash: hashOf(text),
          modelHash: hashOf(model),
          createdBy: by.id,
        },
        base,
        diagnostics,
        diff,
        plan,
        refused,
        bundle,
        bundleHash: hashOf(bundle),
        hash: proposalHash({ base: base?.bundleHash ?? null, text, diff, plan, refused, bundle }),
        createdBy: by.id,
      });
      return get(id);
    },

    approve: async (by, proposalId, hash) => {
      await store.decide(proposalId, by.id, (proposal, project) => {
        if (proposal.status !== "open") throw refuse("CONFLICT", `The proposal is ${proposal.status} already.`);
        if (isStale(proposal, project.live_deployment_id)) throw refuse("CONFLICT", STALE);
        if (proposal.hash !== hash) {
          throw refuse("CONFLICT", "This is not the change that was shown. Look at the proposal again.");
        }
        if (proposal.refused.length > 0) {
          const reasons = proposal.refused.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
          throw refuse("PRECONDITION_FAILED", `Part of the change can't be migrated. ${reasons}`);
        }
        return "approved";
      });
      return get(proposalId);
    },

    reject: async (by, proposalId) => {
      await store.decide(proposalId, by.id, (proposal) => {
        if (proposal.status === "open" || proposal.status === "approved") return "rejected";
        throw refuse("CONFLICT", `The proposal is ${proposal.status} already.`);
      });
      return get(proposalId);
    },
  };
}

function shown({ row, summary, text, baseText, deploymentId }: ProposalRecord): Proposal {
  return {
    ...summary,
    text,
    baseText,
    diagnostics: row.diagnostics,
    diff: row.diff,
    plan: { steps: row.plan.steps, refused: row.refused },
    deploymentId,
  };
}
