// Environments in the database. In: ids. Out: rows, and the versions that each has served. It never calls a cell.
import { slugOfEnvironment } from "@plinth/bundle";
import type { KeptModel } from "../authoring/live-model.ts";
import { textOf } from "../blueprints/store.ts";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase } from "../database/tables.ts";
import { violatesUnique } from "../failure.ts";
import type { EnvironmentKind } from "../projects/api.ts";
import { holdName } from "../projects/names.ts";
import { lineageOf } from "./lineage.ts";

interface NewEnvironment {
  readonly id: string;
  readonly rootId: string;
  readonly kind: Exclude<EnvironmentKind, "production">;
  readonly name: string;
  readonly cellId: string;
  readonly createdBy: string;
}

/** A version that is or was live. */
export interface ServedVersion {
  readonly id: string;
  readonly deploymentId: string;
  readonly hash: string;
  readonly modelHash: string;
  readonly kept: KeptModel;
}

export interface EnvironmentStore {
  /**
   * `gone`: the project was deleted in the meantime. `ending`: an environment with this name is deleted, and its cell has not
   * erased it yet.
   */
  insert(
    environment: NewEnvironment,
    most: number,
  ): Promise<{ readonly slug: string } | "exists" | "ending" | "too_many" | "gone">;
  /** The versions that have been live in an environment, newest first, each once. The first one is live. */
  served(projectId: string): Promise<readonly ServedVersion[]>;
  lineage(projectId: string): Promise<ReadonlySet<string>>;
}

export function createEnvironmentStore(db: ControlDatabase): EnvironmentStore {
  return {
    insert: async (environment, most) => {
      try {
        return await db.transaction().execute((trx) => insertEnvironment(trx, environment, most));
      } catch (error) {
        if (!violatesUnique(error, "projects_environment_name")) throw error;
        return (await isEnding(db, environment)) ? "ending" : "exists";
      }
    },

    served: async (projectId) => {
      const rows = await db
        .selectFrom("deployments")
        .innerJoin("proposals", "proposals.id", "deployments.proposal_id")
        .innerJoin("blueprint_versions as version", "version.id", "proposals.version_id")
        .innerJoin("projects", "projects.id", "deployments.project_id")
        .select(["version.id", "version.hash", "version.model_hash", "version.model", "version.model_version"])
        .select(["deployments.id as deployment_id", textOf("version")])
        .where("deployments.project_id", "=", projectId)
        .where("deployments.status", "in", ["active", "superseded"])
        .orderBy((eb) => eb("projects.live_deployment_id", "=", eb.ref("deployments.id")), "desc")
        .orderBy("deployments.created_at", "desc")
        .limit(SERVED_MAX)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        deploymentId: row.deployment_id,
        hash: row.hash,
        modelHash: row.model_hash,
        kept: {
          text: row.text,
          modelHash: row.model_hash,
          model: row.model_version === null ? null : { stored: row.model, version: row.model_version },
        },
      }));
    },

    lineage: (projectId) => lineageOf(db, projectId),
  };
}

/** The number of versions in which the last common version of two environments is searched. */
const SERVED_MAX = 100;

async function insertEnvironment(
  trx: Connection,
  { id, rootId, kind, name, cellId, createdBy }: NewEnvironment,
  most: number,
): Promise<{ readonly slug: string } | "too_many" | "gone"> {
  // Two requests at the same time must not both create the last allowed one, and a deployment must not rename the project at the
  // same time.
  const root = await trx
    .selectFrom("projects")
    .select(["slug", "organization_id"])
    .where("id", "=", rootId)
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (root === undefined) return "gone";
  const { count } = await trx
    .selectFrom("projects")
    .select((eb) => eb.fn.countAll<string>().as("count"))
    .where("parent_id", "=", rootId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  if (Number(count) >= most) return "too_many";
  const slug = slugOfEnvironment({ project: root.slug, environment: name });
  const organizationId = root.organization_id;
  await trx
    .insertInto("projects")
    .values({
      id,
      organization_id: organizationId,
      slug,
      cell_id: cellId,
      parent_id: rootId,
      environment: kind,
      environment_name: name,
    })
    .execute();
  await holdName(trx, { projectId: id, organizationId, name: slug });
  const act = { personId: createdBy, organizationId, projectId: id, subject: id };
  await writeAudit(trx, { ...act, action: "environment.created", detail: { slug, kind, parentId: rootId } });
  return { slug };
}

async function isEnding(db: Connection, { rootId, name }: NewEnvironment): Promise<boolean> {
  const row = await db
    .selectFrom("projects")
    .select("id")
    .where("parent_id", "=", rootId)
    .where("environment_name", "=", name)
    .where("deleted_at", "is not", null)
    .executeTakeFirst();
  return row !== undefined;
}
