// Imports one batch, from lines to records, in one transaction with the import's ledger and one row of the audit log.
// In: a batch and its sender. Out: the number of stored rows, and each refused row with its reason. A batch is taken
// once or not at all, even after a crash. It creates no events, and no changes for subscribers.
import {
  BATCH_CHARS_MAX,
  type BatchBody,
  type BatchOutcome,
  type RowRefusal,
  type StepState,
} from "@plinth/bundle/cell";
import { type BulkScope, type BulkTransaction, isRetryable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ClientBase } from "pg";
import type { ActiveRelease } from "../project/active-release.ts";
import { fillReferences } from "./fill-references.ts";
import { lockStep, storeStep } from "./import-ledger.ts";
import { type ImportTarget, importTarget, linkTarget } from "./import-target.ts";
import { insertSound } from "./insert-batch.ts";
import { judgeBatch } from "./judge-batch.ts";
import { linkRecords } from "./link-records.ts";
import { type Staged, stageRows } from "./staged-rows.ts";
import type { Taken } from "./taken.ts";
import { judgeForms } from "./text-forms.ts";

export interface BatchBy {
  readonly email: string;
  readonly requestId: string;
}

/** @throws Fault `conflict` if the import's position is not the beginning of the batch. */
export async function takeBatch(
  bulk: BulkScope,
  release: ActiveRelease,
  batch: BatchBody,
  by: BatchBy,
): Promise<BatchOutcome> {
  const name = { projectId: release.projectId, source: batch.source };
  try {
    return await bulk.transaction(release.projectId, async (open) => {
      // A dry run belongs to no import.
      const before = batch.dry
        ? nothingTaken(batch.step.name)
        : await open.asCell((client) => lockStep(client, name, batch.step.name));
      if (!batch.dry && before.lastKey !== batch.after) {
        throw new Fault("conflict", { detail: "The import has reached another row meanwhile. Read its position." });
      }
      const taken = withTooLarge(await takeRows(open, release, batch), batch);
      const state = stateAfter(before, batch, taken);
      const outcome = { accepted: taken.accepted, refused: taken.refusals.length, refusals: taken.refusals, state };
      if (batch.dry) throw new Tried(outcome);
      await writeAuditRow(open.client, release, batch, taken, by);
      await open.asCell((client) => storeStep(client, name, state));
      return outcome;
    });
  } catch (error) {
    if (error instanceof Tried) return error.outcome;
    if (!isRetryable(error)) throw error;
    throw new Fault("unavailable", { detail: "Another request changed the same records; try again.", cause: error });
  }
}

/** Ends a transaction without a commit, with the result that it would have had. */
class Tried extends Error {
  readonly outcome: BatchOutcome;
  constructor(outcome: BatchOutcome) {
    super("A batch was tried, and is undone");
    this.outcome = outcome;
  }
}

async function takeRows(open: BulkTransaction, release: ActiveRelease, batch: BatchBody): Promise<Taken & Sent> {
  const { step, rows, count } = batch;
  const stage = (width: number): Promise<Staged> => stageRows(open, { rows, count, width });
  if (step.kind === "links") {
    const target = linkTarget(release, step);
    const { checksum } = await stage(2);
    return { ...(await linkRecords(open, target)), sentChecksum: checksum };
  }
  const target = importTarget(release, step, batch.organization);
  const staged = await stage(step.fields.length);
  const taken =
    step.kind === "fill" ? await fillReferences(open, target) : await takeRecords(open, release, batch, target, staged);
  return { ...taken, sentChecksum: staged.checksum };
}

interface Sent {
  /** The checksum of all rows, computed by the source. */
  readonly sentChecksum: string;
}

/** Adds the rows that were too large to be sent. */
function withTooLarge(taken: Taken & Sent, { tooLarge = [] }: BatchBody): Taken & Sent {
  const hashes = tooLarge.reduce((sum, { hash }) => sum + BigInt(hash), 0n);
  const refusals = tooLarge.map(
    ({ key }): RowRefusal => ({
      key,
      field: null,
      code: "too_large",
      message: `The row has more than ${BATCH_CHARS_MAX.toLocaleString("en-US")} characters, the largest size of a batch. Create the record through the API.`,
    }),
  );
  return {
    ...taken,
    refusals: [...taken.refusals, ...refusals],
    refusedChecksum: String(BigInt(taken.refusedChecksum) + hashes),
    sentChecksum: String(BigInt(taken.sentChecksum) + hashes),
  };
}

async function takeRecords(
  open: BulkTransaction,
  release: ActiveRelease,
  { rows, dry, pending }: BatchBody,
  target: ImportTarget,
  staged: Staged,
): Promise<Taken> {
  const forms = judgeForms(release, target, rows);
  if (!dry && forms.length === 0 && (await insertSound(open.client, target, staged))) {
    return { accepted: staged.count, checksum: staged.checksum, refusals: [], refusedChecksum: "0" };
  }
  const { stored, refused } = await judgeBatch(open, { target, forms, dry, pending });
  const { refusals, checksum } = await refused.list();
  return { accepted: stored.count, checksum: stored.checksum, refusals, refusedChecksum: checksum };
}

function nothingTaken(name: string): StepState {
  return {
    name,
    lastKey: null,
    read: 0,
    accepted: 0,
    refused: 0,
    checksum: "0",
    sentChecksum: "0",
    refusedChecksum: "0",
  };
}

function stateAfter(before: StepState, { last, count, tooLarge = [] }: BatchBody, taken: Taken & Sent): StepState {
  return {
    name: before.name,
    lastKey: last,
    read: before.read + count + tooLarge.length,
    accepted: before.accepted + taken.accepted,
    refused: before.refused + taken.refusals.length,
    checksum: String(BigInt(before.checksum) + BigInt(taken.checksum)),
    sentChecksum: String(BigInt(before.sentChecksum) + BigInt(taken.sentChecksum)),
    refusedChecksum: String(BigInt(before.refusedChecksum) + BigInt(taken.refusedChecksum)),
  };
}

/** One row for the batch: a row for each record would double the size of the import. */
async function writeAuditRow(
  client: ClientBase,
  release: ActiveRelease,
  { step, source }: BatchBody,
  { accepted, checksum, refusals }: Taken,
  { email, requestId }: BatchBy,
): Promise<void> {
  const changes = { import: source.slice(0, 12), step: step.name, count: accepted, checksum, refused: refusals.length };
  await client.query(
    `INSERT INTO ${release.schema}.audit_log (request_id, actor_kind, actor_id, operation, entity, changes)
     VALUES ($1, 'operator', $2, 'import', $3, $4)`,
    [requestId, email, step.entity, JSON.stringify(changes)],
  );
}
