// The compiled artefact: only data, no logic. The compiler writes it, control publishes it, the runtime serves it. SQL
// is stored as templates; `template.ts` lists the possible `{names}` in them.
import type { Approval, LegacyApproval } from "./approval.ts";
import type { BundleBackground } from "./background.ts";
import type { BundleField } from "./bundle-field.ts";
import type { MigrationPlan, Table } from "./migration.ts";
import type { Predicate } from "./predicate.ts";
import type { BundleSearch } from "./search.ts";
import type { SqlTemplate } from "./template.ts";

/** Raised when an older runtime could not serve what a newer compiler writes. */
export const FORMAT_VERSION = 3;

export interface Bundle {
  readonly format: typeof FORMAT_VERSION;
  readonly project: string;
  readonly modules: readonly string[];
  readonly roles: readonly BundleRole[];
  /** Includes the built-in `user`, whose routes are under /v1/users. */
  readonly entities: readonly BundleEntity[];
  readonly routes: readonly Route[];
  /** Lists with their own names; absent: there are none. */
  readonly views?: readonly BundleView[];
  /** The routes with handlers of modules; they have priority over those of entities. */
  readonly moduleRoutes: readonly ModuleRoute[];
  /** Background work: events, workflows, schedules, actions. */
  readonly background: BundleBackground;
  readonly limits: BundleLimits;
  /** Blueprint tests, lowered: run against the migrated schema in a transaction that is rolled back. */
  readonly tests: BundleTests | null;
  /** All tables of the project's schema, so that the next plan can be made without the database. */
  readonly tables: readonly Table[];
  /** The OpenAPI 3.1 document, served as it is. */
  readonly openapi: unknown;
  /** The TypeScript declarations of the SDK, served as they are. */
  readonly sdkTypes: string;
}

export interface BundleLimits {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly bodyBytesMax: number;
  readonly pageMax: number;
  readonly statementMsMax: number;
}

export interface BundleTests {
  /** Users of the tests; ids are UUIDs. */
  readonly users: readonly {
    readonly name: string;
    readonly id: string;
    readonly email: string;
    readonly roles: readonly string[];
    /** Field > value in Postgres's text form (for a many-to-many field, an array of ids). */
    readonly profile: Readonly<Record<string, string | null>>;
    readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: string }[];
  }[];
  /** Every field has a value, including defaults. */
  readonly rows: readonly {
    readonly entity: string;
    readonly name: string;
    readonly id: string;
    readonly values: Readonly<Record<string, string | null>>;
  }[];
  /** Entity > field > the value that a create in a test gets if it doesn't send one. Only required fields. */
  readonly unsent: Readonly<Record<string, Readonly<Record<string, SqlTemplate>>>>;
  readonly expect: readonly {
    readonly as: string;
    readonly entity: string;
    /** `list`, or an operation. */
    readonly operation: "list" | Operation;
    readonly recordId: string | null;
    /** Field > value as in a body. */
    readonly input: Readonly<Record<string, unknown>>;
    /** The ids that a list must contain, exactly; null for other operations. */
    readonly sees: readonly string[] | null;
    readonly allow: boolean | null;
    /** Its line in the blueprint, for the message. */
    readonly line: number;
  }[];
}

export interface BundleRole {
  readonly name: string;
  /** All roles that a holder also has, transitively. */
  readonly inherits: readonly string[];
}

export type Operation =
  | "read"
  | "create"
  | "update"
  | "delete"
  | "update_many"
  | "delete_many"
  | "restore"
  | `transition:${string}`;

export interface BundleEntity {
  readonly name: string;
  readonly plural: string;
  readonly table: string;
  readonly fields: readonly BundleField[];
  /**
   * The relations of its records, by name. Names are unique; a relation has the name of a field only if it belongs to
   * that field.
   */
  readonly relations: readonly BundleRelation[];
  /** operation > role > grant. A missing role is denied. Transitions of a state machine are `transition:<name>`. */
  readonly access: Readonly<Partial<Record<Operation, Readonly<Record<string, Grant>>>>>;
  /** JSON Schema (2020-12) of the body of a create and of an update; unknown properties are refused. */
  readonly createSchema: object;
  readonly updateSchema: object;
  /**
   * True for every row that a caller of this organization can access, over the row alias `{record}`; null if not
   * scoped.
   */
  readonly scope: Predicate | null;
  /** The column whose value marks a row as deleted; null if a delete removes the row. */
  readonly softDelete: string | null;
  readonly stateMachine: BundleStateMachine | null;
  /** The effects on other records when one of this entity is deleted, in order. */
  readonly referrers: readonly Referrer[];
  /** Checks that aren't data, and the message for a violation; `field` is absent if it is about the record. */
  readonly checks: readonly { readonly name: string; readonly message: string; readonly field?: string }[];
  /** Exclusions of the table and the message for a violation; absent: there are none. */
  readonly exclusions?: readonly {
    readonly name: string;
    readonly message: string;
    readonly fields: readonly string[];
  }[];
  /** Absent: no field is searchable. */
  readonly search?: BundleSearch;
  readonly audit: "writes" | "all";
  /** Clients can follow its changes; absent if they can't. */
  readonly realtime?: true;
  /** Writes of its records must send `If-Match` with the version. */
  readonly requireVersion?: true;
  /**
   * Reference field: writes of records with the same reference run one after the other. Absent: they don't wait for
   * each other.
   */
  readonly lock?: string;
  /** Days after which a record is deleted; null for never. */
  readonly retentionDays: number | null;
  /** Rows that the first release with this entity inserts; column > value, in Postgres's text form. */
  readonly seed: readonly Readonly<Record<string, string | null>>[];
}

export interface BundleRelation {
  readonly name: string;
  /** The entity of the records on the other side. */
  readonly entity: string;
  /**
   * `reference`: `field` of this entity has the id of one record. `referrer`: `field` of the other entity refers to
   * this one. `refs`: `field` of this entity is a many-to-many field. `refs_inverse`: `field` of the other entity is.
   */
  readonly by: { readonly kind: "reference" | "referrer" | "refs" | "refs_inverse"; readonly field: string };
}

export interface Grant {
  /**
   * Names rows by the placeholders `{record}` (read, delete, restore), `{new}` (create), `{old}` and `{new}` (update,
   * transitions).
   */
  readonly rule: Predicate;
  /** The fields that a caller can read or write; null for all. */
  readonly fields: readonly string[] | null;
  /** Field > the value that the service writes instead of the caller's. */
  readonly set: Readonly<Record<string, SqlTemplate>>;
  /** The maximum number of records on a page; null for the API's own limit. */
  readonly limit: number | null;
}

export interface BundleStateMachine {
  /** A field of the entity. */
  readonly field: string;
  readonly initial: string;
  readonly edges: readonly {
    readonly name: string;
    readonly from: readonly string[];
    readonly to: string;
    /** Fields that must not be null afterwards. */
    readonly require: readonly string[];
    readonly emit: string;
  }[];
}

/** A field of another entity (or of a join table) that refers to this entity. */
export interface Referrer {
  /** Null for a join table, whose rows are just removed. */
  readonly entity: string | null;
  readonly table: string;
  readonly column: string;
  readonly onDelete: "restrict" | "cascade" | "set_null";
}

export type RouteOperation =
  | "list"
  | "aggregate"
  | "read"
  | "upsert"
  | "create"
  | "update"
  | "delete"
  | "update_many"
  | "delete_many"
  | "restore"
  | "transition";

/** One generated route. `path` contains `:id` for a record, or `:key` for a record by a unique key. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly entity: string;
  readonly operation: RouteOperation;
  /** For a transition: its name. */
  readonly edge?: string;
  /** For a list: the view in `Bundle.views`; absent for the list of all records. */
  readonly view?: string;
  /** For one with `:key`: the fields of the key, whose values are separated by commas. */
  readonly key?: readonly string[];
}

/**
 * A list of some records of an entity, at `/api/<plural>/<name>`. It is read like the list of all records: with the
 * same read grants, filters, cursors and limits; its `where` is an additional condition.
 */
export interface BundleView {
  /** Unique among the views of its entity. */
  readonly name: string;
  readonly entity: string;
  /** Its condition, over the row alias `{record}`; never unknown. */
  readonly where: Predicate;
  /** Its default order, of at most three fields, then by the id; empty: the default order of lists. */
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  /** The default number of records on a page, within the limits of lists; null: the default of lists. */
  readonly limit: number | null;
}

/** One route of a module. `path` contains `:id` and similar placeholders for records: all of them are UUIDs. */
export interface ModuleRoute {
  /** Names the handler: `organization.invite`. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** `key`: a caller with an API key, with or without a user's token. */
  readonly audience: "caller" | "user" | "admin" | "key";
  /** For a log: filter > its possible values. Null if a query string is refused. */
  readonly filters: LogFilters | null;
  /** 0: a body is refused. */
  readonly bodyBytesMax: number;
}

export type LogFilters = Readonly<Record<string, "text" | "uuid" | readonly string[]>>;

/** What control sends to a cell: a bundle, the plan that leads to it, and the approval of exactly that. */
export interface Publication {
  readonly projectId: string;
  readonly releaseId: string;
  readonly bundle: Bundle;
  readonly plan: MigrationPlan;
  readonly approval: Approval | LegacyApproval;
}
