// The two versions that the comparison begins with. In: the versions, newest first, and the live one. Out: what the last deployment changed;
// if there was only one deployment, the newest other text against the live one. Pure.
import type { ProposalSummary } from "@plinth/control/router";

type Version = Pick<ProposalSummary, "versionId" | "state">;

/** @returns Ids of versions; empty texts where there are too few. */
export function firstComparison(
  versions: readonly Version[],
  live: string | null,
): { readonly from: string; readonly to: string } {
  const before = versions.find(({ state, versionId }) => state === "replaced" && versionId !== live);
  if (live !== null && before !== undefined) return { from: before.versionId, to: live };
  const to = versions.find(({ versionId }) => versionId !== live)?.versionId ?? "";
  return { from: live ?? versions.find(({ versionId }) => versionId !== to)?.versionId ?? "", to };
}
