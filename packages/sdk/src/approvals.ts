// What waits for the caller's consent. In: the id of a run, and a note. Out: approvals as the API answers them.
// It never decides who may give one: the API does.
import { createRecords, type Page } from "./entity.ts";
import type { Call } from "./transport.ts";
import type { AnyProject } from "./types.ts";

/** A run that waits for an approval that the caller may give. */
export interface Approval {
  /** The run is approved or refused by it. */
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

export interface Approvals {
  /** The longest waiting first. @param query `limit`: 1 to 100, 20 unless given; `cursor`: of the page before. */
  readonly list: (query?: { readonly limit?: number; readonly cursor?: string }) => Promise<Page<Approval>>;
  /** @throws NotFound where there is none for the caller, Forbidden for who started the run, Conflict where it is answered. */
  readonly approve: (runId: string, answer?: { readonly note?: string }) => Promise<void>;
  /** @throws NotFound, Forbidden, Conflict. */
  readonly reject: (runId: string, answer?: { readonly note?: string }) => Promise<void>;
}

export function createApprovals(call: (request: Call) => Promise<unknown>): Approvals {
  const pages = createRecords<AnyProject, string>("approval", call, "/v1/runs/approvals");
  const answer =
    (how: string): Approvals["approve"] =>
    async (runId, body = {}) => {
      await call({ method: "POST", path: `/v1/runs/${encodeURIComponent(runId)}/${how}`, body });
    };
  return {
    // What comes back is what the API describes under this address.
    list: async (options) => (await pages.findPage(options)) as unknown as Page<Approval>,
    approve: answer("approve"),
    reject: answer("reject"),
  };
}
