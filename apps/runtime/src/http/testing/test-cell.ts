// A data plane on real Postgres for tests: projects with a schema each, callers with plain names, the real HTTP server.
// In: blueprints. Out: requests, and a view of the rows. Only tests import it. Credentials have separate tests.
import { checkBlueprint } from "@plinth/blueprint";
import { type Bundle, newId, type ProjectId } from "@plinth/bundle";
import { compileModel, planMigration } from "@plinth/compiler";
import {
  createFastLane,
  createPool,
  createTenantSchema,
  createTenantScope,
  type FastLane,
  quoteIdentifier,
  runMigrations,
  type TenantNames,
  type TenantScope,
} from "@plinth/postgres";
import type { Clock } from "@plinth/service";
import { createLogger, Fault } from "@plinth/service";
import { type ApiDocument, createTestDatabase, type JsonObject, readDocument } from "@plinth/testkit";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import type { Authenticator } from "../../identity/authenticator.ts";
import { createSecretBox } from "../../identity/secret-box.ts";
import type { ActiveRelease, ReleaseRegistry } from "../../project/active-release.ts";
import { nothingKept } from "../../project/derived.ts";
import type { Caller } from "../../project/principal.ts";
import { hasListeners } from "../../query/entity-view.ts";
import { hasFollowed } from "../../query/watched.ts";
import { CELL_SCHEMA, cellMigrations } from "../../release/cell-tables.ts";
import { bringChangeViews } from "../../release/change-views.ts";
import { makeOutbox } from "../../release/listeners.ts";
import { stepSql } from "../../release/migration-sql.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";
import type { ModuleRoutes } from "../contracts.ts";
import { createHttpServer, defaultHttpLimits, type HttpLimits } from "../server.ts";

export const testKek: Buffer = Buffer.alloc(32, 7);

export interface TestProject {
  readonly projectId: ProjectId;
  readonly names: TenantNames;
  release: ActiveRelease;
}

export interface TestReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly json: any;
}

export interface TestCell {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly pool: pg.Pool;
  readonly tenants: TenantScope;
  readonly logLines: string[];
  readonly reloads: string[];
  addProject(blueprint: string): Promise<TestProject>;
  /** Replaces the result of `registry.get`; `stored` is the result of a reload. */
  publish(project: TestProject, blueprint: string, options?: { readonly migrate?: boolean }): Promise<void>;
  /** `name` becomes the bearer token. */
  addCaller(name: string, project: TestProject, principal: Caller["principal"]): void;
  addUser(name: string, project: TestProject, roles: readonly string[]): Promise<string>;
  send(
    name: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestReply>;
  rows(project: TestProject, sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** A summary of the rows that a refused request must not change. */
  fingerprint(project: TestProject): Promise<string>;
  close(): Promise<void>;
}

export interface TestCellOptions {
  readonly limits?: Partial<HttpLimits>;
  readonly modules?: ModuleRoutes;
  readonly ready?: () => Promise<string | null>;
  readonly clock?: Clock;
  readonly isTrustedProxy?: (address: string) => boolean;
  /** The address at which the server under test finds the database. The tests themselves read it directly. */
  readonly route?: (databaseUrl: string) => Promise<string>;
}

export function bundleOf(blueprint: string): Bundle {
  const { model, diagnostics } = checkBlueprint(blueprint);
  if (model === null) throw new Error(diagnostics.map((each) => each.message).join("\n"));
  return compileModel(model);
}

export async function createTestCell(options: TestCellOptions = {}): Promise<TestCell> {
  const database = await createTestDatabase(cellTemplate);
  const pool = createPool({ connectionString: database.url, max: 8, applicationName: "test cell" });
  await runMigrations({ pool, schema: CELL_SCHEMA, migrations: cellMigrations });
  const servedUrl = (await options.route?.(database.url)) ?? database.url;
  const connection = { connectionString: servedUrl, applicationName: "server under test" };
  const fastLane: FastLane = createFastLane({ ...connection, connections: 2 });
  const slowPool = createPool({ ...connection, max: 8 });
  // No test waits for a budget: `tenant-scope.test.ts` tests it.
  const limits = { slowBudget: { msPerSecond: 100_000, burstMs: 100_000 } };
  const tenants: TenantScope = createTenantScope({ fastLane, pool: slowPool, limits });
  const projects = new Map<string, TestProject>();
  const served = new Map<string, ActiveRelease>();
  const callers = new Map<string, Caller>();
  const reloads: string[] = [];
  const logLines: string[] = [];

  const registry: ReleaseRegistry = {
    get: async (projectId) => served.get(projectId) ?? null,
    peek: (projectId) => served.get(projectId),
    nameOf: async (projectId) => projects.get(projectId)?.release.slug ?? null,
    isSuspended: async () => false,
    reload: async (projectId) => {
      reloads.push(projectId);
      const release = projects.get(projectId)?.release ?? null;
      if (release !== null) served.set(projectId, release);
      return release;
    },
  };
  const authenticator: Authenticator = {
    async authenticate(headers) {
      const caller = callers.get((headers.authorization ?? "").replace("Bearer ", ""));
      if (caller === undefined) throw new Fault("unauthenticated");
      return caller;
    },
  };
  const app = createHttpServer({
    registry,
    authenticator,
    modules: options.modules ?? { match: () => null },
    tenants,
    limits: {
      ...defaultHttpLimits,
      caller: { perSecond: 10_000, burst: 10_000 },
      project: { perSecond: 50_000, burst: 50_000 },
      ...options.limits,
    },
    logger: createLogger({ name: "test", destination: { write: (line: string) => logLines.push(line) } }),
    clock: options.clock ?? { now: Date.now },
    cursorSecret: "a secret of the tests alone",
    secretBox: createSecretBox(testKek),
    ...(options.isTrustedProxy === undefined ? {} : { isTrustedProxy: options.isTrustedProxy }),
    ready: options.ready ?? (async () => null),
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });

  const releaseOf = (projectId: ProjectId, names: TenantNames, bundle: Bundle): ActiveRelease => ({
    projectId,
    slug: bundle.project,
    releaseId: newId("rel"),
    bundle,
    schema: quoteIdentifier(names.schema),
    plans: nothingKept(),
    own: nothingKept(),
  });

  const migrate = async (projectId: ProjectId, before: Pick<Bundle, "tables"> | null, after: Bundle): Promise<void> => {
    const renames = { tables: {}, columns: {} };
    const tables = before?.tables ?? null;
    const { plan, refused } = planMigration({ before: tables, after: after.tables, renames, setAside: [], tag: "t" });
    if (refused.length > 0) throw new Error(JSON.stringify(refused));
    const client = await pool.connect();
    try {
      await client.query(`set role ${stepSql("{owner}", projectId)}`);
      for (const step of plan.steps) {
        // There is nothing to verify or fill: the tests migrate empty tables, or tables whose rows fit.
        if (step.kind === "verify" || step.kind === "backfill") continue;
        await client.query(stepSql(step.sql, projectId));
      }
    } finally {
      await client.query("reset role");
      client.release();
    }
  };

  /**
   * Creates the views for the project's events and changes. They write to the cell's tables, which nobody reads here.
   */
  const giveViews = async (projectId: ProjectId, { schema }: TenantNames, bundle: Bundle): Promise<void> => {
    await pool.query("INSERT INTO plinth.projects (id, slug) VALUES ($1, 'test')", [projectId]);
    const client = await pool.connect();
    if (hasListeners(bundle)) await makeOutbox(client, projectId, schema);
    await bringChangeViews(client, { projectId, bundle }, schema);
    client.release();
  };

  /** Checks each reply of the suite against the project's own OpenAPI document. @throws Error if it doesn't match. */
  const requireDocumented = (name: string | null, ...exchange: Parameters<ApiDocument["replyProblem"]>): void => {
    const project = projects.get(callers.get(name ?? "")?.projectId ?? "");
    if (project === undefined || served.get(project.projectId) !== project.release) return;
    const problem = documentOf(project.release.bundle as Bundle).replyProblem(...exchange);
    if (problem !== null) throw new Error(`${problem}\n${JSON.stringify(exchange)}`);
  };

  const rows: TestCell["rows"] = async (project, sql, values = []) => {
    const text = sql.replaceAll("{schema}", quoteIdentifier(project.names.schema));
    return (await pool.query(text, [...values])).rows as Record<string, unknown>[];
  };

  return {
    app,
    url,
    pool,
    tenants,
    logLines,
    reloads,
    rows,
    async addProject(blueprint) {
      const projectId = newId("prj") as ProjectId;
      const client = await pool.connect();
      const names = await createTenantSchema(client, projectId);
      client.release();
      const bundle = bundleOf(blueprint);
      await migrate(projectId, null, bundle);
      if (hasListeners(bundle) || hasFollowed(bundle)) await giveViews(projectId, names, bundle);
      const project: TestProject = { projectId, names, release: releaseOf(projectId, names, bundle) };
      projects.set(projectId, project);
      served.set(projectId, project.release);
      return project;
    },
    async publish(project, blueprint, { migrate: withSchema = true } = {}) {
      const bundle = bundleOf(blueprint);
      if (withSchema) await migrate(project.projectId, project.release.bundle, bundle);
      project.release = releaseOf(project.projectId, project.names, bundle);
    },
    addCaller(name, project, principal) {
      callers.set(name, { projectId: project.projectId, principal });
    },
    async addUser(name, project, roles) {
      const email = `${name}@example.com`;
      const [row] = await rows(
        project,
        "insert into {schema}.users (id, email, name, roles) values (gen_random_uuid(), $1, $2, $3) returning id",
        [email, name, roles],
      );
      const userId = row?.id as string;
      callers.set(name, {
        projectId: project.projectId,
        principal: {
          kind: "user",
          userId,
          sessionId: userId,
          email,
          roles: [...roles, "public"].sort(),
          keyId: null,
          keyKind: null,
          memberships: [],
        },
      });
      return userId;
    },
    async send(name, method, path, body, headers = {}) {
      const given = body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body);
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(name === null ? {} : { authorization: `Bearer ${name}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(given === undefined ? {} : { body: given as string }),
      });
      const text = await response.text();
      const type = response.headers.get("content-type") ?? "";
      const isJson = type.includes("json");
      requireDocumented(
        name,
        { method, target: path, isList: Array.isArray(body) },
        { status: response.status, type: type.split(";", 1)[0] ?? "", text },
      );
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson && text !== "" ? JSON.parse(text) : undefined,
      };
    },
    async fingerprint(project) {
      const tables = project.release.bundle.tables.map((table) => table.name);
      const sums = await Promise.all(
        tables.map((table) =>
          rows(
            project,
            `select count(*) as n, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as sum from {schema}."${table}" t`,
          ),
        ),
      );
      return JSON.stringify(sums.map((each, i) => [tables[i], each]));
    },
    async close() {
      await app.close();
      await fastLane.close();
      await slowPool.end();
      await pool.end();
      await database.drop();
    },
  };
}

const documents = new WeakMap<Bundle, ApiDocument>();

function documentOf(bundle: Bundle): ApiDocument {
  const known = documents.get(bundle) ?? readDocument(bundle.openapi as JsonObject);
  documents.set(bundle, known);
  return known;
}

export function keyPrincipal(keyId: string, roles: readonly string[]): Caller["principal"] {
  const keyKind = roles.length === 0 ? "publishable" : "secret";
  return { kind: "key", keyId, keyKind, roles: [...new Set([...roles, "public"])].sort(), user: null };
}
