// What a module brings, as data: its entity, its routes with their bodies and replies, what the SDK calls them, its events. The OpenAPI
// document, the tables of routes in bundles, and what rules know of its records are all made from it. Types alone.
import type { JsonValue } from "../model/json-value.ts";
import type { Entity, Field, Model, ModuleName } from "../model/model.ts";

/** What of a project decides which modules it has, and what they look like. */
export type DescribedProject = Pick<Model, "modules" | "roles" | "userFields" | "userPermissions" | "userUniques"> & {
  /** Absent where it doesn't matter which of them can be followed. */
  readonly entities?: readonly Pick<Entity, "plural" | "realtime">[];
};

export interface ModuleDescription {
  /** The module that a blueprint lists; null for what every project has. */
  readonly module: ModuleName | null;
  readonly entity: ModuleEntity | null;
  /** In the order in which the document lists them. */
  readonly operations: readonly ModuleOperation[];
  readonly events: readonly ModuleEvent[];
  /** Name > schema. Its names begin with a capital: no entity of an author's is called like that. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** Whose records somebody may reach by a built-in rule. */
export type BuiltinRule =
  /** All. */
  | "all"
  /** The user's own record. */
  | "self"
  /** Whoever is signed in. */
  | "signed_in"
  /** The organizations that the user belongs to. */
  | "member"
  /** The organizations that the user is an owner or an admin of. */
  | "manager";

export type BuiltinOperation = "read" | "create" | "update" | "delete";

/** An entity that no blueprint declares. */
export interface ModuleEntity {
  readonly name: string;
  readonly plural: string;
  /** Where its routes are. */
  readonly path: string;
  /** What its schemas, parameters and replies are called in the document. */
  readonly component: string;
  readonly fields: readonly Field[];
  /** Keys of fields that no two of its records share: they name a record as its id does. */
  readonly uniques: readonly (readonly string[])[];
  /** Names of the fields that rules may use. */
  readonly inRules: readonly string[];
  /** The routes that are served like those of any entity. */
  readonly generated: readonly ("list" | "aggregate" | BuiltinOperation)[];
  /** Those of them that a handler of the module serves in their place. */
  readonly handled: readonly ("create" | "delete")[];
  /** Operation > role > rule. */
  readonly access: Readonly<Partial<Record<BuiltinOperation, Readonly<Record<string, BuiltinRule>>>>>;
  /** Whether the document describes these routes as it does those of any entity; else `operations` does. */
  readonly documented: boolean;
  /** Field > its schema, where its type does not say enough. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** Field > its value in examples. */
  readonly example: JsonObject;
  readonly help: string | null;
}

/** What happens in a module, mostly to its records. Nobody declares it or emits it by a step: it comes with the write. */
export interface ModuleEvent {
  /** Begins with the name of its entity, as no event that a blueprint declares for its own may. */
  readonly name: string;
  /** Whose record it carries, with the values before of what changed; null where it carries none. */
  readonly entity: string | null;
  /** What it carries beside the record; never a password, a token, or a hash of one. */
  readonly data: readonly Field[];
  readonly help: string;
}

/** Who a route is for; what else it asks of them, its handler knows. */
export type Audience =
  | "caller"
  /** A signed-in user. */
  | "user"
  | "admin"
  /** Somebody with an API key, who names the app. */
  | "key";

/** What a log may be filtered by: `text` and `uuid` are compared as they are, a list holds all possible values. */
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
   * As of the module's entity: `records`, its lists; `groups`, calculations over them; `record`, readings of one; `change`, writes of one.
   * `filters`: a log; `followed`: the changes of one of these, by their plural. Null where a query string is refused.
   */
  readonly query:
    | "records"
    | "groups"
    | "record"
    | "change"
    | { readonly records: string; readonly filters: LogFilters }
    | { readonly followed: readonly string[] }
    | null;
  /** Null where a body is refused. */
  readonly body: OperationBody | null;
  /** Status > reply. */
  readonly replies: Readonly<Record<number, OperationReply>>;
  /** The failures that the document names; any other is possible. */
  readonly faults: readonly FaultStatus[];
  /** What the SDK calls it: `organizations.invite`. Null where the SDK does not offer it. */
  readonly sdk: string | null;
  /** Bytes that its body may have, where they are more than for most routes. */
  readonly bodyBytesMax?: number;
  /** True where an `Idempotency-Key` gives it one effect, however often it is sent. */
  readonly isOnce?: true;
  /** True where one of the entity's generated routes serves it. */
  readonly isGenerated?: true;
}

export type FaultStatus = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 422 | 428 | 429 | 503;

export interface OperationBody {
  readonly schema: JsonObject;
  readonly example: JsonValue;
  /** Its name among the document's bodies, where it has one. */
  readonly component?: string;
  /** True where the request may leave it out. */
  readonly isOptional?: true;
}

export interface OperationReply {
  readonly description: string;
  /** Its name among the document's replies, where it has one. */
  readonly component?: string;
  /** Null where the reply has no body. */
  readonly content: ReplyContent | null;
}

export type ReplyContent =
  /** `{ "data": ... }` */
  | { readonly kind: "data"; readonly schema: JsonObject; readonly example: JsonValue }
  /** `{ "data": [...], "page": { ... } }`; the schema and the example are those of one record. */
  | { readonly kind: "page"; readonly schema: JsonObject; readonly example: JsonValue }
  /** What is calculated over records of the module's entity. */
  | { readonly kind: "groups" }
  /** The body as it is. */
  | { readonly kind: "plain"; readonly mediaType: string; readonly schema: JsonObject };

/** In an example: an object with this member is the example record of the module's entity, with its other members added. */
export const EXAMPLE_RECORD = "$record";
/** In a schema: an object with this member is the schema of that name, with the properties beside it added. */
export const EXTENDED_SCHEMA = "$extends";
