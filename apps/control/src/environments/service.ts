// Environments of a project, and promotions between them. In: an environment that the caller can see or change. Out:
// environments, the effect of a promotion, proposals. It approves nothing except the first blueprint of an environment that it
// has just created, and never copies a key, a connection or a record.
import type { Change } from "@plinth/blueprint";
import { newId } from "@plinth/bundle";
import type { Logger } from "@plinth/service";
import { TRPCError } from "@trpc/server";
import type { Workshop } from "../authoring/workshop.ts";
import type { CellStore } from "../cells/store.ts";
import type { DeploymentService } from "../deployments/service.ts";
import { notFound, refuse } from "../failure.ts";
import type { KeyService } from "../keys/service.ts";
import type { Access, ProjectAccess } from "../organizations/access.ts";
import { allows } from "../organizations/rights.ts";
import type { Person } from "../people/auth.ts";
import type { EnvironmentKind, EnvironmentSummary } from "../projects/api.ts";
import type { DeletionService } from "../projects/deletion.ts";
import type { ProjectStore } from "../projects/store.ts";
import type { Proposal } from "../proposals/api.ts";
import type { Promotion } from "../proposals/new-proposal.ts";
import type { ProposalService } from "../proposals/service.ts";
import type { ComparedEnvironment, Comparison, CreatedEnvironment, Standing } from "./api.ts";
import { judge, undone } from "./standing.ts";
import type { EnvironmentStore, ServedVersion } from "./store.ts";

export interface WantedEnvironment {
  readonly kind: Exclude<EnvironmentKind, "production">;
  readonly name: string;
  readonly empty: boolean;
}

export interface EnvironmentService {
  list(project: ProjectAccess): Promise<readonly EnvironmentSummary[]>;
  create(by: Person, from: ProjectAccess, wanted: WantedEnvironment): Promise<CreatedEnvironment>;
  delete(by: Person, environment: ProjectAccess): Promise<{ deleted: true }>;
  compare(by: Person, to: ProjectAccess, from: ProjectAccess): Promise<Comparison>;
  promote(by: Person, to: ProjectAccess, from: ProjectAccess, overwrite: boolean): Promise<Proposal>;
}

export interface EnvironmentServiceOptions {
  readonly store: EnvironmentStore;
  readonly projects: ProjectStore;
  readonly cellStore: CellStore;
  readonly deletion: Pick<DeletionService, "removeEnvironment">;
  readonly workshop: Workshop;
  readonly access: Access;
  readonly proposals: ProposalService;
  readonly deployments: DeploymentService;
  readonly keys: KeyService;
  readonly logger: Logger;
  /** Environments in addition to production. */
  readonly environmentsMax: number;
}

export function createEnvironmentService(options: EnvironmentServiceOptions): EnvironmentService {
  const { store, projects, proposals } = options;
  return {
    list: (project) => projects.environments(project.environment.projectId),

    create: async (by, from, wanted) => {
      const id = await insert(options, by, from, wanted);
      const created = await options.access.project(by, id, "write");
      const [served] = wanted.empty ? [] : await store.served(from.id);
      const started = served === undefined ? NOTHING : await begin(options, by, created, from, served);
      const key = allows(created.role, KEYS_LEVEL) ? await firstKey(options, by, created) : null;
      const { slug, environment, createdAt } = created;
      const { kind, name } = environment;
      return { id, slug, kind, name, createdAt: createdAt.toISOString(), live: null, ...started, key };
    },

    delete: async (by, environment) => {
      await options.deletion.removeEnvironment(by, environment);
      return { deleted: true };
    },

    compare: async (by, to, from) => {
      requireSiblings(to, from);
      const { source, target, standing, changes, takenBack } = await look(options, by, to, from);
      return { from: compared(from, source), to: compared(to, target), standing, changes, takenBack };
    },

    promote: async (by, to, from, overwrite) => {
      requireSiblings(to, from);
      const { source, standing, lineage, takenBack } = await look(options, by, to, from);
      if (source === undefined) throw refuse("PRECONDITION_FAILED", nothingLive(from));
      if (standing === "same") throw refuse("PRECONDITION_FAILED", `${nameOf(to)} already serves the same blueprint.`);
      const takesBack = takenBack.map(({ summary }) => summary);
      const loses = standing === "diverged" || standing === "behind";
      if (loses && !overwrite) throw refuse("CONFLICT", refusalOf(standing, to, from, takesBack));
      const promotion = { from: { ...originOf(from, source), takesBack }, lineage };
      return proposals.createPromoted(by, to, source.kept.text, promotion);
    },
  };
}

/** With the signature of `keys.create`. */
const KEYS_LEVEL = "manage";

type Started = Pick<CreatedEnvironment, "deploymentId" | "problem">;
const NOTHING: Started = { deploymentId: null, problem: null };

/** The new environment's id. */
async function insert(
  { store, cellStore, environmentsMax }: EnvironmentServiceOptions,
  by: Person,
  from: ProjectAccess,
  { kind, name }: WantedEnvironment,
): Promise<string> {
  const cell = await cellStore.forNewProject();
  if (cell === null) throw refuse("SERVICE_UNAVAILABLE", "No cell takes new projects at the moment.");
  const id = newId("prj");
  const { projectId: rootId, project } = from.environment;
  const outcome = await store.insert({ id, rootId, kind, name, cellId: cell.id, createdBy: by.id }, environmentsMax);
  if (outcome === "gone") throw notFound("project");
  if (outcome === "exists") throw refuse("CONFLICT", `${project} already has an environment "${name}".`);
  if (outcome === "ending") {
    throw refuse("CONFLICT", `The environment "${name}" of ${project} is being deleted. Try again shortly.`);
  }
  if (outcome === "too_many") {
    const most = `The operator allows a project at most ${environmentsMax} environments in addition to production.`;
    throw refuse("PRECONDITION_FAILED", most);
  }
  return id;
}

/** The environment has nothing that a blueprint could harm, so its creator doesn't need to consent. */
async function begin(
  { store, proposals, deployments, logger }: EnvironmentServiceOptions,
  by: Person,
  created: ProjectAccess,
  from: ProjectAccess,
  served: ServedVersion,
): Promise<Started> {
  try {
    const lineage = [...(await store.lineage(from.id))];
    const promotion: Promotion = { from: { ...originOf(from, served), takesBack: [] }, lineage };
    const { id, hash, consents } = await proposals.createPromoted(by, created, served.kept.text, promotion);
    await proposals.approve(by, created, id, hash, consents);
    return { ...NOTHING, deploymentId: (await deployments.create(by, created, id)).deploymentId };
  } catch (error) {
    // The environment exists, and the problem can be corrected in it.
    if (!(error instanceof TRPCError)) throw error;
    logger.warn({ err: error, projectId: created.id }, "the first blueprint of an environment was not deployed");
    return { ...NOTHING, problem: error.message };
  }
}

async function firstKey(
  { keys, logger }: EnvironmentServiceOptions,
  by: Person,
  created: ProjectAccess,
): Promise<string | null> {
  try {
    return (await keys.create(by, created, { name: "first key", kind: "secret" })).key;
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    logger.warn({ err: error, projectId: created.id }, "an environment was created without a key");
    return null;
  }
}

interface Found extends Omit<Comparison, "from" | "to"> {
  readonly source: ServedVersion | undefined;
  readonly target: ServedVersion | undefined;
  /** The live text of the source. */
  readonly lineage: readonly string[];
}

async function look(
  { store, workshop }: EnvironmentServiceOptions,
  by: Person,
  to: ProjectAccess,
  from: ProjectAccess,
): Promise<Found> {
  const served = { from: await store.served(from.id), to: await store.served(to.id) };
  const lineage = { from: await store.lineage(from.id), to: await store.lineage(to.id) };
  const { standing, lastAlike } = judge(served, lineage);
  const [source, target] = [served.from[0], served.to[0]];
  const found = { source, target, standing, changes: null, takenBack: [], lineage: [...lineage.from] };
  if (source === undefined || target === undefined) return found;
  const difference = (before: ServedVersion, after: ServedVersion): Promise<readonly Change[] | null> =>
    workshop.difference({ personId: by.id, organizationId: to.organizationId }, before.kept, after.kept);
  const changes = await difference(target, source);
  if (standing !== "diverged" && standing !== "behind") return { ...found, changes };
  // If the two were never alike, all differences are changes of the target.
  const own = await difference(lastAlike ?? source, target);
  if (changes === null || own === null) return { ...found, changes };
  const takenBack = undone(own, changes);
  // The source may contain the same changes of the target.
  return { ...found, changes, takenBack, standing: takenBack.length === 0 ? "ready" : standing };
}

function originOf(
  from: ProjectAccess,
  { id, deploymentId, hash }: ServedVersion,
): Omit<Promotion["from"], "takesBack"> {
  const { kind, name } = from.environment;
  const deployedAt = (from.live?.deployedAt ?? new Date()).toISOString();
  return { environmentId: from.id, kind, name, versionId: id, deploymentId, hash, deployedAt };
}

const SHOWN_MAX = 5;

function refusalOf(standing: Standing, to: ProjectAccess, from: ProjectAccess, back: readonly string[]): string {
  const [target, source] = [nameOf(to), nameOf(from)];
  const more = back.length > SHOWN_MAX ? ` And ${back.length - SHOWN_MAX} more.` : "";
  const shown = back.length === 0 ? "" : ` ${back.slice(0, SHOWN_MAX).join(" ")}${more}`;
  const what =
    standing === "behind"
      ? `${target} had this version of ${source} earlier, and has changed since.`
      : `${target} has changes that ${source} lacks.`;
  return `${what}${shown} Make these changes in ${source} first, or revert them by promoting with \`overwrite\`.`;
}

function nothingLive(from: ProjectAccess): string {
  return `Nothing is live in ${nameOf(from)}, so there is nothing to promote. Deploy a blueprint there first.`;
}

function requireSiblings(to: ProjectAccess, from: ProjectAccess): void {
  if (to.environment.projectId !== from.environment.projectId) {
    throw refuse("BAD_REQUEST", "The two are environments of different projects.");
  }
  if (to.id === from.id) throw refuse("BAD_REQUEST", `Both are ${nameOf(to)}. Name two environments.`);
}

function compared(project: ProjectAccess, served: ServedVersion | undefined): ComparedEnvironment {
  const { id, slug, environment, createdAt, live } = project;
  return {
    id,
    slug,
    kind: environment.kind,
    name: environment.name,
    createdAt: createdAt.toISOString(),
    live: live === null ? null : { deployedAt: live.deployedAt.toISOString() },
    text: served?.kept.text ?? null,
  };
}

function nameOf(project: ProjectAccess): string {
  return project.environment.name;
}
