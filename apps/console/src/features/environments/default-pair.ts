// The two environments that are compared first. In: the environments, and the environment of the open page. Out: a source and a target.
import type { EnvironmentSummary } from "@plinth/control/router";

const steps = ["development", "preview", "production"] as const;

/** From the open environment to the next one; on the page of production, from the environment before it. */
export function defaultPair(
  environments: readonly EnvironmentSummary[],
  projectId: string,
): { readonly from: string; readonly to: string } {
  const here = environments.find(({ id }) => id === projectId);
  const production = environments.find(({ kind }) => kind === "production")?.id ?? projectId;
  if (here === undefined || here.kind === "production") {
    const before = environments.filter(({ kind, live }) => kind !== "production" && live !== null);
    const from =
      before.find(({ kind }) => kind === "preview") ?? before[0] ?? environments.find(({ id }) => id !== production);
    return { from: from?.id ?? production, to: production };
  }
  const next = environments.filter(({ kind }) => kind === steps[steps.indexOf(here.kind) + 1]);
  return { from: here.id, to: next.length === 1 && next[0] ? next[0].id : production };
}
