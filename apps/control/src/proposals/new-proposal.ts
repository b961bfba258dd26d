// A new proposal in the database. In: a proposal that was prepared. Out: its row, and the open proposal that already says the same.
// It never changes a row.
import { type Insertable, sql } from "kysely";
import type { NewVersion } from "../blueprints/store.ts";
import type { Connection, ProposalsTable } from "../database/tables.ts";
import type { PlanMeasures, PromotedFrom } from "./api.ts";

export interface NewProposal {
  readonly id: string;
  readonly projectId: string;
  readonly version: NewVersion;
  readonly base: { readonly versionId: string; readonly deploymentId: string; readonly bundleHash: string } | null;
  readonly diagnostics: ProposalsTable["diagnostics"]["__select__"];
  readonly diff: ProposalsTable["diff"]["__select__"];
  readonly plan: ProposalsTable["plan"]["__select__"];
  readonly refused: ProposalsTable["refused"]["__select__"];
  /** As JSON. */
  readonly bundle: string;
  readonly bundleHash: string;
  readonly title: string;
  /** The name of the project after it is live. Null if it doesn't change. */
  readonly name: string | null;
  readonly fromVersionId: string | null;
  readonly promotion: Promotion | null;
  readonly author: ProposalsTable["author"];
  readonly aiParts: readonly string[];
  /** What a program wrote in this change, to recognize it later. */
  readonly written: { readonly rootId: string; readonly hashes: readonly string[] } | null;
  readonly consents: readonly string[];
  readonly losses: readonly string[];
  readonly measures: PlanMeasures | null;
  readonly hash: string;
  readonly createdBy: string;
}

/** The live version of another environment, proposed here. */
export interface Promotion {
  readonly from: PromotedFrom;
  /** Hashes of the versions that it was made from. See `lineage.ts` in environments. */
  readonly lineage: readonly string[];
}

export async function openTwin(trx: Connection, proposal: NewProposal, versionId: string): Promise<string | null> {
  const row = await trx
    .selectFrom("proposals")
    .select("id")
    .where("project_id", "=", proposal.projectId)
    .where("version_id", "=", versionId)
    .where("base_deployment_id", "is not distinct from", proposal.base?.deploymentId ?? null)
    .where("from_version_id", "is not distinct from", proposal.fromVersionId)
    .where(sql`promoted_from::text`, "is not distinct from", promotedFrom(proposal))
    .where("created_by", "=", proposal.createdBy)
    .where("author", "=", proposal.author)
    // A proposal with another title is another proposal.
    .where("title", "=", proposal.title)
    .where("status", "=", "open")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

export function insertion(proposal: NewProposal, versionId: string, number: number): Insertable<ProposalsTable> {
  return {
    id: proposal.id,
    number,
    title: proposal.title,
    project_id: proposal.projectId,
    version_id: versionId,
    base_version_id: proposal.base?.versionId ?? null,
    base_deployment_id: proposal.base?.deploymentId ?? null,
    base_bundle_hash: proposal.base?.bundleHash ?? null,
    from_version_id: proposal.fromVersionId,
    promoted_from: promotedFrom(proposal),
    promoted_lineage: proposal.promotion === null ? null : JSON.stringify(proposal.promotion.lineage),
    diagnostics: JSON.stringify(proposal.diagnostics),
    diff: JSON.stringify(proposal.diff),
    plan: JSON.stringify(proposal.plan),
    refused: JSON.stringify(proposal.refused),
    bundle: proposal.bundle,
    bundle_hash: proposal.bundleHash,
    name: proposal.name,
    author: proposal.author,
    ai_parts: JSON.stringify(proposal.aiParts),
    consents: JSON.stringify(proposal.consents),
    losses: JSON.stringify(proposal.losses),
    measures: proposal.measures === null ? null : JSON.stringify(proposal.measures),
    hash: proposal.hash,
    status: "open",
    created_by: proposal.createdBy,
    approved_by: null,
    approved_at: null,
  };
}

/** As JSON. */
function promotedFrom({ promotion }: NewProposal): string | null {
  return promotion === null ? null : JSON.stringify(promotion.from);
}
