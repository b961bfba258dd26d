// What waits for the caller's consent. In: the id of a run, its step, and a note. Out: approvals as the API answers them.
// It never decides who may give one: the API does.
import { createRecords, type Page } from "./entity.ts";
import type { Call } from "./transport.ts";
import type { AnyProject } from "./types.ts";
import { type CallOptions, endOf } from "./writing.ts";

/** A run that waits for an approval that the caller may give. */
export interface Approval {
  /** An answer names the run, and its `step`. */
  readonly run_id: string;
  readonly workflow: string;
  readonly kind: string;
  readonly step: string;
  /** What the step says of it. */
  readonly message: string | null;
  readonly roles: readonly string[];
  readonly since: string;
  /** When it is too late. */
  readonly until: string | null;
  /** What the run is about; null where the caller may not read it. */
  readonly record: { readonly entity: string; readonly id: string } | null;
}

export interface ApprovalAnswer {
  /** Of the approval that was read. */
  readonly step: string;
  /** That of the approval, so that one which a retry asks for anew at the same step is not meant. */
  readonly since?: string;
  /** At most 2,000 characters. */
  readonly note?: string;
}

export interface Approvals {
  /** The longest waiting first. @param query `limit`: 1 to 100, 20 unless given; `cursor`: of the page before. */
  readonly list: (
    query?: { readonly limit?: number; readonly cursor?: string } & CallOptions,
  ) => Promise<Page<Approval>>;
  /**
   * The same answer by the same person once more changes nothing.
   * @throws NotFound where there is none for the caller, Forbidden for who caused the run, Conflict where it is answered otherwise
   *   or waits no longer.
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
    // What comes back is what the API describes under this address.
    list: async (options) => (await pages.findPage(options)) as unknown as Page<Approval>,
    approve: answer("approve"),
    reject: answer("reject"),
  };
}
