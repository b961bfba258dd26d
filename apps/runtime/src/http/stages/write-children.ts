// Writes a record and those that were sent in its body, all or none. In: the record's own call, and its children's writes. Out: the
// record as it is behind all of them, with the children that were written. Each is judged, audited and told of as a request of its own.
import { Fault } from "@plinth/service";
import type { Tenant, TenantDoor } from "../../project/tenant.ts";
import { entityView, hasOperation } from "../../query/entity-view.ts";
import type { OnceReply } from "../../query/idempotency.ts";
import type { Once } from "../../query/once.ts";
import { PLAIN_READING } from "../../query/read-statement.ts";
import { type Selection, WHOLE } from "../../query/reading/selection.ts";
import {
  createRecord,
  deleteRecord,
  type FieldValues,
  lockRecords,
  type Request,
  readRecord,
  updateRecord,
} from "../../query/run.ts";
import type { Reply } from "../contracts.ts";
import { itemFault } from "../item-fault.ts";
import { writeTogether } from "../together.ts";
import { etagOf } from "./conditions.ts";
import type { Call } from "./decode-input.ts";
import { type ExecuteDependencies, execute } from "./execute.ts";

/** A write of a record that refers to the one before it in the tree. */
export interface ChildWrite {
  readonly at: string;
  /** The relation that it was sent by. */
  readonly name: string;
  readonly entity: string;
  readonly operation: "create" | "update" | "delete";
  readonly recordId: string;
  readonly parent: { readonly field: string; readonly recordId: string };
  readonly values: FieldValues;
  readonly made: ReadonlyMap<string, string>;
  readonly version: number | null;
  readonly children: readonly ChildWrite[];
}

export interface FamilyCall {
  readonly door: TenantDoor;
  readonly once: Once | null;
  readonly isTried: boolean;
  /** Of the record itself: a create, an update, or a read where nothing of it is to be changed. */
  readonly call: Call;
  readonly children: readonly ChildWrite[];
  /** What the reply shows of the record. */
  readonly selection: Selection;
  /** Path of the records, for `Location`. */
  readonly path: string;
}

/** Locks are held for so long at most, and a statement's own limit. */
const MS_MAX = 5_000;

/** @throws Fault the first refusal; of a child, its errors say where it stands in the body. */
export async function writeFamily(
  dependencies: ExecuteDependencies,
  request: Request,
  family: FamilyCall,
): Promise<Reply> {
  const { door, once, isTried, call, children, selection, path } = family;
  if (!("recordId" in call)) throw new Error(`${call.kind} writes no record`);
  const { release } = request;
  let etag: string | null = null;
  const reply = await writeTogether(
    { door, release, viewer: request, once, isTried, isRepeated: true },
    async (tenant): Promise<OnceReply> => {
      const untilMs = Date.now() + MS_MAX;
      const outcome = await execute(dependencies, { ...request, tenant }, call);
      if (outcome.kind !== "created" && outcome.kind !== "record") throw new Error(`${call.kind} answers no record`);
      const members = await writeChildren(request, tenant, children, untilMs);
      const record = await afterwards({ ...request, tenant }, call.recordId, outcome.json, selection);
      // Of a part the version may not be shown.
      etag = etagOf(selection === WHOLE ? record : outcome.json);
      const isCreated = outcome.kind === "created";
      return {
        status: isCreated ? 201 : 200,
        location: isCreated ? `${path}/${call.recordId}` : null,
        body: `{"data":${withMembers(record, unasked(members, selection))}}`,
      };
    },
  );
  return etag === null ? reply : { ...reply, headers: { ...reply.headers, etag } };
}

/** By the name of their relation: the written records as JSON texts. */
type Written = ReadonlyMap<string, readonly string[]>;

async function writeChildren(
  request: Request,
  tenant: Tenant,
  children: readonly ChildWrite[],
  untilMs: number,
): Promise<Written> {
  const written = new Map<string, string[]>();
  for (const child of children) {
    const own: Request = {
      ...request,
      tenant,
      entity: child.entity,
      versions: child.version === null ? null : [child.version],
    };
    if (Date.now() > untilMs)
      throw new Fault("timeout", { detail: "Writing these records took too long together; send fewer." });
    const record = await writeChild(own, child).catch((error: unknown) => {
      throw error instanceof Fault ? itemFault(child.at, error) : error;
    });
    const texts = written.get(child.name) ?? [];
    written.set(child.name, texts);
    if (record === null) continue;
    const members = await writeChildren(request, tenant, child.children, untilMs);
    const shown = child.children.length === 0 ? record : await afterwards(own, child.recordId, record);
    texts.push(withMembers(shown, members));
  }
  return written;
}

/** Null where it is deleted. @throws Fault, `not_found` where it is no child of that record. */
async function writeChild(
  request: Request,
  { operation, recordId, parent, values, made }: ChildWrite,
): Promise<string | null> {
  if (operation === "create") return createRecord(request, recordId, values, made);
  const held = await lockRecords(request, operation, [recordId], parent);
  if (!held.has(recordId)) throw new Fault("not_found");
  if (operation === "update") return updateRecord(request, recordId, values);
  await deleteRecord(request, recordId);
  return null;
}

/** What is computed from its children is so now. Who may write it but not read it gets what they got. */
async function afterwards(
  request: Request,
  recordId: string,
  before: string,
  selection: Selection = WHOLE,
): Promise<string> {
  const { release, entity, principal } = request;
  if (!hasOperation(entityView(release, entity).entity, "read", principal.roles)) return before;
  try {
    const reading = { ...PLAIN_READING, selection, isOfWrite: true };
    return await readRecord({ ...request, versions: null }, recordId, reading);
  } catch (error) {
    if (error instanceof Fault && error.code === "not_found") return before;
    throw error;
  }
}

function withMembers(record: string, members: Written): string {
  const texts = [...members].map(([name, records]) => `,"${name}":[${records.join(",")}]`);
  return `${record.slice(0, -1)}${texts.join("")}}`;
}

/** What was asked for is shown as it was asked for; where nothing was, what was written is. */
function unasked(members: Written, { fields, expansions }: Selection): Written {
  if (fields !== null) return new Map();
  return new Map([...members].filter(([name]) => !expansions.some(({ relation }) => relation.name === name)));
}
