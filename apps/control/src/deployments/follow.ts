// Follows a deployment to its end. In: a deployment that isn't finished. Out: its last state, recorded. Every step can run twice,
// so that it can start again after a restart. It always waits for an unavailable cell.
import { type ControlSigner, signApproval } from "@plinth/bundle";
import type { ReleaseState } from "@plinth/bundle/cell";
import type { Logger } from "@plinth/service";
import { Busy } from "../authoring/fair-queue.ts";
import { OverBudget } from "../authoring/workers.ts";
import type { Workshop } from "../authoring/workshop.ts";
import type { Cells } from "../cells/client.ts";
import { CellRefused, CellUnavailable } from "../cells/failures.ts";
import type { Provision } from "../projects/provision.ts";
import type { Deployment } from "./api.ts";
import type { ApprovedContent, DeploymentOrder, DeploymentStore, Progress } from "./store.ts";

export interface Followers {
  /** Follows in the background. Does nothing if the deployment is already followed. */
  follow(deploymentId: string): void;
  /** Follows all deployments that an earlier process left unfinished. */
  resume(): Promise<void>;
  /** The current report of the cell. If the cell doesn't answer, the recorded state. */
  refresh(deployment: Deployment): Promise<Deployment>;
  stop(): Promise<void>;
}

export interface FollowersOptions {
  readonly store: DeploymentStore;
  readonly cells: Cells;
  readonly provision: Provision;
  readonly workshop: Workshop;
  readonly logger: Logger;
  readonly signer: ControlSigner;
  readonly pollMs: number;
  readonly retryMsMax: number;
}

export function createFollowers(options: FollowersOptions): Followers {
  const { store, cells, logger } = options;
  const followed = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  const followToEnd = async (deploymentId: string): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        const order = await store.order(deploymentId);
        if (order.deployment.finishedAt !== null) return;
        await advance(order, options);
        failures = 0;
      } catch (error) {
        failures++;
        // Shows people the reason for the wait. If the database itself is unreachable, this fails too.
        if (error instanceof CellUnavailable) await store.waits(deploymentId).catch(() => {});
        const known = error instanceof CellUnavailable || error instanceof Busy;
        logger[known ? "warn" : "error"](
          { err: error, deploymentId },
          "deployment could not be followed; trying again",
        );
      }
      await pause(Math.min(options.pollMs * 2 ** Math.min(failures, 10), options.retryMsMax), stopping.signal);
    }
  };

  const follow = (deploymentId: string): void => {
    if (followed.has(deploymentId) || stopping.signal.aborted) return;
    followed.set(
      deploymentId,
      followToEnd(deploymentId).finally(() => followed.delete(deploymentId)),
    );
  };

  return {
    follow,
    resume: async () => {
      for (const deploymentId of await store.unfinished()) follow(deploymentId);
    },
    refresh: async (deployment) => {
      if (deployment.finishedAt !== null || deployment.status === "queued") return deployment;
      const order = await store.order(deployment.id);
      // Until the new attempt has begun, the cell still reports the previous one.
      if (order.resuming) return deployment;
      try {
        const state = await cells.release(order.placement, deployment.releaseId);
        if (state !== null) await recordState(order, state, options);
      } catch (error) {
        if (!(error instanceof CellUnavailable)) throw error;
      }
      return (await store.get(deployment.id)) ?? deployment;
    },
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(followed.values());
    },
  };
}

/** One step: hand the release over, or read its progress. */
async function advance(order: DeploymentOrder, options: FollowersOptions): Promise<void> {
  const { store, cells, provision } = options;
  const { deployment, placement } = order;
  try {
    const asked = deployment.status === "queued" || order.resuming;
    const state = asked ? null : await cells.release(placement, deployment.releaseId);
    if (state !== null) return await recordState(order, state, options);
    await provision(placement);
    const content = await store.content(deployment.id);
    await cells.publish(placement, await publication(order, content, options));
    // The live version stays live. Only its last steps are tried again.
    if (order.resuming) return await store.resumed(deployment.id);
    await store.record(deployment.id, { status: "received", error: null, steps: plannedSteps(content) });
  } catch (error) {
    const reason = whyNever(error);
    if (reason === null) throw error;
    options.logger.error({ err: error, deploymentId: deployment.id }, "deployment failed");
    const status = order.resuming ? deployment.status : "failed";
    await store.finish(deployment.id, { status, error: reason, steps: deployment.steps });
  }
}

/** A superseded release was active in between. The next release is recorded by its own deployment. */
async function recordState(
  { deployment: { id: deploymentId }, renamed }: DeploymentOrder,
  state: ReleaseState,
  { store, cells }: FollowersOptions,
): Promise<void> {
  // Before the project is recorded under its new name: if a cell is unavailable, this is tried again.
  if (state.status === "active") for (const environment of renamed) await cells.provision(environment);
  const progress: Progress = { status: state.status, error: state.error, steps: state.steps };
  // A live release may have steps left. It is recorded as live immediately, and followed until they end.
  await (state.finished || state.status === "superseded"
    ? store.finish(deploymentId, progress)
    : store.record(deploymentId, progress));
}

/** The reason why another attempt is useless. Null if it can help. */
function whyNever(error: unknown): string | null {
  if (error instanceof CellRefused) return `The cell refused the release: ${error.detail}`;
  if (error instanceof OverBudget) return "Reading the release took more than the operator allows.";
  return error instanceof NotApproved ? error.message : null;
}

/** A bug of ours, or a manual change in the database. */
class NotApproved extends Error {
  constructor() {
    super("The stored change differs from the approved one. Propose the change again.");
    this.name = "NotApproved";
  }
}

/** The publication as JSON. @throws NotApproved */
async function publication(
  order: DeploymentOrder,
  content: ApprovedContent,
  { workshop, signer }: FollowersOptions,
): Promise<string> {
  const { deployment, placement } = order;
  const { text, diff, plan, refused, bundle, author, consents, losses, baseBundleHash: base } = content;
  const party = { personId: null, organizationId: order.organizationId };
  const found = await workshop.fingerprint(party, {
    base,
    text,
    diff,
    plan,
    refused,
    bundle,
    author,
    consents,
    losses,
  });
  if (found.hash !== content.hash || found.bundleHash !== content.bundleHash) throw new NotApproved();
  const approval = {
    cell: placement.cellId,
    name: content.name ?? placement.slug,
    projectId: placement.id,
    releaseId: deployment.releaseId,
    baseHash: base,
    bundleHash: content.bundleHash,
    planHash: found.planHash,
    consents: [...consents].sort(),
    approvedBy: content.approvedBy,
    approvedAt: content.approvedAt.toISOString(),
  };
  const head = JSON.stringify({
    projectId: placement.id,
    releaseId: deployment.releaseId,
    approval: signApproval(approval, signer, Date.now()),
  });
  // Joined as text: a bundle has megabytes, and this thread serves requests.
  return `${head.slice(0, -1)},"bundle":${bundle},"plan":${plan}}`;
}

function plannedSteps({ steps }: ApprovedContent): Progress["steps"] {
  const none = { status: "pending", startedAt: null, finishedAt: null, error: null, rows: null } as const;
  return steps.map(({ id, summary }) => ({ id, summary, ...none }));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
