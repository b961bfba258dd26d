// The shared parts of every OpenAPI document: errors, headers, parameters, credentials. Out: components, and references
// to them. Shared names start with a capital letter or are parameters; an entity's names start with its own, so they
// never collide.
import { type FaultStatus, type Model, patterns } from "@plinth/blueprint";
import { jsonDefinition } from "../requests/schemas.ts";

export type OpenapiObject = Readonly<Record<string, unknown>>;
export type ComponentKind = "schemas" | "parameters" | "responses" | "requestBodies" | "headers" | "securitySchemes";
export type Components = Readonly<Partial<Record<ComponentKind, OpenapiObject>>>;

const kinds: readonly ComponentKind[] = [
  "schemas",
  "parameters",
  "responses",
  "requestBodies",
  "headers",
  "securitySchemes",
];

/** Merges parts of the components object, kind by kind. */
export function components(...parts: readonly Components[]): Components {
  return Object.fromEntries(kinds.map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind] ?? {}))]));
}

export function reference(kind: ComponentKind, name: string): OpenapiObject {
  return { $ref: `#/components/${kind}/${name}` };
}

/** A success reply: the schema of its body, one example, and the headers of every reply. */
export function reply(
  description: string,
  schema: OpenapiObject,
  example: unknown,
  headers: OpenapiObject = {},
): OpenapiObject {
  return {
    description,
    headers: { ...replyHeaders, ...headers },
    content: { "application/json": { schema, example } },
  };
}

/** The tag of a module's operations. An entity with that name keeps the name for itself. */
export function moduleTag(tag: string, { entities }: Pick<Model, "entities">): string {
  return entities.some(({ name }) => name === tag) ? `service.${tag}` : tag;
}

export function body(schema: OpenapiObject, example: unknown): OpenapiObject {
  return { required: true, content: { "application/json": { schema, example } } };
}

/** `{ "data": ... }` */
export function dataOf(schema: OpenapiObject): OpenapiObject {
  return { type: "object", properties: { data: schema }, required: ["data"] };
}

export function pageOf(schema: OpenapiObject): OpenapiObject {
  return {
    type: "object",
    properties: { data: { type: "array", items: schema }, page: reference("schemas", "Page") },
    required: ["data", "page"],
  };
}

interface ErrorReply {
  readonly name: string;
  readonly code: string;
  readonly title: string;
}

const errorReplies: Readonly<Record<FaultStatus, ErrorReply>> = {
  400: { name: "BadRequest", code: "bad_request", title: "The request is malformed, or has an unknown parameter" },
  401: { name: "Unauthenticated", code: "unauthenticated", title: "No credential, or one that is not valid" },
  403: { name: "Forbidden", code: "forbidden", title: "The caller is not allowed to do this" },
  404: { name: "NotFound", code: "not_found", title: "The record does not exist, or is hidden from the caller" },
  409: { name: "Conflict", code: "conflict", title: "The request conflicts with existing data" },
  412: { name: "PreconditionFailed", code: "precondition_failed", title: "The record has another version now" },
  413: { name: "PayloadTooLarge", code: "payload_too_large", title: "The body is too large" },
  415: { name: "UnsupportedMediaType", code: "unsupported_media_type", title: "The body is not JSON" },
  422: { name: "ValidationFailed", code: "validation_failed", title: "A field has a value that is not valid" },
  428: { name: "PreconditionRequired", code: "precondition_required", title: "If-Match is missing" },
  429: { name: "RateLimited", code: "rate_limited", title: "Too many requests" },
  503: { name: "Unavailable", code: "unavailable", title: "Not available now; try again later" },
};

const errorReferences: OpenapiObject = Object.fromEntries(
  Object.entries(errorReplies).map(([status, { name }]) => [status, reference("responses", name)]),
);
const failed: OpenapiObject = reference("responses", "Failed");

/** Every operation can also fail as `default` describes. */
export function errors(...statuses: readonly FaultStatus[]): OpenapiObject {
  return {
    ...Object.fromEntries(statuses.map((status) => [status, errorReferences[status]])),
    default: failed,
  };
}

export const replyHeaders: OpenapiObject = {
  "X-Request-Id": reference("headers", "RequestId"),
  RateLimit: reference("headers", "RateLimit"),
  "RateLimit-Policy": reference("headers", "RateLimitPolicy"),
};

/** For replies with one record. */
export const etagHeader: OpenapiObject = { ETag: reference("headers", "ETag") };

/** The shared parts that a project's document needs. */
export interface SharedOptions {
  readonly pageMax: number;
  readonly entities: readonly { readonly requireVersion?: true }[];
  readonly scoped: boolean;
  readonly json: boolean;
}

export function sharedComponents({ pageMax, entities, scoped, json }: SharedOptions): Components {
  return {
    schemas: {
      Problem: problemSchema,
      Page: pageSchema,
      Id: { type: "string", format: "uuid", pattern: patterns.uuid },
      ...(json ? { Json: jsonSchema } : {}),
    },
    parameters: {
      ifMatch,
      ...(entities.some(({ requireVersion }) => requireVersion === true)
        ? { ifMatchRequired: { ...ifMatch, required: true } }
        : {}),
      ifNoneMatch: {
        name: "If-None-Match",
        in: "header",
        description: "The ETag of the caller's copy. If it is still current, the answer is 304.",
        schema: { type: "string" },
      },
      id: { name: "id", in: "path", required: true, schema: reference("schemas", "Id") },
      limit: {
        name: "limit",
        in: "query",
        description: "The maximum number of records on a page.",
        schema: { type: "integer", minimum: 1, maximum: pageMax, default: Math.min(20, pageMax) },
      },
      cursor: {
        name: "cursor",
        in: "query",
        description:
          "`page.next_cursor` of the previous page, or `page.prev_cursor` of the next page. A cursor is only valid for the same filters and order.",
        schema: { type: "string", minLength: 1 },
      },
      count: {
        name: "count",
        in: "query",
        description:
          "Returns the number of all records in the list as `page.count`. `estimated` stops at 1,000; `page.count_is` then says whether there are more.",
        schema: { type: "string", enum: ["exact", "estimated"] },
      },
      ...(scoped ? { organization: organizationParameter } : {}),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(errorReplies)
          .filter(([status]) => status !== "428" || entities.some(({ requireVersion }) => requireVersion === true))
          .map(([status, error]) => [error.name, problem(+status, error)]),
      ),
      Failed: problem(500, { name: "Failed", code: "internal", title: "Failed" }),
      NotModified: {
        description: "The caller's copy is still current",
        headers: { ...replyHeaders, ...etagHeader },
      },
    },
    headers: {
      ETag: {
        description: "The version of the record and of this representation.",
        schema: { type: "string" },
      },
      RequestId: {
        description: "The id of the request in logs and in the audit log.",
        schema: { type: "string" },
      },
      RateLimit: {
        description: "The remaining requests within the limit (draft-ietf-httpapi-ratelimit-headers).",
        schema: { type: "string" },
      },
      RateLimitPolicy: { description: "The limit.", schema: { type: "string" } },
      RetryAfter: { description: "The number of seconds to wait.", schema: { type: "integer", minimum: 0 } },
    },
    securitySchemes: {
      apiKey: { type: "http", scheme: "bearer", description: "An API key: `plk_pub_...` or `plk_sec_...`." },
      accessToken: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "The access token of a signed-in user.",
      },
      userToken: {
        type: "apiKey",
        in: "header",
        name: "Plinth-User-Token",
        description:
          "The access token of a signed-in user, in addition to an API key. The roles of the user then apply.",
      },
    },
  };
}

const ifMatch: OpenapiObject = {
  name: "If-Match",
  in: "header",
  description:
    "The ETag that came with the record. If the record has another version now, the write is refused with 412.",
  schema: { type: "string" },
};

const organizationParameter: OpenapiObject = {
  name: "Plinth-Organization",
  in: "header",
  description: "The organization of the request. The default is the user's chosen organization.",
  schema: reference("schemas", "Id"),
};

/** Any JSON, including limits for its texts. */
const jsonSchema: OpenapiObject = JSON.parse(
  JSON.stringify(jsonDefinition).replaceAll('"#/$defs/json"', '"#/components/schemas/Json"'),
);

function problem(status: number, { code, title }: ErrorReply): OpenapiObject {
  const example = {
    type: `https://plinth.dev/problems/${code}`,
    title,
    status,
    detail: title,
    code,
    request_id: "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f",
    errors: status === 422 ? [{ path: "/name", code: "required", message: "name is required" }] : [],
  };
  const retry = status === 429 || status === 503 ? { "Retry-After": reference("headers", "RetryAfter") } : {};
  return {
    description: title,
    headers: { ...replyHeaders, ...retry },
    content: { "application/problem+json": { schema: reference("schemas", "Problem"), example } },
  };
}

/** RFC 9457, with a code for programs and all wrong fields at once. */
const problemSchema: OpenapiObject = {
  type: "object",
  properties: {
    type: { type: "string", format: "uri" },
    title: { type: "string" },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string" },
    code: { type: "string" },
    request_id: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, code: { type: "string" }, message: { type: "string" } },
        required: ["path", "code", "message"],
      },
    },
  },
  required: ["type", "title", "status", "code", "request_id"],
};

const pageSchema: OpenapiObject = {
  type: "object",
  properties: {
    next_cursor: { type: ["string", "null"], description: "null on the last page." },
    prev_cursor: { type: ["string", "null"], description: "The previous page; null on the first page." },
    has_more: { type: "boolean" },
    count: {
      type: "integer",
      minimum: 0,
      description: "The number of all records in the list, if `count` asks for it.",
    },
    count_is: { enum: ["exact", "at_least"], description: "For an estimate: whether the real number can be higher." },
  },
  required: ["next_cursor", "has_more"],
};
