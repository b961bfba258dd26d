// Compares two OpenAPI documents. In: the served one and the new one. Out: changes that can break a working client.
// Additions are not reported: new paths, optional parameters, more accepted values, new enum values in replies.
import type { Change } from "@plinth/blueprint";
import { narrowedRequest, widenedResponse } from "./openapi-schema-diff.ts";

type Json = Readonly<Record<string, unknown>>;

/** A place that both documents have, and its name in a change's path. */
interface Place {
  readonly before: Json;
  readonly after: Json;
  readonly name: string;
}

/**
 * How a client uses a schema: it sends values that the schema must accept, or reads values that the schema describes.
 */
export type Direction = "request" | "response";

export function diffOpenapi(before: unknown, after: unknown): readonly Change[] {
  const [old, now] = [before, after] as [Json, Json];
  const comparison = new Comparison(old, now);
  const [paths, kept] = [ownPaths(old), ownPaths(now)];
  for (const path of goneFrom(paths, kept)) comparison.add(path, `There is no longer a route ${path}.`);
  for (const [path, item] of Object.entries(paths)) {
    const other = kept[path];
    if (other === undefined || (path.startsWith("/api/") && `/v1/resources/${path.slice(5)}` in paths)) continue;
    // It accepts the same as the list, where all changes are reported.
    if (path.endsWith("/aggregate") && path.slice(0, -"/aggregate".length) in paths) continue;
    comparison.pathItem(path, item as Json, other as Json);
  }
  return comparison.changes();
}

/**
 * Documents of older versions also contained the singular aliases, as references to the paths (`alias-changes.ts`
 * compares them).
 */
function ownPaths(document: Json): Json {
  return Object.fromEntries(
    Object.entries(member(document, "paths")).filter(([, item]) => !isObject(item) || item.$ref === undefined),
  );
}

/** For a path and the paths below it, and for the names of one entity, only the first change is reported. */
function goneFrom(paths: Json, kept: Json): readonly string[] {
  const gone = Object.keys(paths).filter((path) => !(path in kept));
  const all = new Set(gone);
  return gone.filter((path) => {
    if (gone.some((other) => path !== other && path.startsWith(`${other}/`))) return false;
    return !path.startsWith("/api/") || !all.has(`/v1/resources/${path.slice(5)}`);
  });
}

const methods = ["get", "post", "put", "patch", "delete"] as const;

class Comparison {
  readonly #before: Json;
  readonly #after: Json;
  readonly #found = new Map<string, Change>();
  readonly #seen = new Set<string>();

  constructor(before: Json, after: Json) {
    this.#before = before;
    this.#after = after;
  }

  changes(): readonly Change[] {
    return [...this.#found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  add(path: string, summary: string, before?: unknown, after?: unknown): void {
    const full = `api.${path}`;
    if (this.#found.has(full)) return;
    this.#found.set(full, {
      kind: "api_contract_changed",
      path: full,
      summary,
      classes: ["breaking"],
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
  }

  pathItem(path: string, before: Json, after: Json): void {
    for (const method of methods) {
      const [old, now] = [before[method], after[method]] as [Json | undefined, Json | undefined];
      if (old === undefined) continue;
      const name = `${method.toUpperCase()} ${path}`;
      if (now === undefined) this.add(name, `${name} is no longer available.`);
      else {
        const shared = (item: Json): readonly Json[] => (item.parameters ?? []) as readonly Json[];
        this.#parameters(name, [...shared(before), ...shared(old)], [...shared(after), ...shared(now)]);
        this.#body(name, old, now);
        this.#responses(name, old, now);
      }
    }
  }

  #parameters(name: string, before: readonly Json[], after: readonly Json[]): void {
    const [old, now] = [this.#named(before, this.#before), this.#named(after, this.#after)];
    for (const [key, parameter] of old) {
      const other = now.get(key);
      if (other === undefined) this.add(`${name} ${key}`, `${name} no longer accepts the parameter ${key}.`);
      else if (key === "sort") this.#sort(name, parameter, other);
      else {
        const place = { before: member(parameter, "schema"), after: member(other, "schema"), name: `${name} ${key}` };
        this.#schema("request", place);
        if (parameter.required !== true && other.required === true)
          this.add(`${name} ${key}`, `${name} now requires the parameter ${key}.`);
      }
    }
    for (const [key, parameter] of now) {
      if (!old.has(key) && parameter.required === true)
        this.add(`${name} ${key}`, `${name} now requires the parameter ${key}.`);
    }
  }

  /** Its pattern lists the fields: with more fields it accepts more, not less. */
  #sort(name: string, before: Json, after: Json): void {
    const [old, now] = [sortedBy(before), sortedBy(after)];
    const lost = old.filter((field) => !now.includes(field));
    if (lost.length > 0) this.add(`${name} sort`, `${name} can no longer sort by ${lost.join(", ")}.`);
  }

  #named(parameters: readonly Json[], document: Json): ReadonlyMap<string, Json> {
    const whole = parameters.map((parameter) => resolve(document, parameter));
    return new Map(whole.map((parameter) => [String(parameter.name), parameter]));
  }

  #body(name: string, before: Json, after: Json): void {
    const old = before.requestBody === undefined ? null : resolve(this.#before, member(before, "requestBody"));
    const now = after.requestBody === undefined ? null : resolve(this.#after, member(after, "requestBody"));
    if (now?.required === true && old?.required !== true) this.add(`${name} body`, `${name} now requires a body.`);
    if (old !== null && now === null) this.add(`${name} body`, `${name} no longer accepts a body.`);
    if (old === null || now === null) return;
    this.#schema("request", { before: contentOf(old), after: contentOf(now), name: `${name} body` });
  }

  #responses(name: string, before: Json, after: Json): void {
    const [old, now] = [member(before, "responses"), member(after, "responses")];
    for (const [status, response] of Object.entries(old)) {
      if (!status.startsWith("2")) continue;
      const other = now[status];
      if (other === undefined) this.add(`${name} ${status}`, `${name} no longer answers with ${status}.`);
      else {
        const [a, b] = [resolve(this.#before, response as Json), resolve(this.#after, other as Json)];
        this.#schema("response", { before: contentOf(a), after: contentOf(b), name: `${name} reply` });
      }
    }
  }

  /** A named schema is reported under its name, once. */
  #schema(direction: Direction, place: Place): void {
    const [a, b] = [place.before.$ref, place.after.$ref];
    if (typeof a === "string" || typeof b === "string") {
      const key = `${direction} ${String(a)} ${String(b)}`;
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
      const before = resolve(this.#before, place.before);
      const after = resolve(this.#after, place.after);
      // A schema that only one document refers to is not compared here.
      const shared = typeof a === "string" && typeof b === "string";
      const name = shared ? decodePointer(a.slice(a.lastIndexOf("/") + 1)) : place.name;
      this.#schema(direction, { before: withoutRef(before), after: withoutRef(after), name });
      return;
    }
    const find = direction === "request" ? narrowedRequest : widenedResponse;
    for (const { at, says, before, after } of find(place.before, place.after)) {
      const path = at === "" ? place.name : `${place.name}.${at}`;
      this.add(path, `${path}: ${says}`, before, after);
    }
    for (const [at, old, now] of children(place.before, place.after)) {
      this.#schema(direction, { before: old, after: now, name: at === "" ? place.name : `${place.name}.${at}` });
    }
  }
}

/** Parts of a schema that exist in both. */
function children(before: Json, after: Json): readonly (readonly [string, Json, Json])[] {
  const [old, now] = [member(before, "properties"), member(after, "properties")];
  const properties = Object.entries(old).flatMap(([name, schema]) =>
    now[name] === undefined ? [] : [[name, schema as Json, now[name] as Json] as const],
  );
  const parts = ["items", "additionalProperties"].flatMap((key) => {
    const [a, b] = [before[key], after[key]];
    return isObject(a) && isObject(b) ? [[key === "items" ? "[]" : "*", a, b] as const] : [];
  });
  const [first, second] = [before.anyOf, after.anyOf] as [readonly Json[] | undefined, readonly Json[] | undefined];
  const choices = (first ?? []).flatMap((schema, at) =>
    second?.[at] === undefined ? [] : [["", schema, second[at]] as const],
  );
  return [...properties, ...parts, ...choices];
}

function sortedBy(parameter: Json): readonly string[] {
  const [, names = ""] = /\(\?:([^)]*)\)/.exec(String(member(parameter, "schema").pattern)) ?? [];
  return names.split("|");
}

function contentOf(body: Json): Json {
  return member(member(member(body, "content"), "application/json"), "schema");
}

function withoutRef(schema: Json): Json {
  const { $ref: _, ...rest } = schema;
  return rest;
}

function resolve(document: Json, node: Json): Json {
  if (typeof node.$ref !== "string") return node;
  const found = node.$ref
    .slice(2)
    .split("/")
    .reduce<unknown>((at, key) => (isObject(at) ? at[decodePointer(key)] : undefined), document);
  if (!isObject(found)) throw new Error(`the document refers to ${node.$ref}, which does not exist`);
  return found;
}

function decodePointer(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function member(node: Json, key: string): Json {
  const value = node[key];
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
