// The checked model of a blueprint: the only input of the compiler and of the diff.
// Everything is resolved here (defaults written out, roles expanded, plurals known); nothing in it is text to parse.
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
  /** Profile fields of the built-in `user`, beside its `email`, `name` and `roles`. */
  readonly userFields: readonly Field[];
  /** Who else may read users, beside themselves and admins; absent where nobody may. Of the operation `read` alone. */
  readonly userPermissions?: readonly Permission[];
  /** Keys of profile fields that no two users share, and indexes over such fields; absent where there are none. */
  readonly userUniques?: readonly (readonly string[])[];
  readonly userIndexes?: readonly (readonly string[])[];
  readonly entities: readonly Entity[];
  readonly api: ApiLimits;
  /** The language whose words a search knows; absent: words are found as they are written. */
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
  /** What people call it, and a sentence about it; absent where none is given. */
  readonly label?: string;
  readonly help?: string;
}

export interface Entity {
  /** Singular snake_case noun, as declared. */
  readonly name: string;
  /** Table name and route segment. */
  readonly plural: string;
  /** The name it had; says something only where the model before has that entity and not this one. */
  readonly was: string | null;
  /**
   * In order: `id`, `org_id` (where org_scoped and not declared), the declared fields, then `created_by`, `created_at`,
   * `updated_at` (where not declared), `deleted_at` (where soft_delete), `version`.
   */
  readonly fields: readonly Field[];
  /** Composite or single unique constraints, each a list of field names. With soft delete they cover the living alone. */
  readonly uniques: readonly (readonly string[])[];
  /** Declared indexes; those that the service makes for itself are the compiler's. */
  readonly indexes: readonly (readonly string[])[];
  readonly checks: readonly NamedCheck[];
  /** No two records that share some values may overlap. Absent: there are none. */
  readonly exclusions?: readonly Exclusion[];
  /** A reference: writes of records that share it run one after the other. Absent: they don't wait for each other. */
  readonly lock?: string;
  /** Sorted by name. Absent: there are none. */
  readonly views?: readonly View[];
  /** To-many relations: who refers to this entity, and its own `refs` fields. Sorted by name. */
  readonly relations: readonly Relation[];
  /** The `org_ref` field that every row's organization stands in; null where rows belong to none. */
  readonly orgField: string | null;
  readonly softDelete: boolean;
  /** Days after which a record is deleted; null for never. */
  readonly retentionDays: number | null;
  readonly stateMachine: StateMachine | null;
  /** Inserted by the first deployment that has the entity, in this order. */
  readonly seed: readonly SeedRow[];
  /** `all`: reads go into the audit log too. */
  readonly audit: "writes" | "all";
  readonly realtime: boolean;
  /** Whoever changes a record says which version they mean. */
  readonly requireVersion?: true;
  readonly label: string | null;
  readonly help: string | null;
  /** Sorted by operation, then role. A pair that is absent is denied. */
  readonly permissions: readonly Permission[];
}

/** A boolean over one row (`record`), true or unknown for every row that may stand. */
export interface NamedCheck {
  readonly name: string;
  readonly condition: Expression;
}

/** A list that is served under a name of its own; every record on it under the read rules as well. */
export interface View {
  readonly name: string;
  /** Over `record`; may ask who reads. */
  readonly where: Expression;
  /** At most three fields; none: as lists are. */
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  /** Records of a page where the caller says nothing; null: as lists have. */
  readonly limit: number | null;
}

/** Records whose fields `same` are equal may not overlap from `from` up to, not including, `to`; null is open. */
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
  /** The entity of the records at the other end. */
  readonly entity: string;
  readonly by: /** `field` of `entity` refers to this entity. */
    | { readonly kind: "referrer"; readonly field: string }
    /** This entity's own `refs` field of that name. */
    | { readonly kind: "refs"; readonly field: string }
    /** The other side of `field`, a `refs` of `entity`. */
    | { readonly kind: "refs_inverse"; readonly field: string };
}

export interface StateMachine {
  /** An enum field. */
  readonly field: string;
  readonly initial: string;
  readonly edges: readonly Edge[];
}

/** Who may take an edge stands in the permissions, as the operation `transition:<name>`. */
export interface Edge {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Fields that must have a value in the row as it is after the transition. */
  readonly require: readonly string[];
  /** The event; `<entity>.<edge>` unless given. */
  readonly emit: string;
}

/** Field > value as it stands in JSON. */
export type SeedRow = Readonly<Record<string, JsonValue>>;

export type Operation = "read" | "create" | "update" | "delete" | "restore" | `transition:${string}`;

export interface Permission {
  readonly role: string;
  readonly operation: Operation;
  /** Who is let in: what allows, and-ed with the negation of what denies. See `RowName` for the rows that each operation sees. */
  readonly rule: Expression;
  /** The fields that may be read or written; null for all. */
  readonly fields: readonly string[] | null;
  /** Values that the service writes in the place of the caller's (create, update, transitions). */
  readonly set: readonly { readonly field: string; readonly value: Expression }[];
  /** Most records of one page (read); null for the API's own bound. */
  readonly limit: number | null;
}

/** All limits of the public API that a project can set; every one has a value. */
export interface ApiLimits {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly bodyBytesMax: number;
  readonly pageMax: number;
  readonly statementMsMax: number;
}

/** `tests:`; names of users and rows stand for ids that the runner makes up. */
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
  /** References hold the name of a user, an organization or a row. */
  readonly values: SeedRow;
}

/** `as`: a test user's name, or `public`. `line` is where it stands in the blueprint. */
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
      /** What is sent with a create or an update. */
      readonly input: SeedRow;
      readonly allow: boolean;
      readonly line: number;
    };
