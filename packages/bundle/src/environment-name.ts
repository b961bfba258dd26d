// Names of environments. In: a project's name and an environment's. Out: the one name that a cell and its clients use.
// A project's name never has two hyphens in a row, so it can't equal the name of an environment.

/** The environment that every project starts with. The project's name alone means it. */
export const PRODUCTION = "production" as const;

export interface EnvironmentName {
  readonly project: string;
  /** `production` if the name is the project's own. */
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
