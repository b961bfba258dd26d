// The compiled artefact: data, no logic. The compiler writes it, control publishes it, the runtime serves it.
// SQL stands here as templates; `template.ts` tells which `{names}` they may hold.
import type { Approval, LegacyApproval } from "./approval.ts";
import type { BundleBackground } from "./background.ts";
import type { MigrationPlan, Table } from "./migration.ts";
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

export type Operation = "read" | "create" | "update" | "delete" | "restore" | `transition:${string}`;

export interface BundleEntity {
  readonly name: string;
  readonly plural: string;
  readonly table: string;
  readonly fields: readonly BundleField[];
  /** operation > role > grant. A role that is absent is denied. A state machine's edges stand as `transition:<name>`. */
  readonly access: Readonly<Partial<Record<Operation, Readonly<Record<string, Grant>>>>>;
  /** JSON Schema (2020-12) of the body of a create and of an update; unknown properties are refused. */
  readonly createSchema: object;
  readonly updateSchema: object;
  /** True for every row that a caller of this organization scope may touch, over the row alias `{record}`; null where not scoped. */
  readonly scope: SqlTemplate | null;
  /** The column whose value marks a row as deleted; null where a delete is one. */
  readonly softDelete: string | null;
  readonly stateMachine: BundleStateMachine | null;
  /** What must happen to other records when one of this entity is deleted; in the order in which it is carried out. */
  readonly referrers: readonly Referrer[];
  /** Named checks and the sentence that a violation answers with. */
  readonly checks: readonly { readonly name: string; readonly message: string }[];
  readonly audit: "writes" | "all";
  /** Days after which a record is deleted; null for never. */
  readonly retentionDays: number | null;
  /** Rows that the first release with this entity inserts; column > value, in Postgres's text form. */
  readonly seed: readonly Readonly<Record<string, string | null>>[];
}

export interface Grant {
  /**
   * A boolean SQL template, never null. Rows are named by the holes `{record}` (read, delete, restore), `{new}` (create),
   * `{old}` and `{new}` (update, transitions).
   */
  readonly rule: SqlTemplate;
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

export interface BundleField {
  readonly name: string;
  /** Null for what no column of the table holds: computed fields and many-to-many references. */
  readonly column: string | null;
  /** For casts of parameters: `text`, `integer`, `boolean`, `uuid`, `timestamptz`, `text[]`, `jsonb`, ... */
  readonly sqlType: string;
  /** How the value stands in JSON: a quoted string, or raw (numbers, booleans, arrays, objects). */
  readonly wire: "string" | "raw";
  /** The wire value as SQL over the row alias `{row}`: text, or for `raw` what prints as JSON. */
  readonly select: SqlTemplate;
  /**
   * What goes into the column, over `{value}`: the sent value as text (as it is where `wire` is `string`, else as JSON:
   * of a `json` field a string stands in quotes), or null.
   * `{value}::integer`, `point(...)`.
   */
  readonly write: SqlTemplate;
  readonly optional: boolean;
  /** `service`: never taken from a body. `admin`: taken from callers who hold admin, else set by the default. */
  readonly writer: "caller" | "admin" | "service";
  /** What the service writes at create where the body names nothing; SQL template (`{user.id}`, `{org}`, `now()`, a literal). */
  readonly default: SqlTemplate | null;
  /** Entity that the value must be a readable record of (`user` for a user_ref, `organization` for an org_ref). */
  readonly references: string | null;
  /** May stand in `sort=` and as `field=value`. */
  readonly filterable: boolean;
  /** Set at create only. */
  readonly immutable: boolean;
  /** Never selected and never taken: `internal` fields. */
  readonly hidden: boolean;
  /** Encrypted by the runtime before it is written; taken, never given back. */
  readonly secret: boolean;
  /** Left out of what the audit log and the access log keep. */
  readonly masked: boolean;
  readonly searchable: boolean;
  /** Lower-case ASCII words joined by hyphens, made from this field where none is sent. */
  readonly slugFrom: string | null;
  /** Takes the next number of this counter at create; `default` is null then. */
  readonly sequence: { readonly counter: string; readonly prefix: string } | null;
  /** Many-to-many: where the pairs stand. */
  readonly join: { readonly table: string; readonly own: string; readonly other: string } | null;
}

export type RouteOperation = "list" | "read" | "create" | "update" | "delete" | "restore" | "transition";

/** One generated route. `path` holds `:id` where a record is named. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly entity: string;
  readonly operation: RouteOperation;
  /** Of a transition: which edge. */
  readonly edge?: string;
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
