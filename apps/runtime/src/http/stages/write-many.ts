// Writes several records in one request. In: checked items. Out: a reply about all of them, or about the first refusal,
// or about each by itself. Each record is written by the statement for one record, with its rules, constraints, audit
// rows and events.
import { Fault, type FieldError, toProblem } from "@plinth/service";
import type { TenantDoor } from "../../project/tenant.ts";
import { isStale } from "../../query/database-faults.ts";
import { lockParents } from "../../query/lock-parents.ts";
import type { Once } from "../../query/once.ts";
import { createRecord, deleteRecord, lockRecords, type Request, updateRecord } from "../../query/run.ts";
import type { Reply } from "../contracts.ts";
import { itemFault } from "../item-fault.ts";
import { writeTogether } from "../together.ts";
import type { ManyCall, ManyItem, ManyOperation } from "./read-many.ts";

export interface ManyOptions {
  readonly door: TenantDoor;
  readonly once: Once | null;
  /** The failure as the caller may see it. */
  readonly publicFault: (error: unknown) => Fault;
  /** Milliseconds. */
  readonly now: () => number;
}

/** The maximum time that locks are held, in addition to one statement's own limit. */
const MS_MAX = 5_000;
/** Maximum characters of the records in one reply. */
const REPLY_CHARS_MAX = 8 * 1_048_576;
const ERRORS_MAX = 100;

const STATUS = { create: 201, update: 200, delete: 204 } as const;
const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" } as const;

/** @throws Fault. With `mode=all`, it is the first refusal, which names the item. */
export function writeMany(options: ManyOptions, request: Request, call: ManyCall): Promise<Reply> {
  return call.mode === "each" ? writeEach(options, request, call) : writeAll(options, request, call);
}

function writeAll({ door, once, now }: ManyOptions, request: Request, call: ManyCall): Promise<Reply> {
  const writes = requireValid(call.items);
  const { operation, isTried } = call;
  const together = {
    door,
    release: request.release,
    viewer: request,
    once,
    isTried,
    isRepeated: operation === "delete",
  };
  return writeTogether(together, async (tenant) => {
    const untilMs = now() + MS_MAX;
    const inside = { ...request, tenant };
    const isNew = operation === "create";
    const { entity } = request;
    await lockParents(
      inside,
      writes.map(({ recordId, values }) => ({ entity, recordId, isNew, values })),
    );
    const ids = writes.map(({ recordId }) => recordId);
    if (operation !== "create") await lockRecords(inside, operation, ids);
    const records = await inOrder(inside, operation, writes, () => now() > untilMs);
    const body = operation === "delete" ? "" : `{"data":[${records.join(",")}]}`;
    return { status: STATUS[operation], location: null, body };
  });
}

type Write = Extract<ManyItem, { readonly kind: "write" }>;

async function inOrder(
  request: Request,
  operation: ManyOperation,
  writes: readonly Write[],
  isLate: () => boolean,
): Promise<readonly string[]> {
  const records: string[] = [];
  let chars = 0;
  for (const [at, write] of writes.entries()) {
    try {
      if (isLate()) throw tooLate();
      const record = await writeOne(request, operation, write);
      chars += record.length;
      if (chars > REPLY_CHARS_MAX) throw tooLarge();
      records.push(record);
    } catch (error) {
      throw error instanceof Fault ? itemFault(`/${at}`, error) : error;
    }
  }
  return records;
}

/** The record as JSON text; empty if it is deleted. */
async function writeOne(
  request: Request,
  operation: ManyOperation,
  { recordId, values, generated, version }: Write,
): Promise<string> {
  switch (operation) {
    case "create":
      return createRecord(request, recordId, values, generated);
    case "update":
      return updateRecord(version === null ? request : { ...request, versions: [version] }, recordId, values);
    case "delete":
      await deleteRecord(request, recordId);
      return "";
  }
}

async function writeEach(options: ManyOptions, request: Request, { operation, items }: ManyCall): Promise<Reply> {
  if (options.once !== null) {
    throw new Fault("bad_request", { detail: "Idempotency-Key needs `mode=all`: a key stands for one effect." });
  }
  const untilMs = options.now() + MS_MAX;
  const replies: string[] = [];
  let chars = 0;
  for (const item of items) {
    try {
      if (item.kind === "refused") throw item.fault;
      if (options.now() > untilMs) throw tooLate();
      if (chars > REPLY_CHARS_MAX) throw tooLarge();
      const record = await writeOne(request, operation, item);
      chars += record.length;
      replies.push(`{"status":${STATUS[operation]}${record === "" ? "" : `,"data":${record}`}}`);
    } catch (error) {
      // As long as nothing is written, the whole request can be repeated with the release that is active now.
      if (replies.length === 0 && isStale(error, request.release)) throw error;
      const problem = toProblem(publicFaultOf(options, request, error), request.requestId);
      replies.push(`{"status":${problem.status},"error":${JSON.stringify(problem)}}`);
    }
  }
  return { status: 200, headers: json, body: `{"data":[${replies.join(",")}]}` };
}

function publicFaultOf({ publicFault }: ManyOptions, { release }: Request, error: unknown): Fault {
  if (!isStale(error, release)) return publicFault(error);
  return new Fault("unavailable", { detail: "Another release became active meanwhile. Try again.", cause: error });
}

/** Reports all problems with values of all items at once. Other refusals only name the first such item. */
function requireValid(items: readonly ManyItem[]): readonly Write[] {
  const writes: Write[] = [];
  const errors: FieldError[] = [];
  for (const [at, item] of items.entries()) {
    if (item.kind === "write") writes.push(item);
    else if (item.fault.code === "validation_failed") errors.push(...itemFault(`/${at}`, item.fault).errors);
    else throw itemFault(`/${at}`, item.fault);
  }
  if (errors.length > 0) throw new Fault("validation_failed", { errors: errors.slice(0, ERRORS_MAX) });
  return writes;
}

function tooLate(): Fault {
  return new Fault("timeout", { detail: "Writing these records took too long. Send fewer at once." });
}

function tooLarge(): Fault {
  return new Fault("conflict", { detail: "The written records are too large for one reply. Send fewer at once." });
}
