// Writes a record and the records in its body, all or none. In: the record's own call, and its children's writes. Out:
// the record after all writes, with the children that were written. Each write is judged, audited and published like a
// separate request.
import { Fault } from "@plinth/service";
import type { Tenant, TenantDoor } from "../../project/tenant.ts";
import { entityView, hasOperation } from "../../query/entity-view.ts";
import type { OnceReply } from "../../query/idempotency.ts";
import { lockParents, type PlannedWrite } from "../../query/lock-parents.ts";
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

/** A write of a record that refers to its parent in the tree. */
export interface ChildWrite {
  readonly at: string;
  /** The relation in which the body contains it. */
  readonly name: string;
  readonly entity: string;
  readonly operation: "create" | "update" | "delete";
  readonly recordId: string;
  readonly parent: { readonly field: string; readonly recordId: string };
  readonly values: FieldValues;
  readonly generated: ReadonlyMap<string, string>;
  readonly version: number | null;
  readonly children: readonly ChildWrite[];
}

export interface FamilyCall {
  readonly door: TenantDoor;
  readonly once: Once | null;
  readonly isTried: boolean;
  /** The call for the record itself: a create, an update, or a read if the record itself doesn't change. */
  readonly call: Call;
  readonly children: readonly ChildWrite[];
  /** The parts of the record that the reply shows. */
  readonly selection: Selection;
  /** Path of the records, for `Location`. */
  readonly path: string;
}

/** The maximum time that locks are held, in addition to one statement's own limit. */
const MS_MAX = 5_000;

/** @throws Fault the first refusal. For a child, its errors contain the child's place in the body. */
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
      await lockParents({ tenant, release }, plannedWrites(request.entity, call, children));
      const outcome = await execute(dependencies, { ...request, tenant }, call);
      if (outcome.kind !== "created" && outcome.kind !== "record") throw new Error(`${call.kind} answers no record`);
      const members = await writeChildren(request, tenant, children, untilMs);
      const record = await afterwards({ ...request, tenant }, call.recordId, outcome.json, selection);
      // The selection may not include the version.
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

/** The record's own write, if there is one, and those of all children. */
function plannedWrites(entity: string, call: Call, children: readonly ChildWrite[]): readonly PlannedWrite[] {
  const own = "values" in call ? [{ ...call, entity, isNew: call.kind === "create" }] : [];
  const below = (child: ChildWrite): readonly PlannedWrite[] => [
    { ...child, isNew: child.operation === "create" },
    ...child.children.flatMap(below),
  ];
  return [...own, ...children.flatMap(below)];
}

/** The written records as JSON texts, by the name of their relation. */
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
      throw new Fault("timeout", { detail: "Writing these records took too long. Send fewer." });
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

/** Null if it is deleted. @throws Fault, `not_found` if it is not a child of that record. */
async function writeChild(
  request: Request,
  { operation, recordId, parent, values, generated }: ChildWrite,
): Promise<string | null> {
  if (operation === "create") return createRecord(request, recordId, values, generated);
  const held = await lockRecords(request, operation, [recordId], parent);
  if (!held.has(recordId)) throw new Fault("not_found");
  if (operation === "update") return updateRecord(request, recordId, values);
  await deleteRecord(request, recordId);
  return null;
}

/**
 * Values that are computed from the children are final now. A caller who can write the record but not read it gets its
 * earlier reply.
 */
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

/**
 * The relations that the caller selected are shown as selected. For the others, the reply shows the written records.
 */
function unasked(members: Written, { fields, expansions }: Selection): Written {
  if (fields !== null) return new Map();
  return new Map([...members].filter(([name]) => !expansions.some(({ relation }) => relation.name === name)));
}
