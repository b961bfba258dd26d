// Judges stored proposals again. In: a proposal that somebody wants to approve or deploy. Out: nothing, or a refusal. A newer
// version of the service may find more in a change than the one that stored it, and the change then needs those consents too.
import { RecentMap } from "@plinth/service";
import type { Workshop } from "../authoring/workshop.ts";
import { readKeptLive } from "../blueprints/service.ts";
import type { BlueprintStore } from "../blueprints/store.ts";
import { refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import { isStale, type ProposalStore } from "./store.ts";

export interface Judge {
  /** This process has just judged the proposal with this hash. */
  judged(hash: string): void;
  /** @throws CONFLICT if the proposal would be judged more strictly today. It is stale then, and must be compared again. */
  requireCurrent(by: Person, project: ProjectAccess, proposalId: string): Promise<void>;
}

export interface JudgeOptions {
  readonly store: Pick<ProposalStore, "get" | "outdate">;
  readonly blueprints: BlueprintStore;
  readonly workshop: Pick<Workshop, "judge">;
}

/** The judgement can only change with the program, so one process judges a proposal once. */
const JUDGED_MAX = 1000;

export function createJudge({ store, blueprints, workshop }: JudgeOptions): Judge {
  const current = new RecentMap<string, true>(JUDGED_MAX);
  return {
    judged: (hash) => current.set(hash, true),

    requireCurrent: async (by, project, proposalId) => {
      const record = await store.get(proposalId);
      if (record === null || current.get(record.row.hash) === true) return;
      const { status, consents, hash } = record.row;
      const isDecidable = status === "open" || status === "approved";
      if (!isDecidable || isStale(record.row, project.live?.deploymentId ?? null)) return;
      const live = project.live === null ? null : await readKeptLive(blueprints, project.live);
      const party = { personId: by.id, organizationId: project.organizationId };
      const found = await workshop.judge(party, { text: record.text, name: project.environment.project, live });
      const missing = found.kind === "judged" ? found.consents.filter((one) => !consents.includes(one)) : [];
      if (found.kind === "judged" && missing.length === 0) return current.set(hash, true);
      if (await store.outdate(proposalId, by.id)) throw refuse("CONFLICT", whyOutdated(found.kind, missing));
    },
  };
}

function whyOutdated(kind: "judged" | "invalid" | "unreadable", missing: readonly string[]): string {
  if (kind !== "judged") return "The blueprint isn't valid any more. Compare the change again to see why.";
  const needs = `it needs a consent for each of these too: ${missing.join(", ")}.`;
  return `Plinth finds more in this change than when it was proposed: ${needs} Compare the change again.`;
}
