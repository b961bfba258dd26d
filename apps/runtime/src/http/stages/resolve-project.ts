// Stage 2: finds what the project serves now. In: a project. Out: its active release, and the access to its rows. A
// project without a deployment is refused.
import type { ProjectId } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { ActiveRelease, ReleaseRegistry } from "../../project/active-release.ts";
import type { TenantDoor, Tenants } from "../../project/tenant.ts";

export interface Project {
  readonly release: ActiveRelease;
  readonly tenant: TenantDoor;
}

export async function resolveProject(
  registry: ReleaseRegistry,
  tenants: Tenants,
  projectId: ProjectId,
): Promise<Project> {
  const release = await registry.get(projectId);
  if (release === null) {
    const isDeleted = await registry.isSuspended(projectId);
    throw new Fault("not_found", {
      detail: isDeleted ? "This project is deleted." : "Nothing is deployed in this project yet.",
    });
  }
  return { release, tenant: tenants.forProject({ projectId }) };
}
