// Deleting, restoring and erasing projects. In: a project that the caller may manage, and its name typed. Out: what is wanted is
// written down first and then said to the cell; what the cell has not heard is said again until it has.
import type { Logger } from "@plinth/service";
import type { Cells } from "../cells/client.ts";
import { CellRefused, CellUnavailable } from "../cells/failures.ts";
import { notFound, refuse } from "../failure.ts";
import type { OrganizationAccess, ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { DeletedProject } from "./api.ts";
import { type DeletionStore, RESTORABLE_DAYS, type Unsettled } from "./deletion-store.ts";

export interface DeletionService {
  /** With its environments. */
  remove(by: Person, project: ProjectAccess, name: string): Promise<{ readonly restorableDays: number }>;
  /**
   * Erases an environment at once. It isn't kept for some days as a project is: previews come and go by the same name, which
   * would stay taken, and what is worth keeping of one, its blueprint, was promoted.
   */
  removeEnvironment(by: Person, environment: ProjectAccess): Promise<void>;
  restore(by: Person, organization: OrganizationAccess, projectId: string): Promise<{ readonly projectId: string }>;
  deleted(organization: OrganizationAccess): Promise<readonly DeletedProject[]>;
  /** Says to cells whatever they have not heard yet, and erases what can't be restored any longer. */
  settleAll(): Promise<void>;
}

export interface DeletionOptions {
  readonly store: DeletionStore;
  readonly cells: Pick<Cells, "suspend" | "erase">;
  readonly logger: Logger;
}

export function createDeletionService({ store, cells, logger }: DeletionOptions): DeletionService {
  const tell = async (project: Unsettled): Promise<"served" | "suspended" | "erased"> => {
    await cells.suspend(project, project.wanted !== "served").catch(ignoreUnknown);
    if (project.wanted === "erased") await cells.erase(project);
    return project.wanted;
  };
  const settle = async (projectId: string): Promise<void> => {
    try {
      await store.settle(projectId, tell);
    } catch (error) {
      if (!(error instanceof CellUnavailable || error instanceof CellRefused)) throw error;
      logger.warn({ err: error, projectId }, "the cell has not heard what becomes of a project; it is told again");
    }
  };
  const mark = async (project: ProjectAccess, by: Person, noun: string): Promise<void> => {
    const marked = await store.markDeleted(project.id, by.id);
    if (marked === "gone") throw notFound(noun);
    if (marked === "deploying")
      throw refuse("CONFLICT", `A deployment is under way. Delete the ${noun} once it has ended.`);
    for (const id of marked) await settle(id);
  };
  return {
    remove: async (by, project, name) => {
      const { kind, project: root } = project.environment;
      if (kind !== "production")
        throw refuse("CONFLICT", `This is an environment of ${root}. Delete it with \`environments.delete\`.`);
      if (name !== project.slug) throw refuse("BAD_REQUEST", `Type the project's name, "${project.slug}".`);
      await mark(project, by, "project");
      return { restorableDays: RESTORABLE_DAYS };
    },
    removeEnvironment: async (by, environment) => {
      const { kind, project } = environment.environment;
      if (kind === "production") throw refuse("CONFLICT", `Production is the project ${project} itself.`);
      await mark(environment, by, "environment");
    },
    restore: async (by, organization, projectId) => {
      const restored = await store.markRestored(organization.id, projectId, by.id);
      if (restored.length === 0) throw notFound("deleted project");
      for (const id of restored) await settle(id);
      return { projectId };
    },
    deleted: (organization) => store.deletedOf(organization.id),
    settleAll: async () => {
      for (const projectId of await store.unsettled()) await settle(projectId);
    },
  };
}

/** A project that the cell never made isn't served there. */
function ignoreUnknown(error: unknown): void {
  if (!(error instanceof CellRefused && error.status === 404)) throw error;
}
