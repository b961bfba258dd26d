// Deletes, restores and erases projects. In: a project that the caller can manage, and its typed name. Out: the wanted state is
// recorded first and then sent to the cell, again and again until the cell confirms it.
import type { Logger } from "@plinth/service";
import type { Cells } from "../cells/client.ts";
import { CellRefused, CellUnavailable } from "../cells/failures.ts";
import { notFound, refuse } from "../failure.ts";
import type { OrganizationAccess, ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { DeletedProject } from "./api.ts";
import { type DeletionStore, RESTORABLE_DAYS, type Unsettled } from "./deletion-store.ts";

export interface DeletionService {
  /** Deletes the project with its environments. */
  remove(by: Person, project: ProjectAccess, name: string): Promise<{ readonly restorableDays: number }>;
  /**
   * Erases an environment immediately. It can't be restored like a project: previews are often created again with the same name,
   * which would stay taken, and the blueprint, which is the only part worth keeping, was promoted.
   */
  removeEnvironment(by: Person, environment: ProjectAccess): Promise<void>;
  restore(by: Person, organization: OrganizationAccess, projectId: string): Promise<{ readonly projectId: string }>;
  deleted(organization: OrganizationAccess): Promise<readonly DeletedProject[]>;
  /** Sends cells all states that they have not confirmed, and erases the projects that can't be restored any more. */
  settleAll(): Promise<void>;
}

export interface DeletionOptions {
  readonly store: DeletionStore;
  readonly cells: Pick<Cells, "suspend" | "erase">;
  readonly logger: Logger;
}

export function createDeletionService({ store, cells, logger }: DeletionOptions): DeletionService {
  const updateCell = async (project: Unsettled): Promise<"served" | "suspended" | "erased"> => {
    await cells.suspend(project, project.wanted !== "served").catch(ignoreUnknown);
    if (project.wanted === "erased") await cells.erase(project);
    return project.wanted;
  };
  const settle = async (projectId: string): Promise<void> => {
    try {
      await store.settle(projectId, updateCell);
    } catch (error) {
      if (!(error instanceof CellUnavailable || error instanceof CellRefused)) throw error;
      logger.warn(
        { err: error, projectId },
        "the cell has not confirmed a project's deletion or restoration; it is called again",
      );
    }
  };
  const mark = async (project: ProjectAccess, by: Person, noun: string): Promise<void> => {
    const marked = await store.markDeleted(project.id, by.id);
    if (marked === "gone") throw notFound(noun);
    if (marked === "deploying")
      throw refuse("CONFLICT", `A deployment is running. Delete the ${noun} after it has finished.`);
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

/** A project that the cell never created isn't served there. */
function ignoreUnknown(error: unknown): void {
  if (!(error instanceof CellRefused && error.status === 404)) throw error;
}
