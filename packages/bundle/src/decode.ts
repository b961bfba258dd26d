// Decodes a publication that arrived over the wire. In: any data. Out: a typed publication, or every problem with its path.
// It never drops a member that it doesn't know: the hashes of an approval are over the data as sent.
import { z } from "zod";
import { FORMAT_VERSION, type Publication } from "./bundle.ts";
import { isProjectId } from "./ids.ts";

export interface DecodeProblem {
  readonly path: string;
  readonly message: string;
}

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly DecodeProblem[] };

/** Checks the shape and the format version; the hashes and the signature are the receiver's to check. */
export function decodePublication(data: unknown): Decoded<Publication> {
  const parsed = publication.safeParse(data);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
    return { ok: false, problems };
  }
  const problems = namesThatDangle(data as Publication);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: data as Publication };
}

// Names become SQL identifiers in the runtime: nothing but these characters may stand in one.
const identifier = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, "not an identifier");
const sql = z.string();
const hash = z.string().regex(/^[0-9a-f]{64}$/, "not a SHA-256 in hex");

const field = z.looseObject({
  name: identifier,
  column: identifier,
  sqlType: z.string().regex(/^[a-z][a-z0-9 ()[\],]*$/, "not a type's name"),
  wire: z.enum(["string", "raw"]),
  select: sql,
  optional: z.boolean(),
  writer: z.enum(["caller", "admin", "service"]),
  default: sql.nullable(),
  references: identifier.nullable(),
  filterable: z.boolean(),
});

const access = z.record(identifier, sql);

const entity = z.looseObject({
  name: identifier,
  plural: identifier,
  table: identifier,
  fields: z.array(field),
  access: z.looseObject({ read: access, create: access, update: access, delete: access }),
  createSchema: z.looseObject({}),
  updateSchema: z.looseObject({}),
});

const route = z.looseObject({
  method: z.enum(["GET", "POST", "PATCH", "DELETE"]),
  path: z.string().startsWith("/"),
  entity: identifier,
  operation: z.enum(["list", "read", "create", "update", "delete"]),
});

const columnNames = z.array(identifier).min(1);

const table = z.looseObject({
  name: identifier,
  columns: z.array(
    z.looseObject({
      name: identifier,
      sqlType: z.string(),
      nullable: z.boolean(),
      default: z.string().nullable(),
      identity: z.boolean(),
    }),
  ),
  uniques: z.array(z.looseObject({ name: identifier, columns: columnNames })),
  indexes: z.array(z.looseObject({ name: identifier, columns: z.array(z.string()) })),
  foreignKeys: z.array(
    z.looseObject({
      name: identifier,
      column: identifier,
      table: identifier,
      onDelete: z.enum(["restrict", "set null", "cascade"]),
    }),
  ),
  checks: z.array(z.looseObject({ name: identifier, column: identifier, rule: z.looseObject({ kind: z.string() }) })),
  privileges: z.array(z.enum(["select", "insert", "update", "delete"])),
});

const bundle = z.looseObject({
  format: z.literal(FORMAT_VERSION),
  project: z.string(),
  modules: z.array(z.string()),
  roles: z.array(z.looseObject({ name: identifier, inherits: z.array(identifier) })),
  entities: z.array(entity),
  routes: z.array(route),
  tables: z.array(table),
  openapi: z.looseObject({}),
  sdkTypes: z.string(),
});

const step = z.looseObject({
  id: z.string().regex(/^[A-Za-z0-9._-]{1,200}$/, "not a step id"),
  summary: z.string(),
  risk: z.enum(["safe", "online"]),
  sql: z.string().min(1),
  transactional: z.boolean(),
  cleanup: sql.nullable(),
});

const publication = z.looseObject({
  projectId: z.string().refine(isProjectId, "not a project id"),
  releaseId: z.string().regex(/^rel_[0-9a-z]{20}$/, "not a release id"),
  bundle,
  plan: z.looseObject({ steps: z.array(step) }),
  approval: z.looseObject({
    projectId: z.string(),
    releaseId: z.string(),
    baseHash: hash.nullable(),
    bundleHash: hash,
    planHash: hash,
    approvedBy: z.string().min(1),
    approvedAt: z.iso.datetime(),
    signature: hash,
  }),
});

function namesThatDangle({ bundle, plan }: Publication): DecodeProblem[] {
  const problems: DecodeProblem[] = [];
  const entities = new Set(bundle.entities.map((entity) => entity.name));
  const roles = new Set(bundle.roles.map((role) => role.name));
  for (const route of bundle.routes) {
    if (!entities.has(route.entity)) problems.push({ path: "bundle.routes", message: `no entity ${route.entity}` });
  }
  for (const role of bundle.roles) {
    for (const inherited of role.inherits) {
      if (!roles.has(inherited)) problems.push({ path: "bundle.roles", message: `no role ${inherited}` });
    }
  }
  const steps = new Set(plan.steps.map((step) => step.id));
  if (steps.size !== plan.steps.length) problems.push({ path: "plan.steps", message: "a step id stands twice" });
  return problems;
}
