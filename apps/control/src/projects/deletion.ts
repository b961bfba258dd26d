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
  remove(by: Person, project: ProjectAccess, name: string): Promise<{ readonly restorableDays: number }>;
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
  return {
    remove: async (by, project, name) => {
      if (name !== project.slug) throw refuse("BAD_REQUEST", `Type the project's name, "${project.slug}".`);
      const outcome = await store.markDeleted(project.id, by.id);
      if (outcome === "gone") throw notFound("project");
      if (outcome === "deploying")
        throw refuse("CONFLICT", "A deployment is under way. Delete the project once it has ended.");
      await settle(project.id);
      return { restorableDays: RESTORABLE_DAYS };
    },
    restore: async (by, organization, projectId) => {
      if (!(await store.markRestored(organization.id, projectId, by.id))) throw notFound("deleted project");
      await settle(projectId);
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
