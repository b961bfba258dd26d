// How an environment is called. In: a project's name and an environment's. Out: the one name that a cell and its clients use.
// A project's own name has no two hyphens in a row, so no other project can have the name of an environment.

/** What every project begins with, and what clients reach by the project's name alone. */
export const PRODUCTION = "production" as const;

export interface EnvironmentName {
  readonly project: string;
  /** `production` where the name is the project's own. */
  readonly environment: string;
}

const SEPARATOR = "--";

export function slugOfEnvironment({ project, environment }: EnvironmentName): string {
  return environment === PRODUCTION ? project : `${project}${SEPARATOR}${environment}`;
}

export function environmentOfSlug(slug: string): EnvironmentName {
  const at = slug.indexOf(SEPARATOR);
  if (at === -1) return { project: slug, environment: PRODUCTION };
  return { project: slug.slice(0, at), environment: slug.slice(at + SEPARATOR.length) };
}
