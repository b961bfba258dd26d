// Decodes bundles and plans from the wire or from a table. In: data in this format or an older one. Out: the same in
// the newest format, or every problem with its path. It never drops an unknown member.
import { z } from "zod";
import { type Bundle, FORMAT_VERSION, type Publication } from "./bundle.ts";
import { background } from "./decode-background.ts";
import { field, identifier, sql } from "./decode-field.ts";
import { table } from "./decode-table.ts";
import { isProjectId } from "./ids.ts";
import type { MigrationPlan } from "./migration.ts";
import { predicate } from "./predicate.ts";
import { formatOf, upgradeBundle, upgradePlan } from "./upgrades/upgrade.ts";

export interface DecodeProblem {
  readonly path: string;
  readonly message: string;
}

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly DecodeProblem[] };

/** A decoded publication, with the data that were sent: the hashes are computed over these, and they are stored. */
export interface ReceivedPublication extends Publication {
  readonly sent: { readonly bundle: unknown; readonly plan: unknown };
}

/** Checks the shape and the format version; the receiver checks the hashes and the signature. */
export function decodePublication(data: unknown): Decoded<ReceivedPublication> {
  const sent = data as Readonly<Record<string, unknown>> | null | undefined;
  const format = formatOf(sent?.bundle);
  const upgraded =
    format === null || format === FORMAT_VERSION
      ? data
      : {
          ...sent,
          ...attempt(() => ({ bundle: upgradeBundle(sent?.bundle, format), plan: upgradePlan(sent?.plan, format) })),
        };
  const parsed = publication.safeParse(upgraded);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const problems = namesThatDangle(upgraded as Publication);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { ...(upgraded as Publication), sent: { bundle: sent?.bundle, plan: sent?.plan } } };
}

/**
 * A bundle that was decoded when it was stored, perhaps by an older version of Plinth. One in the newest format is not
 * checked again. Not ok: its format is newer than this version, or its upgrade is not valid.
 */
export function readStoredBundle(stored: unknown): Decoded<Bundle> {
  const format = formatOf(stored);
  if (format === FORMAT_VERSION) return { ok: true, value: stored as Bundle };
  if (format === null) {
    const said = JSON.stringify((stored as { readonly format?: unknown } | null)?.format);
    const message = `format ${said} is not supported: the newest format that this version of Plinth supports is ${FORMAT_VERSION}`;
    return { ok: false, problems: [{ path: "format", message }] };
  }
  const upgraded = attempt(() => upgradeBundle(stored, format));
  const parsed = bundle.safeParse(upgraded);
  return parsed.success ? { ok: true, value: upgraded as Bundle } : { ok: false, problems: problemsOf(parsed.error) };
}

/** @param bundle The stored bundle that the plan leads to, which says the format of both. */
export function readStoredPlan(plan: unknown, bundle: unknown): MigrationPlan {
  return upgradePlan(plan, formatOf(bundle) ?? FORMAT_VERSION) as MigrationPlan;
}

/** Data with a wrong format number has no shape that an upgrade could rely on, so it is refused. */
function attempt<T>(upgrade: () => T): T | null {
  try {
    return upgrade();
  } catch {
    return null;
  }
}

function problemsOf(error: z.ZodError): readonly DecodeProblem[] {
  return error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
}

const hash = z.string().regex(/^[0-9a-f]{64}$/, "not a SHA-256 in hex");

const grant = z.looseObject({
  rule: predicate,
  fields: z.array(identifier).nullable(),
  set: z.record(identifier, sql),
  limit: z.number().int().positive().nullable(),
});

/** `transition:<edge>` beside the others. */
const operation = z
  .string()
  .regex(/^(?:read|create|update|delete|restore|transition:[a-z_][a-z0-9_]{0,62})$/, "not an operation");

const stateMachine = z.looseObject({
  field: identifier,
  initial: z.string(),
  edges: z.array(
    z.looseObject({
      name: identifier,
      from: z.array(z.string()),
      to: z.string(),
      require: z.array(identifier),
      emit: z.string(),
    }),
  ),
});

const texts = z.record(identifier, z.string().nullable());

const entity = z.looseObject({
  name: identifier,
  plural: identifier,
  table: identifier,
  fields: z.array(z.looseObject(field)),
  relations: z.array(
    z.looseObject({
      name: identifier,
      entity: identifier,
      by: z.looseObject({ kind: z.enum(["reference", "referrer", "refs", "refs_inverse"]), field: identifier }),
    }),
  ),
  access: z.record(operation, z.record(identifier, grant)),
  createSchema: z.looseObject({}),
  updateSchema: z.looseObject({}),
  scope: predicate.nullable(),
  softDelete: identifier.nullable(),
  stateMachine: stateMachine.nullable(),
  referrers: z.array(
    z.looseObject({
      entity: identifier.nullable(),
      table: identifier,
      column: identifier,
      onDelete: z.enum(["restrict", "cascade", "set_null"]),
    }),
  ),
  checks: z.array(z.looseObject({ name: identifier, message: z.string(), field: identifier.optional() })),
  exclusions: z.array(z.looseObject({ name: identifier, message: z.string(), fields: z.array(identifier) })).optional(),
  search: z
    .looseObject({
      language: identifier,
      words: z.string(),
      similar: z.string().optional(),
      unfolded: z.literal(true).optional(),
    })
    .optional(),
  audit: z.enum(["writes", "all"]),
  realtime: z.literal(true).optional(),
  requireVersion: z.literal(true).optional(),
  lock: identifier.optional(),
  retentionDays: z.number().int().positive().nullable(),
  seed: z.array(texts),
});

const route = z.looseObject({
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: z.string().startsWith("/"),
  entity: identifier,
  operation: z.enum([
    "list",
    "aggregate",
    "read",
    "upsert",
    "create",
    "update",
    "delete",
    "update_many",
    "delete_many",
    "restore",
    "transition",
  ]),
  edge: identifier.optional(),
  view: identifier.optional(),
  key: z.array(identifier).min(1).optional(),
});

const view = z.looseObject({
  name: identifier,
  entity: identifier,
  where: predicate,
  sort: z.array(z.looseObject({ field: identifier, descending: z.boolean() })).max(3),
  limit: z.number().int().positive().nullable(),
});

const moduleRoute = z.looseObject({
  operation: z.string(),
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: z.string().startsWith("/"),
  audience: z.enum(["caller", "user", "admin", "key"]),
  filters: z.record(identifier, z.union([z.enum(["text", "uuid"]), z.array(z.string())])).nullable(),
  bodyBytesMax: z.number().int().nonnegative(),
});

const tests = z.looseObject({
  users: z.array(
    z.looseObject({
      name: z.string(),
      id: z.uuid(),
      email: z.string(),
      roles: z.array(identifier),
      profile: texts,
      organizations: z.array(z.looseObject({ id: z.uuid(), name: z.string(), role: z.string() })),
    }),
  ),
  rows: z.array(z.looseObject({ entity: identifier, name: z.string(), id: z.uuid(), values: texts })),
  unsent: z.record(identifier, z.record(identifier, z.string())),
  expect: z.array(
    z.looseObject({
      as: z.string(),
      entity: identifier,
      operation: z.union([z.literal("list"), operation]),
      recordId: z.uuid().nullable(),
      input: z.looseObject({}),
      sees: z.array(z.uuid()).nullable(),
      allow: z.boolean().nullable(),
      line: z.number(),
    }),
  ),
});

const limit = z.number().int().positive();

const bundle = z.looseObject({
  format: z.literal(FORMAT_VERSION),
  project: z.string(),
  modules: z.array(z.string()),
  roles: z.array(z.looseObject({ name: identifier, inherits: z.array(identifier) })),
  entities: z.array(entity),
  routes: z.array(route),
  views: z.array(view).optional(),
  moduleRoutes: z.array(moduleRoute),
  limits: z.looseObject({
    requestsPerSecond: limit,
    burst: limit,
    bodyBytesMax: limit,
    pageMax: limit,
    statementMsMax: limit,
  }),
  background,
  tests: tests.nullable(),
  tables: z.array(table),
  openapi: z.looseObject({}),
  sdkTypes: z.string(),
});

const facts = {
  id: z.string().regex(/^[A-Za-z0-9._-]{1,200}$/, "not a step id"),
  summary: z.string(),
  class: z.enum(["safe", "online", "backfill", "data_dependent", "rewrite", "destructive"]),
  phase: z.enum(["before", "switch", "after"]),
  table: identifier.nullable(),
  lock: z.enum(["none", "row exclusive", "share update exclusive", "share row exclusive", "access exclusive"]),
  rewrites: z.boolean(),
  scans: z.boolean(),
  undo: z.string(),
};

const someSql = z.string().min(1);

const setAside = z.looseObject({
  kind: z.enum(["table", "column"]),
  table: identifier,
  column: identifier.nullable(),
  keptAs: identifier,
  sqlType: z.string().nullable(),
  was: table.nullable(),
});

const step = z.discriminatedUnion("kind", [
  z.looseObject({
    ...facts,
    kind: z.literal("statement"),
    sql: someSql,
    transactional: z.boolean(),
    cleanup: sql.nullable(),
  }),
  z.looseObject({ ...facts, kind: z.literal("backfill"), sql: someSql }),
  z.looseObject({ ...facts, kind: z.literal("verify"), count: someSql, sample: someSql, violation: z.string() }),
  z.looseObject({ ...facts, kind: z.enum(["set_aside", "restore"]), what: setAside, sql: someSql }),
]);

/** Everything that the decoder knows about a bundle and a plan's steps, as JSON Schema: the definition of a format. */
export function shapeOfFormat(): unknown {
  return { bundle: z.toJSONSchema(bundle), step: z.toJSONSchema(step) };
}

const agreed = {
  projectId: z.string(),
  releaseId: z.string(),
  baseHash: hash.nullable(),
  bundleHash: hash,
  planHash: hash,
  consents: z.array(z.string().min(1)),
  approvedBy: z.string().min(1),
  approvedAt: z.iso.datetime(),
};

const publication = z.looseObject({
  projectId: z.string().refine(isProjectId, "not a project id"),
  releaseId: z.string().regex(/^rel_[0-9a-z]{20}$/, "not a release id"),
  bundle,
  plan: z.looseObject({ steps: z.array(step) }),
  approval: z.discriminatedUnion("scheme", [
    z.looseObject({
      ...agreed,
      scheme: z.literal("ed25519"),
      cell: z.string().min(1),
      name: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, "not a project's name"),
      signedAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      keyId: z.string().min(1),
      signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/, "not a signature"),
    }),
    z.looseObject({ ...agreed, scheme: z.undefined().optional(), signature: hash }),
  ]),
});

function namesThatDangle({ bundle, plan }: Publication): DecodeProblem[] {
  const problems: DecodeProblem[] = [];
  const entities = new Map(bundle.entities.map((entity) => [entity.name, entity]));
  const roles = new Set(bundle.roles.map((role) => role.name));
  for (const route of bundle.routes) {
    const entity = entities.get(route.entity);
    if (entity === undefined) problems.push({ path: "bundle.routes", message: `no entity ${route.entity}` });
    else if (route.operation === "transition" && !entity.stateMachine?.edges.some((edge) => edge.name === route.edge)) {
      problems.push({ path: "bundle.routes", message: `no edge ${route.edge} of ${route.entity}` });
    }
    const isListed = bundle.views?.some(({ name, entity }) => name === route.view && entity === route.entity);
    if (route.view !== undefined && isListed !== true)
      problems.push({ path: "bundle.routes", message: `no view ${route.view} of ${route.entity}` });
  }
  for (const { name, entity, sort } of bundle.views ?? []) {
    const fields = new Set(entities.get(entity)?.fields.map((field) => field.name));
    if (sort.some(({ field }) => !fields.has(field)))
      problems.push({ path: "bundle.views", message: `${name} is sorted by no field of ${entity}` });
  }
  for (const role of bundle.roles) {
    for (const inherited of role.inherits) {
      if (!roles.has(inherited)) problems.push({ path: "bundle.roles", message: `no role ${inherited}` });
    }
  }
  for (const { name, fields, referrers } of bundle.entities) {
    const named = [...fields.map((field) => field.references), ...referrers.map((referrer) => referrer.entity)];
    for (const other of named) {
      if (other !== null && !entities.has(other))
        problems.push({ path: "bundle.entities", message: `${name} names no entity ${other}` });
    }
  }
  const steps = new Set(plan.steps.map((step) => step.id));
  if (steps.size !== plan.steps.length) problems.push({ path: "plan.steps", message: "a step id is used twice" });
  return problems;
}
