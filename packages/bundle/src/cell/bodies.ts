// The bodies that control sends to a cell, except a publication. In: nothing. Out: the shapes, and the schemas with
// which a cell checks a body.
import { z } from "zod";
import type { ApiKeyKind } from "../api-key.ts";
import type { MigrationPlan } from "../migration.ts";

export interface ProjectBody {
  readonly slug: string;
}

export interface SuspendedBody {
  readonly suspended: boolean;
}

export interface KeyBody {
  /** SHA-256 of the key in hex. */
  readonly hash: string;
  readonly kind: ApiKeyKind;
  readonly role: string | null;
  readonly name: string;
  /** RFC 3339. */
  readonly expiresAt: string | null;
}

export interface GrantBody {
  readonly email: string;
  readonly roles: readonly string[];
}

/** A plan that is only measured: it is not approved and never run, and the effects of its steps are not checked. */
export interface MeasuredBody {
  readonly steps: MigrationPlan["steps"];
  /** By the path of a change, records that refer to others by a column. */
  readonly referring?: readonly MeasuredReferences[];
  /** By the path of a change, records to be counted by the value of a column. */
  readonly counted?: readonly MeasuredRecords[];
}

export interface MeasuredRecords {
  readonly path: string;
  /** A description of the records, for people. */
  readonly what: string;
  readonly table: string;
  /** If this column is empty, a record doesn't count. */
  readonly column: string;
  /** The values that count; null for all. */
  readonly only: readonly string[] | null;
  readonly except: readonly string[];
}

export interface MeasuredReferences {
  readonly path: string;
  readonly table: string;
  readonly column: string;
  readonly target: string;
  /** Deleted records of the target are kept, and don't count. */
  readonly keepsDeleted: boolean;
}

export const projectBody: z.ZodType<ProjectBody> = z.strictObject({ slug: z.string().max(100) });

export const suspendedBody: z.ZodType<SuspendedBody> = z.strictObject({ suspended: z.boolean() });

export const keyBody: z.ZodType<KeyBody> = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(["publishable", "secret"]),
  role: z.string().max(63).nullable(),
  name: z.string().max(200),
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
});

export const grantBody: z.ZodType<GrantBody> = z.strictObject({
  email: z.string().max(254),
  roles: z.array(z.string().max(63)).max(50),
});

const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);

const facts = {
  id: z.string().max(200),
  table: name.nullable(),
  lock: z.enum(["none", "row exclusive", "share update exclusive", "share row exclusive", "access exclusive"]),
  rewrites: z.boolean(),
  scans: z.boolean(),
};

const step = z.discriminatedUnion("kind", [
  z.looseObject({ ...facts, kind: z.literal("statement"), transactional: z.boolean() }),
  z.looseObject({ ...facts, kind: z.literal("backfill") }),
  z.looseObject({ ...facts, kind: z.literal("verify"), count: z.string().min(1), sample: z.string().min(1) }),
  z.looseObject({ ...facts, kind: z.enum(["set_aside", "restore"]) }),
]);

const referring = z.strictObject({
  path: z.string().max(200),
  table: name,
  column: name,
  target: name,
  keepsDeleted: z.boolean(),
});

const values = z.array(z.string().max(1_000)).max(10_000);
const counted = z.strictObject({
  path: z.string().max(200),
  what: z.string().max(1_000),
  table: name,
  column: name,
  only: values.nullable(),
  except: values,
});

const measured = z.looseObject({
  steps: z.array(step).max(10_000),
  referring: z.array(referring).max(10_000).default([]),
  counted: z.array(counted).max(10_000).default([]),
});

/** Only the parts that measuring reads are checked; the rest of a step is what the compiler wrote. */
export const measuredBody: z.ZodType<MeasuredBody> = measured as unknown as z.ZodType<MeasuredBody>;
