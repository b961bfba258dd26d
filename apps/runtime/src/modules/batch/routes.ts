// `POST /v1/batch`: several operations on records in one transaction. In: operations, of which later ones can refer to
// the results of earlier ones. Out: the result of each, or the first refusal, which rolls everything back. Each is
// judged, audited and published like a separate request.
import { Fault } from "@plinth/service";
import type { Incoming, ModuleContext, Reply } from "../../http/contracts.ts";
import { itemFault } from "../../http/item-fault.ts";
import { writeTogether } from "../../http/together.ts";
import type { Tenant, TenantDoor } from "../../project/tenant.ts";
import type { OnceReply } from "../../query/idempotency.ts";
import { lockParents } from "../../query/lock-parents.ts";
import { onceOf } from "../../query/once.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { plannedWrites } from "./planned-writes.ts";
import { type Operation, pathWith, readBatch, withResults } from "./read-batch.ts";

export interface BatchOptions {
  readonly scopeOf: (projectId: ModuleContext["projectId"]) => TenantDoor;
}

/** The maximum time that locks are held, in addition to one statement's own limit. */
const MS_MAX = 5_000;
/** Maximum characters of all replies together. */
const REPLY_CHARS_MAX = 8 * 1_048_576;

export function batchHandlers(options: BatchOptions): ModuleHandlers {
  return { "project.batch": (context) => answer(options, context) };
}

async function answer({ scopeOf }: BatchOptions, context: ModuleContext): Promise<Reply> {
  const { incoming, principal, organization, release, projectId, inner } = context;
  const { operations, isTried } = readBatch(incoming);
  const allowance = operations.length > 1 ? inner.spend(operations.length - 1) : {};
  const given = onceOf(incoming, principal, organization);
  // Reads have no effect, so a repeated request runs them again, and nothing is saved.
  const once = operations.every(({ method }) => method === "GET") ? null : given;
  const viewer = { requestId: incoming.id, principal };
  const together = { door: scopeOf(projectId), release, viewer, once, isTried, isRepeated: true };
  const reply = await writeTogether(together, (tenant) => perform(context, operations, tenant));
  return { ...reply, headers: { ...reply.headers, ...allowance } };
}

async function perform(context: ModuleContext, operations: readonly Operation[], tenant: Tenant): Promise<OnceReply> {
  const untilMs = Date.now() + MS_MAX;
  const { release } = context;
  await lockParents({ tenant, release }, plannedWrites(release, operations));
  const results = new Map<string, unknown>();
  const replies: string[] = [];
  let chars = 0;
  for (const [at, operation] of operations.entries()) {
    const { status, body } = await performOne(context, operation, results, tenant).catch((error: unknown) => {
      throw error instanceof Fault ? itemFault(`/operations/${at}`, error) : error;
    });
    if (operation.as !== undefined) results.set(operation.as, dataIn(body));
    chars += body.length;
    replies.push(`{"status":${status}${body === "" ? "" : `,${body.slice(1, -1)}`}}`);
    if (Date.now() > untilMs) throw new Fault("timeout", { detail: "The operations took too long. Send fewer." });
    if (chars > REPLY_CHARS_MAX)
      throw new Fault("conflict", { detail: "The replies are too large together. Send fewer operations." });
  }
  return { status: 200, location: null, body: `{"data":[${replies.join(",")}]}` };
}

/** Like a separate request, except for the transaction. */
async function performOne(
  { incoming, inner }: ModuleContext,
  { method, path: template, body, if_match: version }: Operation,
  results: ReadonlyMap<string, unknown>,
  tenant: Tenant,
): Promise<{ readonly status: number; readonly body: string }> {
  const target = pathWith(template, results);
  const mark = target.indexOf("?");
  if (mark !== -1 && method !== "GET") {
    throw new Fault("unknown_parameter", { detail: "An operation that writes takes no query parameters." });
  }
  const sent: Incoming = {
    id: incoming.id,
    ip: incoming.ip,
    method,
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? "" : target.slice(mark + 1),
    headers: { "content-type": "application/json", ...(version === undefined ? {} : { "if-match": version }) },
    body: body === undefined ? null : Buffer.from(JSON.stringify(withResults(body, results))),
  };
  const reply = await inner.serve(sent, tenant).catch((error: unknown) => {
    throw error instanceof Fault ? inBody(error) : error;
  });
  if (reply.body !== null && typeof reply.body !== "string")
    throw new Error(`${method} ${template} answers with a stream`);
  return { status: reply.status, body: reply.body ?? "" };
}

/** Moves an error's path to the operation's place in the body. */
function inBody(fault: Fault): Fault {
  return fault.errors.some(({ path }) => path.startsWith("/")) ? itemFault("/body", fault) : fault;
}

function dataIn(body: string): unknown {
  return body === "" ? null : (JSON.parse(body) as { readonly data: unknown }).data;
}
