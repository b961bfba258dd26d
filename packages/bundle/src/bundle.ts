// The compiled artefact: data, no logic. The compiler writes it, control publishes it, the runtime serves it.
// SQL stands here as templates; `template.ts` tells which `{names}` they may hold.
import type { Approval, LegacyApproval } from "./approval.ts";
import type { BundleBackground } from "./background.ts";
import type { BundleField } from "./bundle-field.ts";
import type { MigrationPlan, Table } from "./migration.ts";
import type { Predicate } from "./predicate.ts";
import type { BundleSearch } from "./search.ts";
import type { SqlTemplate } from "./template.ts";

/** Bumped when an older runtime could not serve what a newer compiler writes. */
export const FORMAT_VERSION = 3;

export interface Bundle {
  readonly format: typeof FORMAT_VERSION;
  readonly project: string;
  readonly modules: readonly string[];
  readonly roles: readonly BundleRole[];
  /** Includes the built-in `user`, whose routes stand under /v1/users. */
  readonly entities: readonly BundleEntity[];
  readonly routes: readonly Route[];
  /** Lists under names of their own; absent: there are none. */
  readonly views?: readonly BundleView[];
  /** The routes that handlers of modules serve; they go before those of entities. */
  readonly moduleRoutes: readonly ModuleRoute[];
  /** What happens after a request: events, workflows, schedules, actions. */
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
  /** Made-up people; ids are UUIDs. */
  readonly users: readonly {
    readonly name: string;
    readonly id: string;
    readonly email: string;
    readonly roles: readonly string[];
    /** Field > value in Postgres's text form (of a many-to-many field, an array of ids). */
    readonly profile: Readonly<Record<string, string | null>>;
    readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: string }[];
  }[];
  /** Every field has its value: what the blueprint leaves out is filled in. */
  readonly rows: readonly {
    readonly entity: string;
    readonly name: string;
    readonly id: string;
    readonly values: Readonly<Record<string, string | null>>;
  }[];
  /** Entity > field > what a create that a test makes without it holds there. Only fields that a real one must name. */
  readonly unsent: Readonly<Record<string, Readonly<Record<string, SqlTemplate>>>>;
  readonly expect: readonly {
    readonly as: string;
    readonly entity: string;
    /** `list`, or an operation. */
    readonly operation: "list" | Operation;
    readonly recordId: string | null;
    /** Field > value as a body would hold it. */
    readonly input: Readonly<Record<string, unknown>>;
    /** Ids that a list must hold, exactly; null for other operations. */
    readonly sees: readonly string[] | null;
    readonly allow: boolean | null;
    /** Where it stands in the blueprint, for the message. */
    readonly line: number;
  }[];
}

export interface BundleRole {
  readonly name: string;
  /** Every role that a holder also holds, transitively. */
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
  /** What leads from its records to others, by name; no two have one, nor is one called like a field unless it is that field's own. */
  readonly relations: readonly BundleRelation[];
  /** operation > role > grant. A role that is absent is denied. A state machine's edges stand as `transition:<name>`. */
  readonly access: Readonly<Partial<Record<Operation, Readonly<Record<string, Grant>>>>>;
  /** JSON Schema (2020-12) of the body of a create and of an update; unknown properties are refused. */
  readonly createSchema: object;
  readonly updateSchema: object;
  /** Holds for every row that a caller of this organization scope may touch, over the row alias `{record}`; null where not scoped. */
  readonly scope: Predicate | null;
  /** The column whose value marks a row as deleted; null where a delete is one. */
  readonly softDelete: string | null;
  readonly stateMachine: BundleStateMachine | null;
  /** What must happen to other records when one of this entity is deleted; in the order in which it is carried out. */
  readonly referrers: readonly Referrer[];
  /** Checks that aren't data, and the sentence that a violation answers with; `field` is absent where it is about the record. */
  readonly checks: readonly { readonly name: string; readonly message: string; readonly field?: string }[];
  /** Exclusions of the table and the sentence that a violation answers with; absent: there are none. */
  readonly exclusions?: readonly {
    readonly name: string;
    readonly message: string;
    readonly fields: readonly string[];
  }[];
  /** Absent: nothing of it is searchable. */
  readonly search?: BundleSearch;
  readonly audit: "writes" | "all";
  /** Its changes can be followed; absent where they can't. */
  readonly realtime?: true;
  /** Writes of its records say by `If-Match` which version they are for. */
  readonly requireVersion?: true;
  /** Reference field: writes of records that share it run one after the other. Absent: they don't wait for each other. */
  readonly lock?: string;
  /** Days after which a record is deleted; null for never. */
  readonly retentionDays: number | null;
  /** Rows that the first release with this entity inserts; column > value, in Postgres's text form. */
  readonly seed: readonly Readonly<Record<string, string | null>>[];
}

export interface BundleRelation {
  readonly name: string;
  /** Whose records are at the other end. */
  readonly entity: string;
  /**
   * `reference`: `field` of this entity holds the id of one record. `referrer`: `field` of the other entity refers to this one.
   * `refs`: `field` of this entity is a many-to-many field. `refs_inverse`: `field` of the other entity is.
   */
  readonly by: { readonly kind: "reference" | "referrer" | "refs" | "refs_inverse"; readonly field: string };
}

export interface Grant {
  /** Names rows by the holes `{record}` (read, delete, restore), `{new}` (create), `{old}` and `{new}` (update, transitions). */
  readonly rule: Predicate;
  /** The fields that it lets a caller read or write; null for all. */
  readonly fields: readonly string[] | null;
  /** Field > the value that the service writes in the place of the caller's. */
  readonly set: Readonly<Record<string, SqlTemplate>>;
  /** Most records of one page; null for the API's own bound. */
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
  /** Null for a join table, whose rows just go. */
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

/** One generated route. `path` holds `:id` where a record is named, and `:key` where it is by the values of a unique key. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly entity: string;
  readonly operation: RouteOperation;
  /** Of a transition: which edge. */
  readonly edge?: string;
  /** Of a list: which view it is, of `Bundle.views`; absent for the list of all. */
  readonly view?: string;
  /** Of one with `:key`: the fields whose values, joined by commas, stand there. */
  readonly key?: readonly string[];
}

/**
 * A list of some records of an entity, at `/api/<plural>/<name>`. It is read like the list of all: what the read grants show,
 * filters, cursors and bounds are the same; its `where` stands beside them.
 */
export interface BundleView {
  /** Unique among the views of its entity. */
  readonly name: string;
  readonly entity: string;
  /** Which records are on it, over the row alias `{record}`; never unknown. */
  readonly where: Predicate;
  /** Its order where the caller asks for none, of at most three fields, then by the id; none: as lists are. */
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  /** Records of a page where the caller says nothing, within the bounds that lists have; null: as lists have. */
  readonly limit: number | null;
}

/** One route of a module. `path` holds `:id` and the like where a record is named: UUIDs, all of them. */
export interface ModuleRoute {
  /** Names the handler: `organization.invite`. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** `key`: who comes with an API key, alone or with a user's token. */
  readonly audience: "caller" | "user" | "admin" | "key";
  /** Of a log: filter > what its value must be. Null where a query string is refused. */
  readonly filters: LogFilters | null;
  /** 0: a body is refused. */
  readonly bodyBytesMax: number;
}

export type LogFilters = Readonly<Record<string, "text" | "uuid" | readonly string[]>>;

/** What control hands to a cell: a bundle, the plan that leads to it, and who approved exactly that. */
export interface Publication {
  readonly projectId: string;
  readonly releaseId: string;
  readonly bundle: Bundle;
  readonly plan: MigrationPlan;
  readonly approval: Approval | LegacyApproval;
}
