// Locks the parents of several records before the first of them is locked or written. In: the writes that a transaction
// will make, as far as they are known. Out: nothing; the locks end with the transaction. All transactions take these
// locks in one order: parents before the records that lock by them, then by the entity's name and the id, so that none
// waits for another one that waits for it. A parent that only the database knows (a forced value, a default) is left to
// the statement of its write.
import { quoteIdentifier } from "@plinth/postgres";
import { isUuid } from "@plinth/service";
import { busy } from "./database-faults.ts";
import { type EntityView, entityView, forProject } from "./entity-view.ts";
import { arrayLiteral } from "./parameters.ts";
import { lockedBy } from "./parent-lock.ts";
import { heldUp } from "./repeated.ts";
import type { FieldValues, Request } from "./run.ts";

export interface PlannedWrite {
  readonly entity: string;
  readonly recordId: string;
  /** Whether the write creates the record. */
  readonly isNew: boolean;
  readonly values: FieldValues;
}

type Transaction = Pick<Request, "tenant" | "release">;

/** While the locks wait, others can move records to other parents. After this many rounds, the caller must repeat. */
const ROUNDS_MAX = 5;

/** @throws Fault `conflict` if others keep moving the records. */
export async function lockParents(transaction: Transaction, writes: readonly PlannedWrite[]): Promise<void> {
  const { release } = transaction;
  const created = new Set(writes.filter(({ isNew }) => isNew).map(({ recordId }) => recordId));
  const groups = [...Map.groupBy(writes, ({ entity }) => entity)]
    .map(([entity, own]) => groupOf(entityView(release, entity), own))
    .filter((group) => group !== null);
  const held = new Set<string>();
  for (let round = 0; ; round++) {
    const open = new Map<string, { readonly target: EntityView; readonly ids: Set<string> }>();
    for (const group of groups) {
      const { target } = group;
      const { ids } = open.get(target.entity.name) ?? { ids: new Set<string>() };
      const parents = [...group.given, ...(await storedParents(transaction, group))];
      for (const id of parents) if (!held.has(id) && !created.has(id)) ids.add(id);
      if (ids.size > 0) open.set(target.entity.name, { target, ids });
    }
    if (open.size === 0) return;
    if (round >= ROUNDS_MAX) throw busy(undefined);
    for (const { target, ids } of [...open.values()].sort(inOrder)) {
      await lock(transaction, target, [...ids]);
      for (const id of ids) held.add(id);
    }
    if (groups.every(({ stored }) => stored.length === 0)) return;
  }
}

/** The writes of an entity that locks. */
interface Group {
  readonly view: EntityView;
  readonly column: string;
  readonly target: EntityView;
  /** The parents that the writes give their records. */
  readonly given: readonly string[];
  /** The records that exist. */
  readonly stored: readonly string[];
}

function groupOf(view: EntityView, writes: readonly PlannedWrite[]): Group | null {
  const field = lockedBy(view);
  const target = view.all.get(field?.references ?? "");
  if (field === null || target === undefined) return null;
  const given = writes.map(({ values }) => values.get(field.name) ?? "").filter(isUuid);
  const stored = writes.filter(({ isNew }) => !isNew).map(({ recordId }) => recordId);
  return { view, column: quoteIdentifier(field.column), target, given, stored };
}

async function storedParents({ tenant, release }: Transaction, group: Group): Promise<readonly string[]> {
  const { view, column, stored } = group;
  if (stored.length === 0) return [];
  const text = `select distinct _r.${column} from ${view.from} _r where _r."id" = any($1::uuid[]) and _r.${column} is not null`;
  const values = [arrayLiteral(stored)];
  const { rows } = await tenant.run({ text: forProject(text, release), values, lane: "slow" });
  return rows.map(([id]) => id ?? "");
}

async function lock({ tenant, release }: Transaction, { from }: EntityView, ids: readonly string[]): Promise<void> {
  const text = `select _p."id" from ${from} _p where _p."id" = any($1::uuid[]) order by _p."id" for no key update of _p`;
  const statement = {
    text: forProject(text, release),
    values: [arrayLiteral(ids)],
    lane: "slow",
    writes: true,
  } as const;
  await tenant.run(statement).catch(heldUp);
}

type Locked = { readonly target: EntityView };

function inOrder({ target: one }: Locked, { target: other }: Locked): number {
  return depthOf(one) - depthOf(other) || (one.entity.name < other.entity.name ? -1 : 1);
}

/** How many parents lock above it. */
function depthOf(view: EntityView, below: readonly EntityView[] = []): number {
  const parent = view.all.get(lockedBy(view)?.references ?? "");
  if (parent === undefined || below.includes(parent)) return 0;
  return 1 + depthOf(parent, [...below, view]);
}
