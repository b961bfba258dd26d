// Blueprint versions in the database. In: a text or ids. Out: versions, each in today's syntax. An uploaded text never changes.
// Its model is the one that the language last produced.
import { type AliasedRawBuilder, sql } from "kysely";
import type { KeptModel, ModelToKeep, StoredModel } from "../authoring/live-model.ts";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase } from "../database/tables.ts";
import type { BlueprintVersion, BlueprintVersionSummary, LiveBlueprint } from "./api.ts";

export interface NewVersion {
  readonly id: string;
  readonly projectId: string;
  readonly text: string;
  readonly hash: string;
  readonly modelHash: string;
  readonly model: string;
  readonly modelVersion: number;
  readonly createdBy: string;
}

export interface BlueprintStore {
  list(projectId: string): Promise<readonly BlueprintVersionSummary[]>;
  get(versionId: string): Promise<BlueprintVersion | null>;
  live(projectId: string): Promise<LiveBlueprint | null>;
  kept(versionId: string): Promise<KeptModel | null>;
  /** Ids of versions without a stored model, or with one of an older version of the language. Live versions first. */
  withoutModel(newest: number): Promise<readonly string[]>;
  keepModel(versionId: string, model: ModelToKeep): Promise<void>;
  /** The bundle of a deployment as JSON, as it was approved, possibly in an older format. */
  bundleOf(deploymentId: string): Promise<string>;
}

export function createBlueprintStore(db: ControlDatabase): BlueprintStore {
  const versions = db
    .selectFrom("blueprint_versions as version")
    .innerJoin("projects", "projects.id", "version.project_id")
    .select(["version.id", "version.project_id", "version.hash", "version.created_at", "version.created_by"])
    .select((eb) => eb("projects.live_version_id", "=", eb.ref("version.id")).as("live"));
  return {
    list: async (projectId) => {
      const rows = await versions
        .where("version.project_id", "=", projectId)
        .orderBy("version.created_at", "desc")
        .orderBy("version.id")
        .execute();
      return rows.map(summary);
    },
    get: async (versionId) => {
      const row = await versions.select(textOf("version")).where("version.id", "=", versionId).executeTakeFirst();
      return row === undefined ? null : { ...summary(row), text: row.text };
    },
    live: async (projectId) => {
      const row = await db
        .selectFrom("projects")
        .innerJoin("blueprint_versions as version", "version.id", "projects.live_version_id")
        .select(["version.id", "version.hash", textOf("version")])
        .where("projects.id", "=", projectId)
        .executeTakeFirst();
      return row === undefined ? null : { versionId: row.id, text: row.text, hash: row.hash };
    },
    kept: async (versionId) => {
      const row = await db
        .selectFrom("blueprint_versions as version")
        .select(["model_hash", "model", "model_version", textOf("version")])
        .where("id", "=", versionId)
        .executeTakeFirst();
      if (row === undefined) return null;
      const model = row.model_version === null ? null : { stored: row.model, version: row.model_version };
      return { text: row.text, modelHash: row.model_hash, model };
    },
    withoutModel: async (newest) => {
      const rows = await db
        .selectFrom("blueprint_versions as version")
        .leftJoin("projects", "projects.live_version_id", "version.id")
        .select("version.id")
        .where((eb) => eb("version.model_version", "is", null).or("version.model_version", "<", newest))
        .orderBy((eb) => eb("projects.id", "is", null))
        .orderBy("version.created_at", "desc")
        .execute();
      return rows.map(({ id }) => id);
    },
    keepModel: async (versionId, { textNow, ...model }) => {
      await db
        .updateTable("blueprint_versions")
        .set({ ...modelColumns(model), text_now: textNow })
        .where("id", "=", versionId)
        .execute();
    },
    bundleOf: async (deploymentId) => {
      const row = await db
        .selectFrom("deployments")
        .innerJoin("proposals", "proposals.id", "deployments.proposal_id")
        .select(sql<string>`proposals.bundle::text`.as("bundle"))
        .where("deployments.id", "=", deploymentId)
        .executeTakeFirstOrThrow();
      return row.bundle;
    },
  };
}

/** Stores a version, or finds the one with the same text. */
export async function saveVersion(trx: Connection, version: NewVersion): Promise<string> {
  const created = await trx
    .insertInto("blueprint_versions")
    .values({
      id: version.id,
      project_id: version.projectId,
      text: version.text,
      hash: version.hash,
      model_hash: version.modelHash,
      ...modelColumns(version),
      created_by: version.createdBy,
    })
    .onConflict((conflict) => conflict.columns(["project_id", "hash"]).where("text_now", "is", null).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (created === undefined) {
    const known = await trx
      .selectFrom("blueprint_versions")
      .select("id")
      .where("project_id", "=", version.projectId)
      .where("hash", "=", version.hash)
      .where("text_now", "is", null)
      .executeTakeFirstOrThrow();
    await trx.updateTable("blueprint_versions").set(modelColumns(version)).where("id", "=", known.id).execute();
    return known.id;
  }
  const act = { personId: version.createdBy, projectId: version.projectId, subject: version.id };
  await writeAudit(trx, { ...act, action: "blueprint.uploaded", detail: { hash: version.hash } });
  return created.id;
}

/** The text in today's syntax. */
export function textOf<Alias extends string>(version: Alias): AliasedRawBuilder<string, "text"> {
  return sql<string>`coalesce(${sql.ref(`${version}.text_now`)}, ${sql.ref(`${version}.text`)})`.as("text");
}

function modelColumns({ model, modelVersion }: StoredModel): {
  readonly model: string;
  readonly model_version: number;
} {
  return { model, model_version: modelVersion };
}

function summary(row: {
  id: string;
  project_id: string;
  hash: string;
  created_at: Date;
  created_by: string;
  live: unknown;
}): BlueprintVersionSummary {
  return {
    id: row.id,
    projectId: row.project_id,
    hash: row.hash,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    live: row.live === true,
  };
}
