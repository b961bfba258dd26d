// For tests: the runner alone on its own database, with plans written by hand. Only tests import it. It needs neither a
// compiler nor the rest of a cell, so that only the runner is tested.

import { randomBytes } from "node:crypto";
import {
  type Bundle,
  type BundleEntity,
  type BundleField,
  FORMAT_VERSION,
  hashOf,
  type MigrationPlan,
  type MigrationStep,
  newControlKeys,
  newId,
  type ProjectId,
  type Publication,
  readControlSigner,
  type SetAside,
  signApproval,
  type Table,
  type UnsignedApproval,
} from "@plinth/bundle";
import type { ReleaseState } from "@plinth/bundle/cell";
import { createPool, inTransaction, quoteIdentifier, runMigrations, tenantNames } from "@plinth/postgres";
import { createLogger } from "@plinth/service";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import type { Pool } from "pg";
import { createSecretBox } from "../../identity/secret-box.ts";
import { createSigningKeys } from "../../identity/signing-keys.ts";
import { CELL_SCHEMA, cellMigrations } from "../cell-tables.ts";
import { inspectRelease } from "../inspect.ts";
import { createMigrator, type Migrator, type MigratorOptions } from "../migrate.ts";
import { provisionProject } from "../provision.ts";
import { contentOf } from "../read-publication.ts";
import { storeRelease } from "../receive.ts";
import { cellTemplate } from "./cell-template.ts";

export interface Runner {
  readonly database: TestDatabase;
  readonly pool: Pool;
  migrator(options?: Partial<MigratorOptions>): Migrator;
  newProject(): Promise<ProjectId>;
  /** Runs a statement under the project's owner role; `{schema}` is its schema. */
  sql(projectId: ProjectId, text: string): Promise<readonly Record<string, unknown>[]>;
  receive(publication: Publication): Promise<void>;
  /** Receives the publication and runs it to its end, success or failure. */
  deploy(publication: Publication): Promise<ReleaseState>;
  status(publication: Publication): Promise<ReleaseState>;
  close(): Promise<void>;
}

const logger = createLogger({ name: "test", level: "silent" });

export async function openRunner(): Promise<Runner> {
  const database = await createTestDatabase(cellTemplate);
  const pool = createPool({ connectionString: database.url, max: 6, applicationName: "test", onIdleError: () => {} });
  await runMigrations({ pool, schema: CELL_SCHEMA, migrations: cellMigrations });
  const signingKeys = createSigningKeys({
    pool,
    box: createSecretBox(randomBytes(32)),
    clock: () => performance.now(),
  });
  const runner: Runner = {
    database,
    pool,
    migrator: (options = {}) => createMigrator({ pool, logger, ...options }),
    newProject: async () => {
      const projectId: ProjectId = newId("prj");
      await provisionProject({ pool, signingKeys }, projectId, `p-${randomBytes(6).toString("hex")}`);
      return projectId;
    },
    sql: (projectId, text) => {
      const { schema, owner } = tenantNames(projectId);
      return inTransaction(pool, async (client) => {
        await client.query(`SET LOCAL ROLE ${quoteIdentifier(owner)}`);
        return (await client.query(text.replaceAll("{schema}", schema))).rows;
      });
    },
    // Control signs a new approval for each attempt.
    receive: (publication) => {
      const approval = signApproval(publication.approval as UnsignedApproval, signer, Date.now());
      return inTransaction(pool, (client) =>
        storeRelease(client, contentOf({ ...publication, approval }, publication)),
      );
    },
    deploy: async (publication) => {
      await runner.receive(publication);
      const migrator = runner.migrator();
      migrator.start(publication.releaseId);
      await migrator.idle();
      await migrator.stop();
      return runner.status(publication);
    },
    status: async ({ projectId, releaseId }) => {
      const status = await inspectRelease(pool, projectId, releaseId);
      if (status === null) throw new Error("a received release is missing");
      return status;
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
  return runner;
}

let bundles = 0;

export function bundleOf(more: Partial<Bundle> = {}): Bundle {
  return {
    format: FORMAT_VERSION,
    project: `project-${++bundles}`,
    modules: [],
    roles: [],
    entities: [],
    routes: [],
    moduleRoutes: [],
    background: { events: [], workflows: [], schedules: [], actions: [] },
    limits: { requestsPerSecond: 100, burst: 200, bodyBytesMax: 1_048_576, pageMax: 100, statementMsMax: 2_000 },
    tests: null,
    tables: [],
    openapi: {},
    sdkTypes: "",
    ...more,
  };
}

export function tableOf(name: string, columns: readonly string[] = []): Table {
  return {
    name,
    columns: ["id", ...columns].map((column) => ({
      name: column,
      sqlType: column === "id" ? "uuid" : "text",
      nullable: column !== "id",
      default: null,
      identity: false,
    })),
    primaryKey: ["id"],
    uniques: [],
    indexes: [],
    foreignKeys: [],
    checks: [],
    privileges: ["select", "insert", "update", "delete"],
  };
}

const plainField: Omit<BundleField, "name" | "column"> = {
  sqlType: "text",
  wire: "string",
  select: "",
  write: "{value}",
  optional: true,
  writer: "caller",
  default: null,
  references: null,
  filterable: false,
  immutable: false,
  hidden: false,
  secret: false,
  masked: false,
  searchable: false,
  slugFrom: null,
  sequence: null,
  join: null,
};

/** An entity whose fields are texts; `more` changes a field by its name. */
export function entityOf(
  table: string,
  fields: readonly string[],
  more: Partial<BundleEntity> & { readonly change?: Readonly<Record<string, Partial<BundleField>>> } = {},
): BundleEntity {
  const { change = {}, ...rest } = more;
  return {
    name: table,
    plural: table,
    table,
    fields: fields.map((name) => ({ ...plainField, name, column: name, ...change[name] })),
    relations: [],
    access: {},
    createSchema: {},
    updateSchema: {},
    scope: null,
    softDelete: null,
    stateMachine: null,
    referrers: [],
    checks: [],
    audit: "writes",
    retentionDays: null,
    seed: [],
    ...rest,
  };
}

const signer = readControlSigner(newControlKeys().privateKey);

export function publicationOf(
  projectId: ProjectId,
  bundle: Bundle,
  base: Bundle | null,
  steps: readonly MigrationStep[],
): Publication {
  const plan: MigrationPlan = { steps };
  const releaseId = newId("rel");
  const approval = signApproval(
    {
      cell: "test",
      name: bundle.project,
      projectId,
      releaseId,
      baseHash: base === null ? null : hashOf(base),
      bundleHash: hashOf(bundle),
      planHash: hashOf(plan),
      consents: [],
      approvedBy: "ana@example.com",
      approvedAt: new Date().toISOString(),
    },
    signer,
    Date.now(),
  );
  return { projectId, releaseId, bundle, plan, approval };
}

const facts = (id: string, more: Partial<MigrationStep>) =>
  ({
    id,
    summary: `Step ${id}.`,
    class: "safe",
    phase: "before",
    table: null,
    lock: "none",
    rewrites: false,
    scans: false,
    undo: "It is not.",
    ...more,
  }) as const;

type Facts = Partial<Omit<MigrationStep, "kind">>;

export function statement(id: string, sql: string, more: Facts & { readonly cleanup?: string } = {}): MigrationStep {
  const { cleanup = null, ...rest } = more;
  return { ...facts(id, rest), kind: "statement", sql, transactional: cleanup === null, cleanup } as MigrationStep;
}

export function backfill(id: string, sql: string, more: Facts = {}): MigrationStep {
  return { ...facts(id, { class: "backfill", ...more }), kind: "backfill", sql } as MigrationStep;
}

export function verify(id: string, table: string, column: string, more: Facts = {}): MigrationStep {
  return {
    ...facts(id, { table, class: "data_dependent", ...more }),
    kind: "verify",
    count: `select count(*) from {schema}."${table}" where "${column}" is null`,
    sample: `select id::text, 'no "${column}"' from {schema}."${table}" where "${column}" is null order by id limit 5`,
    violation: `no value for ${column}`,
  } as MigrationStep;
}

export function aside(kind: "set_aside" | "restore", id: string, what: SetAside, more: Facts = {}): MigrationStep {
  const { table, column, keptAs } = what;
  const [from, to] = kind === "set_aside" ? [column ?? table, keptAs] : [keptAs, column ?? table];
  const sql =
    column === null
      ? `alter table {schema}."${from}" rename to "${to}"`
      : `alter table {schema}."${table}" rename column "${from}" to "${to}"`;
  return { ...facts(id, { class: "destructive", phase: "switch", table, ...more }), kind, what, sql } as MigrationStep;
}

/** The columns of the fixture's one table, `listings`, in addition to `id` and `n`. */
export const listingColumns: readonly string[] = ["title", "price", "note"];

/** A live project whose table `listings` has rows, numbered by `n`. */
export async function liveListings(
  runner: Runner,
  rows: number,
): Promise<{ readonly projectId: ProjectId; readonly bundle: Bundle }> {
  const projectId = await runner.newProject();
  const bundle = bundleOf({
    tables: [tableOf("listings", listingColumns)],
    entities: [entityOf("listings", listingColumns)],
  });
  const create = statement(
    "001-create",
    `create table {schema}.listings (id uuid primary key default gen_random_uuid(), n int not null, title text, price text, note text);
     grant select, insert, update, delete on {schema}.listings to {worker};`,
  );
  const status = await runner.deploy(publicationOf(projectId, bundle, null, [create]));
  if (status.status !== "active" || !status.finished || status.error !== null) throw new Error(JSON.stringify(status));
  await runner.sql(
    projectId,
    `insert into {schema}.listings (n, title, price) select n, 't' || n, n::text from generate_series(1, ${rows}) n`,
  );
  return { projectId, bundle };
}

export const noteAside: SetAside = {
  kind: "column",
  table: "listings",
  column: "note",
  keptAs: "note__kept_1",
  sqlType: "text",
  was: null,
};
