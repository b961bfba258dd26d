// The compiled artefact: data, no logic. The compiler writes it, control publishes it, the runtime serves it.
// SQL stands here as templates; `template.ts` tells which `{names}` they may hold.
import type { MigrationPlan, Table } from "./migration.ts";
import type { SqlTemplate } from "./template.ts";

/** Bumped when an older runtime could not serve what a newer compiler writes. */
export const FORMAT_VERSION = 1;

export interface Bundle {
  readonly format: typeof FORMAT_VERSION;
  readonly project: string;
  readonly modules: readonly string[];
  readonly roles: readonly BundleRole[];
  /** Includes the built-in `user`, whose routes stand under /v1/users. */
  readonly entities: readonly BundleEntity[];
  readonly routes: readonly Route[];
  /** All tables of the project's schema, so that the next plan can be made without the database. */
  readonly tables: readonly Table[];
  /** The OpenAPI 3.1 document, served as it is. */
  readonly openapi: unknown;
  /** The TypeScript declarations of the SDK, served as they are. */
  readonly sdkTypes: string;
}

export interface BundleRole {
  readonly name: string;
  /** Every role that a holder also holds, transitively. */
  readonly inherits: readonly string[];
}

export type Operation = "read" | "create" | "update" | "delete";

export interface BundleEntity {
  readonly name: string;
  readonly plural: string;
  readonly table: string;
  readonly fields: readonly BundleField[];
  /**
   * operation > role > predicate, a boolean SQL template. Rows are named by the holes `{record}` (read, delete),
   * `{new}` (create), `{old}` and `{new}` (update). A role that is absent is denied.
   */
  readonly access: Readonly<Record<Operation, Readonly<Record<string, SqlTemplate>>>>;
  /** JSON Schema (2020-12) of the body of a create and of an update; unknown properties are refused. */
  readonly createSchema: object;
  readonly updateSchema: object;
}

export interface BundleField {
  readonly name: string;
  readonly column: string;
  /** For casts of parameters: `text`, `integer`, `boolean`, `uuid`, `timestamptz`. */
  readonly sqlType: string;
  /** How the value stands in JSON: a quoted string, or raw (numbers, booleans). */
  readonly wire: "string" | "raw";
  /** The wire value as SQL over the row alias `{row}` (a datetime is formatted here). */
  readonly select: SqlTemplate;
  readonly optional: boolean;
  /** `service`: never taken from a body. `admin`: taken from callers who hold admin, else set to the current user. */
  readonly writer: "caller" | "admin" | "service";
  /** What the service writes at create where the body names nothing; SQL template (`{user.id}`, `now()`, a literal). */
  readonly default: SqlTemplate | null;
  /** Entity that the value must be a readable record of (`user` for a user_ref). */
  readonly references: string | null;
  /** May stand in `sort=` and as `field=value`. */
  readonly filterable: boolean;
}

export type RouteOperation = "list" | "read" | "create" | "update" | "delete";

/** One generated route. `path` holds `:id` where a record is named. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly entity: string;
  readonly operation: RouteOperation;
}

/** What control hands to a cell: a bundle, the plan that leads to it, and who approved exactly that. */
export interface Publication {
  readonly projectId: string;
  readonly releaseId: string;
  readonly bundle: Bundle;
  readonly plan: MigrationPlan;
  readonly approval: Approval;
}

export interface Approval {
  /** The project and the release that it is for: the same approval serves no other. */
  readonly projectId: string;
  readonly releaseId: string;
  /** Hash of the bundle that must be active now; null for a first release. */
  readonly baseHash: string | null;
  readonly bundleHash: string;
  readonly planHash: string;
  readonly approvedBy: string;
  /** RFC 3339 UTC. */
  readonly approvedAt: string;
  /** HMAC-SHA-256 (hex) of the other members, keyed by the cell's secret. */
  readonly signature: string;
}
