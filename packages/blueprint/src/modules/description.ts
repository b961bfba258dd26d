// Describes a module as data: its entity, its routes with bodies and replies, their names in the SDK, its events.
// OpenAPI, the route tables in bundles, and the rules' schema are made from it. Only types.
import type { JsonValue } from "../model/json-value.ts";
import type { Entity, Field, Model, ModuleName } from "../model/model.ts";

/** The properties of a project that decide which modules it has, and their shape. */
export type DescribedProject = Pick<Model, "modules" | "roles" | "userFields" | "userPermissions" | "userUniques"> & {
  /** Absent if it doesn't matter which of them can be followed. */
  readonly entities?: readonly Pick<Entity, "plural" | "realtime">[];
};

export interface ModuleDescription {
  /** The module that a blueprint lists; null for a part that every project has. */
  readonly module: ModuleName | null;
  readonly entity: ModuleEntity | null;
  /** In the order of the document. */
  readonly operations: readonly ModuleOperation[];
  readonly events: readonly ModuleEvent[];
  /** Name > schema. Its names start with a capital letter, which no author's entity does. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** Whose records a caller can reach through a built-in rule. */
export type BuiltinRule =
  /** All. */
  | "all"
  /** The user's own record. */
  | "self"
  /** Everybody who is signed in. */
  | "signed_in"
  /** The user's organizations. */
  | "member"
  /** The organizations in which the user is an owner or an admin. */
  | "manager";

export type BuiltinOperation = "read" | "create" | "update" | "delete";

/** An entity that no blueprint declares. */
export interface ModuleEntity {
  readonly name: string;
  readonly plural: string;
  /** The path of its routes. */
  readonly path: string;
  /** The name of its schemas, parameters and replies in the document. */
  readonly component: string;
  readonly fields: readonly Field[];
  /** Unique keys: they identify a record as its id does. */
  readonly uniques: readonly (readonly string[])[];
  /** Names of the fields that rules can use. */
  readonly inRules: readonly string[];
  /** The routes that work like those of any entity. */
  readonly generated: readonly ("list" | "aggregate" | BuiltinOperation)[];
  /** Those of them that a handler of the module answers. */
  readonly handled: readonly ("create" | "delete")[];
  /** Operation > role > rule. */
  readonly access: Readonly<Partial<Record<BuiltinOperation, Readonly<Record<string, BuiltinRule>>>>>;
  /** Whether the document describes these routes like those of any entity; otherwise `operations` does. */
  readonly documented: boolean;
  /** Field > its schema, if its type is not enough. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** Field > its value in examples. */
  readonly example: JsonObject;
  readonly help: string | null;
}

/** An event of a module, mostly about its records. Nobody declares it or emits it in a step: the write emits it. */
export interface ModuleEvent {
  /** It starts with the name of its entity, which no declared event can. */
  readonly name: string;
  /** The entity of its record, which it carries with the previous values of changed fields; null if it carries none. */
  readonly entity: string | null;
  /** What it carries in addition to the record; never a password, a token, or a hash of one. */
  readonly data: readonly Field[];
  /** An event of the project with the same name takes its place. Absent: such a name is refused. */
  readonly yields?: true;
  readonly help: string;
}

/** Who can call a route; its handler checks further conditions. */
export type Audience =
  | "caller"
  /** A signed-in user. */
  | "user"
  | "admin"
  /** A caller with an API key, which identifies the app. */
  | "key";

/** The filters of a log: `text` and `uuid` are compared exactly, a list has all possible values. */
export type LogFilters = Readonly<Record<string, "text" | "uuid" | readonly string[]>>;

export interface ModuleOperation {
  /** `organization.set_member`: the name of its handler, and its `operationId`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Each `{name}` in it stands for the id of a record. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly audience: Audience;
  /**
   * The kind of query string, for the module's entity: `records`: lists; `groups`: totals; `record`: a read of one;
   * `change`: a write of one. `filters`: a log; `followed`: the changes of one of these, by their plural. Null if a
   * query string is refused.
   */
  readonly query:
    | "records"
    | "groups"
    | "record"
    | "change"
    /** A log; `limit` is the default number of entries on a page: 20, unless it is given. */
    | { readonly records: string; readonly filters: LogFilters; readonly limit?: number }
    | { readonly followed: readonly string[] }
    | null;
  /** Null if a body is refused. */
  readonly body: OperationBody | null;
  /** Status > reply. */
  readonly replies: Readonly<Record<number, OperationReply>>;
  /** The failures in the document; any other is possible. */
  readonly faults: readonly FaultStatus[];
  /** The name in the SDK: `organizations.invite`. Null if the SDK does not have it. */
  readonly sdk: string | null;
  /** The maximum size of its body in bytes, if it is larger than for most routes. */
  readonly bodyBytesMax?: number;
  /** True if an `Idempotency-Key` makes repeated requests take effect once. */
  readonly isOnce?: true;
  /** True if one of the entity's generated routes serves it. */
  readonly isGenerated?: true;
}

export type FaultStatus = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 422 | 428 | 429 | 503;

export interface OperationBody {
  readonly schema: JsonObject;
  readonly example: JsonValue;
  /** Its name among the document's bodies, if it has one. */
  readonly component?: string;
  /** True if the request can omit it. */
  readonly isOptional?: true;
}

export interface OperationReply {
  readonly description: string;
  /** Its name among the document's replies, if it has one. */
  readonly component?: string;
  /** Null if the reply has no body. */
  readonly content: ReplyContent | null;
}

export type ReplyContent =
  /** `{ "data": ... }` */
  | { readonly kind: "data"; readonly schema: JsonObject; readonly example: JsonValue }
  /** `{ "data": [...], "page": { ... } }`; the schema and the example are those of one record. */
  | { readonly kind: "page"; readonly schema: JsonObject; readonly example: JsonValue }
  /** Totals over records of the module's entity. */
  | { readonly kind: "groups" }
  /** The body without a wrapper. */
  | { readonly kind: "plain"; readonly mediaType: string; readonly schema: JsonObject };

/**
 * In an example: an object with this member is replaced by the example record of the module's entity, with its other
 * members added.
 */
export const EXAMPLE_RECORD = "$record";
/**
 * In a schema: an object with this member is replaced by the schema with that name, with the other properties added.
 */
export const EXTENDED_SCHEMA = "$extends";
