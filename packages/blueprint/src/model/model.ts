// The checked model of a blueprint: the only input of the compiler and of the diff. Everything is resolved (defaults
// written out, roles expanded, plurals known); no text in it has to be parsed.
import type { Expression } from "@plinth/expression";
import type { Background } from "./background.ts";
import type { Field } from "./field.ts";
import type { JsonValue } from "./json-value.ts";

export type {
  Field,
  FieldDefault,
  FieldSearch,
  FieldType,
  Limits,
  ObjectMember,
  OnDelete,
  SearchWeight,
} from "./field.ts";
export type { JsonValue };

export type ModuleName =
  | "auth"
  | "users"
  | "roles"
  | "organizations"
  | "storage"
  | "webhooks"
  | "workers"
  | "audit_logs";

export interface Model {
  readonly project: string;
  readonly modules: readonly ModuleName[];
  readonly roles: readonly Role[];
  /** Profile fields of the built-in `user`, in addition to `email`, `name` and `roles`. */
  readonly userFields: readonly Field[];
  /**
   * Who else can read users, in addition to themselves and admins; absent if nobody can. Only for the operation `read`.
   */
  readonly userPermissions?: readonly Permission[];
  /** Unique constraints and indexes over profile fields; absent if there are none. */
  readonly userUniques?: readonly (readonly string[])[];
  readonly userIndexes?: readonly (readonly string[])[];
  readonly entities: readonly Entity[];
  readonly api: ApiLimits;
  /** The language whose words search knows; absent: words are found exactly as they are written. */
  readonly searchLanguage?: string;
  /** Workers, workflows, schedules, events, webhooks, actions, integrations. */
  readonly background: Background;
  readonly tests: Tests | null;
}

/** `public`, `user`, `owner` and `admin` always exist; declared roles follow. `inherits` is transitive and sorted. */
export interface Role {
  readonly name: string;
  readonly inherits: readonly string[];
  readonly builtin: boolean;
  /** The name for people, and a sentence about it; absent if not given. */
  readonly label?: string;
  readonly help?: string;
}

export interface Entity {
  /** A singular noun in snake_case, as declared. */
  readonly name: string;
  /** Table name and route segment. */
  readonly plural: string;
  /** The former name. It has an effect only if the previous model has that entity and not this one. */
  readonly was: string | null;
  /**
   * In order: `id`, `org_id` (where org_scoped and not declared), the declared fields, then `created_by`, `created_at`,
   * `updated_at` (where not declared), `deleted_at` (where soft_delete), `version`.
   */
  readonly fields: readonly Field[];
  /** Unique constraints over one or several fields. With soft delete, only records that are not deleted count. */
  readonly uniques: readonly (readonly string[])[];
  /** Declared indexes. The compiler adds those that the service needs. */
  readonly indexes: readonly (readonly string[])[];
  readonly checks: readonly NamedCheck[];
  /** Records with some equal values that must not overlap. Absent: there are none. */
  readonly exclusions?: readonly Exclusion[];
  /**
   * A reference: writes of records with the same reference run one after the other. Absent: they don't wait for each
   * other.
   */
  readonly lock?: string;
  /** Sorted by name. Absent: there are none. */
  readonly views?: readonly View[];
  /** To-many relations: entities that refer to this one, and its own `refs` fields. Sorted by name. */
  readonly relations: readonly Relation[];
  /** The `org_ref` field with the organization of every row; null if rows belong to none. */
  readonly orgField: string | null;
  readonly softDelete: boolean;
  /** Days after which a record is deleted; null for never. */
  readonly retentionDays: number | null;
  readonly stateMachine: StateMachine | null;
  /** Inserted by the first deployment that has the entity, in this order. */
  readonly seed: readonly SeedRow[];
  /** `all`: the audit log also includes reads. */
  readonly audit: "writes" | "all";
  readonly realtime: boolean;
  /** Callers who change a record must send its version. */
  readonly requireVersion?: true;
  readonly label: string | null;
  readonly help: string | null;
  /** Sorted by operation, then role. A missing pair is denied. */
  readonly permissions: readonly Permission[];
}

/** A boolean over one row (`record`) that is true or unknown for every valid row. */
export interface NamedCheck {
  readonly name: string;
  readonly condition: Expression;
}

/** A list with its own name. The read rules also apply to each record in it. */
export interface View {
  readonly name: string;
  /** Over `record`; it can use the caller. */
  readonly where: Expression;
  /** At most three fields; empty: the default order of lists. */
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  /** The default number of records on a page; null: the default of lists. */
  readonly limit: number | null;
}

/** Records with equal `same` fields must not overlap from `from` up to, but not including, `to`; null is open. */
export interface Exclusion {
  readonly name: string;
  readonly same: readonly string[];
  readonly from: string;
  readonly to: string;
  /** Over one row: only records for which it is true count. Null: all. */
  readonly where: Expression | null;
}

export interface Relation {
  readonly name: string;
  /** The entity of the records on the other side. */
  readonly entity: string;
  readonly by: /** `field` of `entity` refers to this entity. */
    | { readonly kind: "referrer"; readonly field: string }
    /** This entity's own `refs` field of that name. */
    | { readonly kind: "refs"; readonly field: string }
    /** The back relation of `field`, a `refs` of `entity`. */
    | { readonly kind: "refs_inverse"; readonly field: string };
}

export interface StateMachine {
  /** An enum field. */
  readonly field: string;
  readonly initial: string;
  readonly edges: readonly Edge[];
}

/** The permissions say who can take a transition, as the operation `transition:<name>`. */
export interface Edge {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Fields that must have a value in the row after the transition. */
  readonly require: readonly string[];
  /** The event; the default is `<entity>.<edge>`. */
  readonly emit: string;
}

/** Field > value as JSON. */
export type SeedRow = Readonly<Record<string, JsonValue>>;

export type Operation = "read" | "create" | "update" | "delete" | "restore" | `transition:${string}`;

export interface Permission {
  readonly role: string;
  readonly operation: Operation;
  /**
   * Who is allowed: the conditions in `allow`, without those in `deny`. See `RowName` for the rows of each operation.
   */
  readonly rule: Expression;
  /** The fields that can be read or written; null for all. */
  readonly fields: readonly string[] | null;
  /** Values that the service writes instead of the caller's (create, update, transitions). */
  readonly set: readonly { readonly field: string; readonly value: Expression }[];
  /** The maximum number of records on a page (read); null for the API's own limit. */
  readonly limit: number | null;
}

/** All limits of the public API that a project can set; each has a value. */
export interface ApiLimits {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly bodyBytesMax: number;
  readonly pageMax: number;
  readonly statementMsMax: number;
}

/** `tests:`; names of users and rows stand for ids that the test runner generates. */
export interface Tests {
  readonly users: readonly TestUser[];
  readonly rows: readonly TestRow[];
  readonly expect: readonly Expectation[];
}

export interface TestUser {
  readonly name: string;
  readonly roles: readonly string[];
  readonly email: string;
  /** Memberships by the organization's name in the tests. */
  readonly organizations: readonly { readonly organization: string; readonly role: string }[];
  readonly profile: SeedRow;
}

export interface TestRow {
  readonly entity: string;
  readonly name: string;
  /** References contain the name of a user, an organization or a row. */
  readonly values: SeedRow;
}

/** `as`: a test user's name, or `public`. `line` is the line in the blueprint. */
export type Expectation =
  | {
      readonly kind: "list";
      readonly as: string;
      readonly entity: string;
      readonly sees: readonly string[];
      readonly line: number;
    }
  | {
      readonly kind: "allow";
      readonly as: string;
      readonly operation: Operation;
      readonly entity: string;
      /** Null for a create. */
      readonly row: string | null;
      /** The input of a create or an update. */
      readonly input: SeedRow;
      readonly allow: boolean;
      readonly line: number;
    };
