// Sends requests that an OpenAPI document allows or forbids, and checks each reply against the document. The checks are
// those of Schemathesis: no 5xx, no undocumented status, type or body, no invalid input accepted, no access to a
// deleted record, no route without its credential. In: an API, callers, a number, a seed. Out: figures, and each
// failure with a command that repeats it.
import { type ApiDocument, type Json, type JsonObject, type Operation, readDocument } from "@plinth/testkit";
import { Known } from "./known.ts";
import { createRandom, type Random } from "./random.ts";
import { generated, type Place, spoiled } from "./values.ts";

export interface FuzzOptions {
  readonly origin: string;
  readonly document: JsonObject;
  /** Name > headers with credentials. */
  readonly callers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Ids of another project's records, which no reply here is allowed to contain. */
  readonly foreign: readonly string[];
  /** Entity and id of records that exist at the beginning. */
  readonly known: readonly (readonly [string, string])[];
  readonly cases: number;
  readonly seed: number;
  readonly onProgress?: (done: number) => void;
}

export interface Failure {
  readonly check: "5xx" | "outside" | "accepted" | "leak";
  readonly operation: string;
  readonly says: string;
  /** Without credentials. */
  readonly curl: string;
}

export interface Figures {
  readonly cases: number;
  /** Replies by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The number of requested operations, and those that never succeeded, so only refusals of them were tested. */
  readonly operations: number;
  readonly neverSucceeded: readonly string[];
  readonly serverErrors: number;
  readonly outsideDocument: number;
  readonly invalidAccepted: number;
  readonly leaks: number;
  readonly failures: readonly Failure[];
}

interface Case {
  readonly operation: Operation;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly caller: string;
  /** Why the input must be refused; null if it can be accepted. */
  readonly wrong: string | null;
  /** The only statuses that are correct for it; null if the document decides. */
  readonly statuses: readonly number[] | null;
}

/** A stream never ends. Ending sessions or changing the callers' rights would leave only refusals. */
const excluded =
  /stream|sign_out|reset_password|roles|memberships|organization\.(delete|set_member|remove_member)|users?\.delete/;
const FAILURES_MAX = 200;
const GONE_MAX = 400;
/** What no reply is allowed to contain: our code, our SQL, our schemas. */
const inner =
  /\bat .{1,80}\.ts:\d+|node_modules|\bselect .{1,80} from "|"t_[a-z0-9]{20}"|\bpg_[a-z]+|syntax error at or near/i;

export async function fuzz(options: FuzzOptions): Promise<Figures> {
  const document = readDocument(options.document);
  const random = createRandom(options.seed);
  const known = new Known();
  for (const [name, id] of options.known) known.add(name, id);
  const gone: string[] = [];
  const failures: Failure[] = [];
  const statuses: Record<string, number> = {};
  const [asked, succeeded] = [new Set<string>(), new Set<string>()];
  const counts = { "5xx": 0, outside: 0, accepted: 0, leak: 0 };
  for (let done = 0; done < options.cases; done++) {
    const one = caseOf(document, options, random, known, gone);
    const { status, type, text } = await send(options, one);
    statuses[status] = (statuses[status] ?? 0) + 1;
    asked.add(one.operation.id);
    if (status < 400 && one.method === one.operation.method) succeeded.add(one.operation.id);
    const found = judge(document, options, one, status, type, text);
    for (const { check, says } of found) {
      counts[check]++;
      if (failures.length < FAILURES_MAX)
        failures.push({ check, operation: one.operation.id, says, curl: curlOf(one) });
    }
    remember(known, gone, one, status, text);
    options.onProgress?.(done + 1);
  }
  return {
    cases: options.cases,
    statuses,
    operations: asked.size,
    neverSucceeded: [...asked].filter((id) => !succeeded.has(id)).sort(),
    serverErrors: counts["5xx"],
    outsideDocument: counts.outside,
    invalidAccepted: counts.accepted,
    leaks: counts.leak,
    failures,
  };
}

function caseOf(
  document: ApiDocument,
  { callers }: FuzzOptions,
  random: Random,
  known: Known,
  gone: readonly string[],
): Case {
  const operation = random.pick(document.operations.filter(({ id, path }) => !excluded.test(`${id} ${path}`)));
  const caller = random.pick(Object.keys(callers));
  const entity = operation.id.split(".", 1)[0] ?? "";
  const place = (name: string): Place => ({ name, idFor: (asked) => known.find(asked, entity, random) });
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  let path = operation.path;
  const inPath = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const met = random.chance(0.85) ? known.record(entity, inPath, random) : null;
  for (const parameter of operation.parameters) {
    const { name, examples, schema, required, isJson } = parameter;
    if (!required && !random.chance(0.15)) continue;
    const own = parameter.in === "path" ? met?.[name] : undefined;
    const value =
      own ??
      (examples.length > 0 && random.chance(0.6)
        ? random.pick(examples)
        : generated(schema, document, random, place(name), 2));
    const isList = Array.isArray(value) && !isJson;
    const text = isList ? value.join(",") : typeof value === "object" || isJson ? JSON.stringify(value) : String(value);
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(text || "x"));
    else if (parameter.in === "query" && (isJson || isList || typeof value !== "object"))
      query.set(parameter.name, text);
    else if (parameter.in === "header" && /^[\x20-\x7e]+$/.test(text)) headers[parameter.name.toLowerCase()] = text;
  }
  let body: Json | undefined;
  if (operation.body !== null && (operation.body.required || random.chance(0.7))) {
    const { schema, examples } = operation.body;
    body =
      examples.length > 0 && random.chance(0.2)
        ? random.pick(examples)
        : generated(schema, document, random, place(""));
  }
  const plain: Case = {
    operation,
    method: operation.method,
    target: query.size === 0 ? path : `${path}?${query}`,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
    caller,
    wrong: null,
    statuses: null,
  };
  return random.chance(0.5) ? plain : abused(plain, body, document, random, gone);
}

/** The same request with one mistake. */
function abused(
  one: Case,
  body: Json | undefined,
  document: ApiDocument,
  random: Random,
  gone: readonly string[],
): Case {
  const { operation } = one;
  const mark = one.target.includes("?") ? "&" : "?";
  const ways: readonly (() => Case | null)[] = [
    () => {
      const { body: described } = operation;
      if (body === undefined || described === null) return null;
      const found = spoiled(described.schema, body, document, random);
      return found && { ...one, body: JSON.stringify(found.value), wrong: found.how };
    },
    () => ({ ...one, target: `${one.target}${mark}no_such_parameter=1`, wrong: "an unknown parameter" }),
    () => ({ ...one, caller: "nobody", wrong: "no credential", statuses: [401] }),
    () => ({ ...one, caller: "forged", wrong: "a wrong credential", statuses: [401] }),
    () =>
      one.body === null
        ? null
        : {
            ...one,
            headers: { ...one.headers, "content-type": "text/plain" },
            wrong: "another content type",
            statuses: [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 428, 429, 503],
          },
    () => (one.body === null ? null : { ...one, body: `${one.body.slice(0, -1)}`, wrong: "half of the JSON" }),
    () => ({
      ...one,
      method: "TRACE",
      body: null,
      headers: {},
      wrong: "a method that there isn't",
      statuses: [400, 403, 404, 405],
    }),
    () => ({ ...one, headers: { ...one.headers, "if-match": "nonsense" }, wrong: null }),
    () => ({ ...one, headers: { ...one.headers, "idempotency-key": "k".repeat(300) }, wrong: null }),
    () => {
      if (gone.length === 0 || !/\{id\}/.test(operation.path) || operation.method !== "GET") return null;
      const [path = "", id = ""] = random.pick(gone).split(" ");
      return operation.path === path
        ? {
            ...one,
            target: path.replace("{id}", id),
            wrong: "a record that was deleted",
            statuses: [401, 403, 404, 429, 503],
          }
        : null;
    },
  ];
  return random.pick(ways)() ?? one;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function send(
  { origin, callers }: FuzzOptions,
  { method, target, headers, body, caller }: Case,
): Promise<Answer> {
  const credentials =
    caller === "nobody" ? {} : caller === "forged" ? { authorization: "Bearer plk_sec_forged" } : callers[caller];
  // `fetch` refuses to send TRACE.
  const real = method === "TRACE" ? "PROPFIND" : method;
  const init = {
    method: real,
    headers: { ...credentials, ...headers },
    body,
    signal: AbortSignal.timeout(15_000),
  };
  const reply = await fetch(origin + target, init);
  return {
    status: reply.status,
    type: (reply.headers.get("content-type") ?? "").split(";", 1)[0] ?? "",
    text: await reply.text(),
  };
}

function judge(
  document: ApiDocument,
  { foreign }: FuzzOptions,
  one: Case,
  status: number,
  type: string,
  text: string,
): readonly Pick<Failure, "check" | "says">[] {
  const found: Pick<Failure, "check" | "says">[] = [];
  const says = `${status}${one.wrong === null ? "" : ` to ${one.wrong}`}: ${text.slice(0, 300)}`;
  if (status >= 500 && status !== 503) found.push({ check: "5xx", says });
  if (one.wrong !== null && status < 400) found.push({ check: "accepted", says });
  else if (one.statuses !== null && !one.statuses.includes(status))
    found.push({ check: "outside", says: `not one of ${one.statuses.join(", ")}: ${says}` });
  if (inner.test(text)) found.push({ check: "leak", says });
  if (status < 300 && foreign.some((id) => text.includes(id) && !(one.body ?? "").includes(id)))
    found.push({ check: "leak", says });
  if (one.method !== one.operation.method) return found;
  const problem = document.replyProblem({ ...one, isList: false }, { status, type, text });
  return problem === null ? found : [...found, { check: "outside", says: `${problem}: ${says}` }];
}

/** Records from replies are requested later, and deleted ones must be missing. */
function remember(known: Known, gone: string[], one: Case, status: number, text: string): void {
  const { path, id: operation } = one.operation;
  const isRead = (status === 200 || status === 201) && text.startsWith("{");
  if (isRead && !one.target.includes("dry_run=true"))
    known.meet(operation.split(".", 1)[0] ?? "", JSON.parse(text) as Json);
  const isDeleted = status === 204 && one.method === "DELETE" && path.endsWith("/{id}");
  const deleted = one.target.split("?", 1)[0]?.split("/").at(-1);
  if (isDeleted && !one.target.includes("dry_run=true")) gone.push(`${path} ${deleted}`);
  if (gone.length > GONE_MAX) gone.shift();
  if (status !== 200 || !path.endsWith("/{id}/restore")) return;
  const restored = one.target.split("/").at(-2) ?? "";
  for (let at = gone.length - 1; at >= 0; at--) if (gone[at]?.endsWith(` ${restored}`)) gone.splice(at, 1);
}

function curlOf({ method, target, headers, body, caller }: Case): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  return `curl -X ${method} "$ORIGIN"${quoted(target)}${lines.join("")}${body === null ? "" : ` -d ${quoted(body.slice(0, 2_000))}`} # as ${caller}`;
}
