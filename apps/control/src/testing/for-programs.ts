// The procedures that a token for programs can call. For tests only.

/** What a token for programs can do. Everything else is for people, also everything that is added later. */
export const forPrograms: readonly string[] = [
  "blueprints.current",
  "blueprints.format",
  "blueprints.get",
  "blueprints.list",
  "blueprints.templates",
  "blueprints.validate",
  "deployments.get",
  "deployments.list",
  "environments.compare",
  "environments.list",
  "environments.promote",
  "me.get",
  "projects.get",
  "projects.list",
  "projects.status",
  "proposals.create",
  "proposals.createFromVersion",
  "proposals.get",
  "proposals.list",
  "proposals.preview",
  "proposals.renew",
  "proposals.timeline",
  "tokens.revokeOwn",
];
