// Renewals of stale proposals. In: a stale proposal. Out: another proposal, compared with the version that is live now. A renewal
// never takes back a change that went live in between without saying so: it keeps both changes, or it is refused.
import { TRPCError } from "@trpc/server";
import type { Workshop } from "../authoring/workshop.ts";
import type { BlueprintStore } from "../blueprints/store.ts";
import type { EnvironmentService } from "../environments/service.ts";
import { refuse } from "../failure.ts";
import type { Access, ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { PromotedFrom, Proposal } from "./api.ts";
import type { ProposalService } from "./service.ts";
import { titleOf } from "./title.ts";

export interface Renewal {
  /** Refuses a proposal that isn't stale. */
  renew(by: Person, project: ProjectAccess, proposalId: string): Promise<Proposal>;
}

export interface RenewalOptions {
  readonly proposals: Pick<ProposalService, "get" | "create" | "createFromVersion">;
  readonly environments: Pick<EnvironmentService, "promote">;
  readonly blueprints: Pick<BlueprintStore, "live">;
  readonly access: Pick<Access, "project">;
  readonly workshop: Pick<Workshop, "merge">;
}

const CONFLICT =
  "A change that went live since then has changed the same lines. Edit the blueprint of this proposal, and update the draft: the console shows both sides.";

export function createRenewal(options: RenewalOptions): Renewal {
  const { proposals } = options;
  return {
    renew: async (by, project, proposalId) => {
      const stale = await proposals.get(proposalId);
      const { status, promotedFrom, fromVersionId, author } = stale;
      if (status !== "stale") throw refuse("CONFLICT", `The proposal is ${status}, so there is nothing to renew.`);
      if (promotedFrom !== null) return promoteAgain(options, by, project, promotedFrom);
      if (fromVersionId !== null) return proposals.createFromVersion(by, project, fromVersionId);
      const text = await merged(options, by, project, stale);
      return proposals.create(by, project, { text, title: ownTitle(stale), isByAi: author === "ai" });
    },
  };
}

/** It may find another version there. It is refused if the target has a change of its own by now. */
async function promoteAgain(
  { access, environments }: RenewalOptions,
  by: Person,
  to: ProjectAccess,
  { environmentId, name }: PromotedFrom,
): Promise<Proposal> {
  const from = await access.project(by, environmentId, "read").catch((error: unknown) => {
    if (!(error instanceof TRPCError && error.code === "NOT_FOUND")) throw error;
    throw refuse("PRECONDITION_FAILED", `The environment ${name} doesn't exist any more. Promote from another.`, error);
  });
  return environments.promote(by, to, from, false);
}

/** Three texts: the one that was live at that time, the proposed one, and the one that is live now. */
async function merged(
  { blueprints, workshop }: RenewalOptions,
  by: Person,
  project: ProjectAccess,
  { text, baseText }: Proposal,
): Promise<string> {
  const live = await blueprints.live(project.id);
  if (live === null) return text;
  const party = { personId: by.id, organizationId: project.organizationId };
  const both = await workshop.merge(party, { base: baseText ?? "", mine: text, theirs: live.text });
  if (both === null) throw refuse("CONFLICT", CONFLICT);
  return both;
}

/** Undefined for a title that the old comparison gave: the new comparison gives another. */
function ownTitle({ title, diff, baseVersionId }: Proposal): string | undefined {
  return title === titleOf(diff, baseVersionId === null) ? undefined : title;
}
