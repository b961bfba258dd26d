// For tests: a cell on its own database, and publications to deploy in it. Only tests import it.

import { randomBytes } from "node:crypto";
import type { Field, Model } from "@plinth/blueprint";
import { plainField, sampleEntity, sampleModel, serviceField } from "@plinth/blueprint/testing";
import {
  type Approval,
  type Bundle,
  type ControlSigner,
  defaultLimitsMax,
  hashApiKey,
  hashOf,
  type MigrationPlan,
  newApiKey,
  newControlKeys,
  newId,
  type ProjectId,
  type Publication,
  readControlPublicKeys,
  readControlSigner,
  signApproval,
} from "@plinth/bundle";
import type { ReleaseState } from "@plinth/bundle/cell";
import { compileModel, planMigration } from "@plinth/compiler";
import { createLogger, Fault } from "@plinth/service";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import type { Incoming, ModuleContext, Reply } from "../../http/contracts.ts";
import { findOrganization } from "../../http/stages/find-organization.ts";
import { createRetention, type Retention } from "../../jobs/retention.ts";
import type { Caller } from "../../project/principal.ts";
import { createCursorCodec } from "../../query/cursor.ts";
import { inspectRelease } from "../../release/inspect.ts";
import { provisionProject } from "../../release/provision.ts";
import { type PublicationReader, readPublication } from "../../release/read-publication.ts";
import { type ControlTrust, receiveRelease } from "../../release/receive.ts";
import { type Api, type ApiOptions, openApi } from "../open-api.ts";
import { type Cell, type CellOptions, openCell } from "../open-cell.ts";
import { openReleases, type Releases, type ReleasesOptions } from "../open-releases.ts";

export const cellSecret = "a secret that only control and the cell know";
export const cellId = "test";
const controlPair = newControlKeys();
export const controlSigner: ControlSigner = readControlSigner(controlPair.privateKey);
export const controlPublicKey: string = controlPair.publicKey;
/** The test cell's data about control. */
export const trust: ControlTrust = {
  cellId,
  controlKeys: readControlPublicKeys(controlPublicKey),
  secret: cellSecret,
};
export const kek: Buffer = randomBytes(32);

/** A cell with the parts that every mode opens on it, except the listeners. */
export type TestCell = Cell & Api & Releases & { readonly retention: Retention };

export async function openTestCell(
  database: TestDatabase,
  options: Partial<CellOptions & ApiOptions & ReleasesOptions> = {},
): Promise<TestCell> {
  const cell = await openCell({
    databaseUrl: database.url,
    limitsMax: defaultLimitsMax,
    cacheBytesMax: 128 * 1024 * 1024,
    logger: createLogger({ name: "test", level: "silent" }),
    ...options,
  });
  const api = openApi(cell, { kek, publicUrl: "http://127.0.0.1:4000", ...options });
  return {
    ...cell,
    ...api,
    ...openReleases(cell, options),
    retention: createRetention({ ...cell, pool: cell.openPool("platform jobs", 2) }),
  };
}

export { createTestDatabase, type TestDatabase };

const implicit = (name: string, type: Field["type"]): Field =>
  serviceField(name, { type, optional: name === "created_by" });

const text = (name: string, optional: boolean): Field => ({
  ...plainField(name, { kind: "string" }),
  optional,
  limits: { min: null, max: "255", pattern: null },
});

/** A project with one entity, `note`, and the given fields (`?` marks an optional one). */
export function modelOf(fields: readonly string[]): Model {
  const all = [
    implicit("id", { kind: "uuid" }),
    ...fields.map((field) => text(field.replace("?", ""), field.endsWith("?"))),
    implicit("created_by", { kind: "user_ref", onDelete: "set_null" }),
    implicit("created_at", { kind: "datetime" }),
    implicit("updated_at", { kind: "datetime" }),
    implicit("version", { kind: "int" }),
  ];
  const note = sampleEntity("note", all, {
    permissions: (["read", "create", "update", "delete"] as const).map((operation) => ({
      role: "admin",
      operation,
      rule: { kind: "literal", type: { kind: "bool" }, value: true },
      fields: null,
      set: [],
      limit: null,
    })),
  });
  const role = (name: string, inherits: readonly string[], builtin: boolean): Model["roles"][number] => ({
    name,
    inherits,
    builtin,
  });
  return sampleModel({
    project: "notes",
    modules: ["auth", "users", "roles", "audit_logs"],
    roles: [
      role("public", [], true),
      role("user", [], true),
      role("owner", [], true),
      role("admin", [], true),
      role("editor", [], false),
      role("chief", ["editor"], false),
    ],
    entities: [note],
  });
}

function planBetween(base: Bundle | null, bundle: Bundle): MigrationPlan {
  const renames = { tables: {}, columns: {} };
  const before = base?.tables ?? null;
  return planMigration({ before, after: bundle.tables, renames, setAside: [], tag: "test" }).plan;
}

/** A publication like control's: the bundle, the plan from the live one, and a signed approval of exactly these. */
export function publicationOf(
  projectId: ProjectId,
  bundle: Bundle,
  base: Bundle | null,
  plan: MigrationPlan = planBetween(base, bundle),
  releaseId: string = newId("rel"),
): Publication {
  const approval = signApproval(
    {
      cell: cellId,
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
    controlSigner,
    Date.now(),
  );
  return { projectId, releaseId, bundle, plan, approval };
}

export async function makeProject(cell: TestCell, slug = `p-${randomBytes(6).toString("hex")}`): Promise<ProjectId> {
  const projectId: ProjectId = newId("prj");
  await provisionProject(cell, projectId, slug);
  return projectId;
}

/** In this thread. */
export const read: PublicationReader = async (bytes) => readPublication(bytes);

/** Deploys and waits for the end, whether it succeeds or fails. */
export async function deploy(cell: TestCell, publication: Publication): Promise<ReleaseState> {
  // Control signs a new approval for each attempt.
  const { signature: _, ...agreed } = publication.approval as Approval;
  const approval = signApproval(agreed, controlSigner, Date.now());
  const wire = Buffer.from(JSON.stringify({ ...publication, approval }));
  const { releaseId } = await receiveRelease({ ...trust, pool: cell.pool, read }, publication.projectId, wire);
  cell.migrator.start(releaseId);
  await cell.migrator.idle();
  await cell.registry.reload(publication.projectId as ProjectId);
  const status = await inspectRelease(cell.pool, publication.projectId, releaseId);
  if (status === null) throw new Error("a received release is missing");
  return status;
}

/** A project with `note` deployed. */
export async function makeLiveProject(
  cell: TestCell,
): Promise<{ readonly projectId: ProjectId; readonly bundle: Bundle }> {
  const projectId = await makeProject(cell);
  const bundle = compileModel(modelOf(["title"]));
  const status = await deploy(cell, publicationOf(projectId, bundle, null));
  if (status.status !== "active") throw new Error(`deploy failed: ${status.error}`);
  return { projectId, bundle };
}

export async function makeKey(
  cell: TestCell,
  projectId: ProjectId,
  key: { kind?: "publishable" | "secret"; role?: string; expiresAt?: string } = {},
): Promise<{ readonly key: string; readonly keyId: string }> {
  const kind = key.kind ?? "secret";
  const secret = newApiKey(kind);
  const keyId = newId("key");
  const stored = await cell.keys.put({
    keyId,
    projectId,
    hash: hashApiKey(secret),
    kind,
    role: key.role ?? null,
    name: "test",
    expiresAt: key.expiresAt ?? null,
  });
  if (!stored) throw new Error("the key was not stored");
  return { key: secret, keyId };
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly key: string;
  readonly userToken?: string;
  readonly body?: unknown;
  readonly ip?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls a module's route like the pipeline: authenticates, finds the release, calls the handler. Faults are thrown. */
export async function callModule(cell: TestCell, call: Call): Promise<Reply> {
  const incoming: Incoming = {
    id: "req_test",
    method: call.method ?? "POST",
    path: call.path,
    query: call.query ?? "",
    headers: {
      authorization: `Bearer ${call.key}`,
      "content-type": "application/json",
      ...call.headers,
      ...(call.userToken === undefined ? {} : { "plinth-user-token": call.userToken }),
    },
    body: call.body === undefined ? null : Buffer.from(JSON.stringify(call.body)),
    ip: call.ip ?? "192.0.2.1",
  };
  const caller: Caller = await cell.authenticator.authenticate(incoming.headers, { ip: incoming.ip });
  const release = await cell.registry.get(caller.projectId);
  if (release === null) throw new Error("nothing is deployed");
  const match = cell.modules.match(incoming.method, incoming.path, release);
  if (match === null) throw new Fault("not_found", { detail: "No module serves it." });
  return match.answer({
    ...caller,
    organization: findOrganization(caller.principal, incoming),
    incoming,
    release,
    tenant: cell.scopeOf(caller.projectId),
    cursors: createCursorCodec("a secret of the tests alone"),
    inner: alone,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
export function dataOf(reply: Reply): any {
  return JSON.parse(typeof reply.body === "string" ? reply.body : "null").data;
}

/** For a request that contains no other requests. */
export const alone: ModuleContext["inner"] = {
  serve: () => Promise.reject(new Error("this request is made of no others")),
  spend: () => ({}),
};
