// The expected effect of a promotion. In: the versions that two environments have served, and the lineage of the source. Out: a
// standing, and the version at which the two were last alike. It never reads a text.
import type { Change } from "@plinth/blueprint";
import type { Standing } from "./api.ts";
import type { ServedVersion } from "./store.ts";

export interface Judged {
  readonly standing: Standing;
  /** If the target has something that the source lacks: the target's last version in the source's lineage, if any. */
  readonly lastAlike: ServedVersion | null;
}

/**
 * @param served The versions that each environment has served, newest first.
 * @param lineage The versions that each live version was made from.
 */
export function judge(
  served: { readonly from: readonly ServedVersion[]; readonly to: readonly ServedVersion[] },
  lineage: { readonly from: ReadonlySet<string>; readonly to: ReadonlySet<string> },
): Judged {
  const [source] = served.from;
  const [target] = served.to;
  if (source === undefined) return { standing: "nothing_live", lastAlike: null };
  if (target === undefined) return { standing: "ready", lastAlike: null };
  if (source.hash === target.hash) return { standing: "same", lastAlike: null };
  const inSource = (version: ServedVersion): boolean => hasIn(lineage.from, version);
  if (inSource(target)) return { standing: "ready", lastAlike: null };
  const lastAlike = served.to.find(inSource) ?? null;
  return { standing: hasIn(lineage.to, source) ? "behind" : "diverged", lastAlike };
}

function hasIn(lineage: ReadonlySet<string>, { hash, modelHash }: ServedVersion): boolean {
  return lineage.has(hash) || lineage.has(modelHash);
}

/**
 * The target's own changes that a promotion would change again.
 * @param own Changes of the target since the two were alike.
 * @param promoted Changes from the target to the source.
 */
export function undone(own: readonly Change[], promoted: readonly Change[]): readonly Change[] {
  return own.filter(({ path }) =>
    promoted.some((change) => isWithin(path, change.path) || isWithin(change.path, path)),
  );
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}
