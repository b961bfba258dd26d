// Approvals. In: the id of a run, its step, and a note. Out: approvals as the API returns them. The API decides who can
// give one.
import { createRecords, type Page } from "./entity.ts";
import type { Call } from "./transport.ts";
import type { AnyProject } from "./types.ts";
import { type CallOptions, endOf } from "./writing.ts";

/** A run that waits for an approval that the caller can give. */
export interface Approval {
  /** An answer names the run, and its `step`. */
  readonly run_id: string;
  readonly workflow: string;
  readonly kind: string;
  readonly step: string;
  /** The text of the step for approvers. */
  readonly message: string | null;
  readonly roles: readonly string[];
  readonly since: string;
  /** When the approval expires. */
  readonly until: string | null;
  /** The record of the run; null if the caller can't read it. */
  readonly record: { readonly entity: string; readonly id: string } | null;
}

export interface ApprovalAnswer {
  /** Of the approval that was read. */
  readonly step: string;
  /** The `since` of the approval, so that the answer doesn't apply to a new approval after a retry. */
  readonly since?: string;
  /** At most 2,000 characters. */
  readonly note?: string;
}

export interface Approvals {
  /** The oldest first. @param query `limit`: 1 to 100, default 20; `cursor`: from the previous page. */
  readonly list: (
    query?: { readonly limit?: number; readonly cursor?: string } & CallOptions,
  ) => Promise<Page<Approval>>;
  /**
   * The same answer by the same person again changes nothing.
   * @throws NotFound if the caller has no such approval, Forbidden for the person who caused the run, Conflict if it
   * has another answer or no longer waits.
   */
  readonly approve: (runId: string, answer: ApprovalAnswer, options?: CallOptions) => Promise<void>;
  /** @throws NotFound, Forbidden, Conflict, as `approve`. */
  readonly reject: (runId: string, answer: ApprovalAnswer, options?: CallOptions) => Promise<void>;
}

export function createApprovals(call: (request: Call) => Promise<unknown>): Approvals {
  const pages = createRecords<AnyProject, string>("approval", call, "/v1/runs/approvals");
  const answer =
    (how: string): Approvals["approve"] =>
    async (runId, body, options) => {
      await call({ method: "POST", path: `/v1/runs/${encodeURIComponent(runId)}/${how}`, body, ...endOf(options) });
    };
  return {
    // The result has the shape that the API describes for this address.
    list: async (options) => (await pages.findPage(options)) as unknown as Page<Approval>,
    approve: answer("approve"),
    reject: answer("reject"),
  };
}
