// An OpenAPI document for tests. In: the document. Out: its operations with resolved references, the validation of
// values, and whether a reply is described.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonObject;
  /** It is sent as JSON. */
  readonly isJson: boolean;
  readonly examples: readonly Json[];
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With placeholders `{name}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Null if it has no body. */
  readonly body: { readonly schema: JsonObject; readonly required: boolean; readonly examples: readonly Json[] } | null;
  /** Status, or `default` > media type > the path of its schema; an empty map if there is no body. */
  readonly replies: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export interface ApiDocument {
  readonly operations: readonly Operation[];
  /** A schema of the document, with its reference resolved. */
  readonly follow: (schema: JsonObject) => JsonObject;
  /** Whether a value is valid for a schema of the document; the problem if it isn't. */
  readonly problemOf: (pointer: string, value: unknown, isPart?: boolean) => string | null;
  /**
   * What the document doesn't describe about a reply; null if the reply is described, or if there is no such operation.
   */
  readonly replyProblem: (sent: Sent, reply: ServedReply) => string | null;
}

export interface Sent {
  readonly method: string;
  /** Path and query string. */
  readonly target: string;
  /** Whether the body is a list: a create of several records is described in words. */
  readonly isList: boolean;
}

export interface ServedReply {
  readonly status: number;
  /** The media type, without parameters. */
  readonly type: string;
  readonly text: string;
}

const methods = ["get", "post", "put", "patch", "delete"];
const ROOT = "document";
const PARTS = "parts";

export function readDocument(document: JsonObject): ApiDocument {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, multipleOfPrecision: 6 });
  ajv.addSchema(document as object, ROOT);
  const compiled = new Map<string, ValidateFunction>();
  // The members that a request selects have the same schema; the others are missing.
  ajv.addSchema(withoutRequired(document) as object, PARTS);
  const at = (pointer: string): JsonObject =>
    pointer
      .slice(2)
      .split("/")
      .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce((value, step) => value[step] as JsonObject, document);
  const follow = <Part extends JsonObject>(part: Part): Part => {
    const reference = part["$ref"];
    return typeof reference === "string" ? follow(at(reference) as Part) : part;
  };
  const pointerOf = (part: JsonObject, own: string): string =>
    typeof part["$ref"] === "string" ? pointerOf(at(part["$ref"]), part["$ref"]) : own;

  const operations: Operation[] = [];
  for (const [path, described] of Object.entries(document["paths"] as JsonObject)) {
    const item = follow(described as JsonObject);
    const itemAt = pointerOf(described as JsonObject, `#/paths/${escaped(path)}`);
    for (const method of methods) {
      const operation = item[method] as JsonObject | undefined;
      if (operation === undefined) continue;
      const listed = [
        ...((item["parameters"] ?? []) as JsonObject[]),
        ...((operation["parameters"] ?? []) as JsonObject[]),
      ];
      const body = operation["requestBody"] === undefined ? null : follow(operation["requestBody"] as JsonObject);
      const json = (body?.["content"] as JsonObject | undefined)?.["application/json"] as JsonObject | undefined;
      operations.push({
        id: String(operation["operationId"]),
        method: method.toUpperCase(),
        path,
        parameters: listed.map((each) => {
          const parameter = follow(each);
          const content = (parameter["content"] as JsonObject | undefined)?.["application/json"] as
            | JsonObject
            | undefined;
          return {
            name: String(parameter["name"]),
            in: parameter["in"] as Parameter["in"],
            required: parameter["required"] === true,
            schema: (parameter["schema"] ?? content?.["schema"] ?? {}) as JsonObject,
            isJson: content !== undefined,
            examples: parameter["example"] === undefined ? [] : [parameter["example"]],
          };
        }),
        body:
          json === undefined
            ? null
            : {
                schema: json["schema"] as JsonObject,
                required: body?.["required"] === true,
                examples: json["example"] === undefined ? [] : [json["example"]!],
              },
        replies: new Map(
          Object.entries(operation["responses"] as JsonObject).map(([status, reply]) => {
            const own = `${itemAt}/${method}/responses/${status}`;
            const replyAt = pointerOf(reply as JsonObject, own);
            const content = (follow(reply as JsonObject)["content"] ?? {}) as JsonObject;
            const types = Object.keys(content).map(
              (type) => [type, `${replyAt}/content/${escaped(type)}/schema`] as const,
            );
            return [status, new Map(types)];
          }),
        ),
      });
    }
  }
  const problemOf: ApiDocument["problemOf"] = (pointer, value, isPart = false) => {
    const at = `${isPart ? PARTS : ROOT}${pointer}`;
    const known = compiled.get(at) ?? ajv.compile({ $ref: at });
    compiled.set(at, known);
    if (known(value)) return null;
    const [error] = known.errors ?? [];
    return `${error?.instancePath ?? ""} ${error?.message ?? "is wrong"} ${JSON.stringify(error?.params ?? {})}`;
  };
  const find = finder(operations);
  return {
    operations,
    follow,
    problemOf,
    replyProblem: ({ method, target, isList }, reply) => {
      const [path = "", query = ""] = target.split("?", 2);
      const operation = find(method, path);
      const isTold = operation !== null && !(isList && method === "POST" && reply.status < 300);
      return !isTold ? null : replyProblem(operation, /(^|&)fields=/.test(query), reply, problemOf);
    },
  };
}

/** By method and path; fixed paths come before paths with placeholders. */
function finder(operations: readonly Operation[]): (method: string, path: string) => Operation | null {
  const isNamed = (path: string): number => (path.includes("{") ? 1 : 0);
  const patterns = [...operations]
    .sort((one, other) => isNamed(one.path) - isNamed(other.path))
    .map((operation) => ({ operation, pattern: new RegExp(`^${patternOf(operation.path)}$`) }));
  return (method, path) =>
    patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation ?? null;
}

function patternOf(path: string): string {
  const literal = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  return path
    .split(/(\{[^}]*\})/)
    .map((part) => (part.startsWith("{") ? "[^/]+" : literal(part)))
    .join("");
}

/** @param isPart Whether the request selected fields: then the record is a part of what the schema describes. */
function replyProblem(
  { replies, id }: Operation,
  isPart: boolean,
  { status, type, text }: ServedReply,
  problemOf: ApiDocument["problemOf"],
): string | null {
  const types = replies.get(String(status)) ?? (status >= 400 ? replies.get("default") : undefined);
  if (types === undefined) return `${id} is never answered ${status}`;
  if (text === "") return types.size === 0 || status === 304 ? null : `${id} is answered ${status} with a body`;
  const schema = types.get(type);
  if (schema === undefined) return `${id} is answered ${status} without ${type}`;
  if (!type.includes("json")) return null;
  const problem = problemOf(schema, JSON.parse(text), isPart && status < 300);
  return problem === null ? null : `${id}: ${problem}`;
}

function withoutRequired(part: Json): Json {
  if (Array.isArray(part)) return part.map(withoutRequired);
  if (typeof part !== "object" || part === null) return part;
  const members = Object.entries(part).filter(([name, value]) => name !== "required" || !Array.isArray(value));
  return Object.fromEntries(members.map(([name, value]) => [name, withoutRequired(value)]));
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
