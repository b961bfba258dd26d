// Changes of projects. In: a project or organization that the caller can see or change. Out: projects. It never waits for a cell
// to create a project: the cell creates it before its first use.
import { newId, PRODUCTION } from "@plinth/bundle";
import type { Logger } from "@plinth/service";
import { callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import { CellRefused, CellUnavailable } from "../cells/failures.ts";
import type { CellStore } from "../cells/store.ts";
import { refuse } from "../failure.ts";
import type { OrganizationAccess, ProjectAccess } from "../organizations/access.ts";
import { rightsOf } from "../organizations/rights.ts";
import type { Person } from "../people/auth.ts";
import type { Project, ProjectStatus, ProjectSummary } from "./api.ts";
import { nameOfDeleted, nameTaken } from "./names.ts";
import type { Provision } from "./provision.ts";
import type { ProjectStore } from "./store.ts";

export interface ProjectService {
  list(organization: OrganizationAccess): Promise<readonly ProjectSummary[]>;
  create(by: Person, organization: OrganizationAccess, slug: string): Promise<Project>;
  get(project: ProjectAccess, liveHash: string | null): Project;
  status(project: ProjectAccess): Promise<ProjectStatus>;
  grantUser(
    by: Person,
    project: ProjectAccess,
    email: string,
    roles: readonly string[],
  ): Promise<{ email: string; roles: readonly string[] }>;
}

export interface ProjectServiceOptions {
  readonly store: ProjectStore;
  readonly cellStore: CellStore;
  readonly cells: Cells;
  readonly provision: Provision;
  readonly logger: Logger;
  readonly projectsMax: number;
}

const NOT_PROVISIONED: ProjectStatus = {
  activeReleaseId: null,
  bundleHash: null,
  firstRequestAt: null,
  lastRequestAt: null,
  requests: 0,
  keysUsedAt: {},
};

export function createProjectService(options: ProjectServiceOptions): ProjectService {
  const { store, cells, provision, logger } = options;
  return {
    list: async ({ id, projectIds }) => {
      const projects = await store.list(id);
      return projects.filter((project) => projectIds === null || projectIds.includes(project.id));
    },

    create: async (by, organization, slug) => {
      const id = newId("prj");
      const cell = await options.cellStore.forNewProject();
      if (cell === null) throw refuse("SERVICE_UNAVAILABLE", "No cell takes new projects at the moment.");
      const place = { cellId: cell.id, cellUrl: cell.internalUrl };
      const project = { id, slug, ...place, organizationId: organization.id, createdBy: by.id };
      const outcome = await store.insert(project, options.projectsMax);
      if (outcome === "name_taken") throw refuse("CONFLICT", nameTaken(slug));
      if (outcome === "name_deleted") throw refuse("CONFLICT", nameOfDeleted(slug));
      if (outcome === "too_many") {
        const most = `The operator allows at most ${options.projectsMax} projects in an organization.`;
        throw refuse("PRECONDITION_FAILED", most);
      }
      try {
        await provision(project);
      } catch (error) {
        if (error instanceof CellRefused) {
          await store.withdraw(project);
        }
        if (!(error instanceof CellUnavailable)) throw error;
        logger.warn({ err: error, projectId: id }, "the cell will create the project before its first use");
      }
      const createdAt = new Date().toISOString();
      const { id: organizationId, role } = organization;
      const may = rightsOf(role);
      const environment = { kind: PRODUCTION, name: PRODUCTION, projectId: id, project: slug } as const;
      return { id, slug, organizationId, role, may, environment, createdAt, live: null, apiUrl: cell.publicUrl };
    },

    get: (project, liveHash) => ({
      id: project.id,
      slug: project.slug,
      organizationId: project.organizationId,
      role: project.role,
      may: rightsOf(project.role),
      environment: project.environment,
      createdAt: project.createdAt.toISOString(),
      live:
        project.live === null || liveHash === null
          ? null
          : {
              versionId: project.live.versionId,
              deploymentId: project.live.deploymentId,
              hash: liveHash,
              deployedAt: project.live.deployedAt.toISOString(),
            },
      apiUrl: project.apiUrl,
    }),

    status: async (project) => {
      if (!(await store.isProvisioned(project.id))) return NOT_PROVISIONED;
      return callCell(cells.status(project));
    },

    grantUser: async (by, project, email, roles) => {
      // Recorded first: every grant must be in the log. A grant in the log may have failed.
      await store.auditGrant(project.id, by.id, email, roles);
      await callCell(cells.grantUser(project, by.email, email, roles), {
        404: () => refuse("NOT_FOUND", "The app has no user with this email address. They must sign up first."),
        400: (refused) => refuse("BAD_REQUEST", refused.detail),
        422: (refused) => refuse("BAD_REQUEST", refused.detail),
      });
      return { email, roles };
    },
  };
}
