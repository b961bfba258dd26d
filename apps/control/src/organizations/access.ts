// Access of people. In: a person, the thing that they name, the required level. Out: the project or organization with their role,
// or a refusal: "not found" outside the scope of a membership, "forbidden" if the member's role lacks the level. It never uses a
// cache, so a removed member is refused from the next request on.
import { sql } from "kysely";
import type { ControlDatabase } from "../database/tables.ts";
import { notFound, refuse } from "../failure.ts";
import type { Person } from "../people/auth.ts";
import type { EnvironmentFacts } from "../projects/api.ts";
import type { MemberRole } from "./api.ts";
import { allows, type Level, whoMay } from "./rights.ts";

/** A part of a project that is found by its own id. */
export type ProjectPart = "version" | "proposal" | "deployment" | "key";

export interface OrganizationAccess {
  readonly id: string;
  readonly role: MemberRole;
  /** Null if the caller is a member of the whole organization. */
  readonly projectIds: readonly string[] | null;
}

export interface ProjectAccess {
  readonly id: string;
  readonly slug: string;
  readonly organizationId: string;
  readonly role: MemberRole;
  readonly environment: EnvironmentFacts;
  readonly cellId: string;
  readonly cellUrl: string;
  /** The address where apps reach the project. */
  readonly apiUrl: string;
  readonly createdAt: Date;
  readonly live: LiveRelease | null;
}

interface LiveRelease {
  readonly versionId: string;
  readonly deploymentId: string;
  readonly bundleHash: string;
  readonly deployedAt: Date;
}

export interface Access {
  organization(person: Person, organizationId: string, level: Level): Promise<OrganizationAccess>;
  project(person: Person, projectId: string, level: Level): Promise<ProjectAccess>;
  projectOf(person: Person, part: ProjectPart, id: string, level: Level): Promise<ProjectAccess>;
}

const partTables = {
  version: "blueprint_versions",
  proposal: "proposals",
  deployment: "deployments",
  key: "key_metadata",
} as const satisfies Record<ProjectPart, string>;

const partNouns: Record<ProjectPart, string> = {
  version: "blueprint version",
  proposal: "proposal",
  deployment: "deployment",
  key: "key",
};

/** A membership of a project includes all of its environments. */
const rootOf = sql<string>`coalesce(projects.parent_id, projects.id)`;

export function createAccess(db: ControlDatabase): Access {
  const project = async (person: Person, projectId: string, level: Level, noun: string): Promise<ProjectAccess> => {
    const row = await db
      .selectFrom("projects")
      .innerJoin("memberships", "memberships.organization_id", "projects.organization_id")
      .innerJoin("cells", "cells.id", "projects.cell_id")
      .innerJoin("projects as root", (join) => join.on("root.id", "=", rootOf))
      .selectAll("projects")
      .select(["cells.internal_url", "cells.public_url"])
      .select(["memberships.role", "root.id as root_id", "root.slug as root_slug"])
      .where("projects.id", "=", projectId)
      .where("projects.deleted_at", "is", null)
      .where("memberships.person_id", "=", person.id)
      .where((eb) =>
        eb.or([
          eb("memberships.scope", "=", "organization"),
          eb.exists(
            eb
              .selectFrom("membership_projects")
              .select("membership_projects.project_id")
              .whereRef("membership_projects.organization_id", "=", "memberships.organization_id")
              .whereRef("membership_projects.person_id", "=", "memberships.person_id")
              .whereRef("membership_projects.project_id", "=", "root.id"),
          ),
        ]),
      )
      .executeTakeFirst();
    if (row === undefined) throw notFound(noun);
    if (!allows(row.role, level)) throw refuse("FORBIDDEN", `Only ${whoMay(level)} of the project can do this.`);
    const live = row.live_version_id !== null && row.live_deployment_id !== null && row.live_at !== null;
    return {
      id: row.id,
      slug: row.slug,
      organizationId: row.organization_id,
      role: row.role,
      environment: {
        kind: row.environment,
        name: row.environment_name,
        projectId: row.root_id,
        project: row.root_slug,
      },
      cellId: row.cell_id,
      cellUrl: row.internal_url,
      apiUrl: row.public_url,
      createdAt: row.created_at,
      live: live
        ? {
            versionId: row.live_version_id as string,
            deploymentId: row.live_deployment_id as string,
            bundleHash: row.live_bundle_hash as string,
            deployedAt: row.live_at as Date,
          }
        : null,
    };
  };
  return {
    organization: async (person, organizationId, level) => {
      const row = await db
        .selectFrom("memberships")
        .select(["role", "scope"])
        .where("organization_id", "=", organizationId)
        .where("person_id", "=", person.id)
        .executeTakeFirst();
      if (row === undefined) throw notFound("organization");
      const sees = level === "read" || row.scope === "organization";
      if (!sees || !allows(row.role, level))
        throw refuse("FORBIDDEN", `Only ${whoMay(level)} of the whole organization can do this.`);
      if (row.scope === "organization") return { id: organizationId, role: row.role, projectIds: null };
      const named = await db
        .selectFrom("membership_projects")
        .select("project_id")
        .where("organization_id", "=", organizationId)
        .where("person_id", "=", person.id)
        .execute();
      return { id: organizationId, role: row.role, projectIds: named.map(({ project_id }) => project_id) };
    },
    project: (person, projectId, level) => project(person, projectId, level, "project"),
    projectOf: async (person, part, id, level) => {
      const row = await db.selectFrom(partTables[part]).select("project_id").where("id", "=", id).executeTakeFirst();
      if (row === undefined) throw notFound(partNouns[part]);
      return project(person, row.project_id, level, partNouns[part]);
    },
  };
}
