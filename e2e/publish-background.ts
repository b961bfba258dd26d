// Adds background work that no blueprint can declare yet to the live release of a local Plinth: the same bundle with a
// handwritten `background`, published to the cell as control does it. In: a stack, a project, its work. Out: nothing,
// when it is live.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Bundle,
  type BundleBackground,
  type BundleStep,
  type BundleWorkflow,
  hashOf,
  newId,
  readControlSigner,
  type StepAction,
  signApproval,
} from "@plinth/bundle";
import { planMigration } from "@plinth/compiler";
import { queryCell } from "./cell.ts";
import { until } from "./published-cell.ts";
import type { Stack } from "./stack.ts";

/** The secrets that the local parts store in their home. */
interface Secrets {
  readonly services: { readonly cell: string };
  readonly controlKeys: { readonly privateKey: string };
}

export async function publishBackground(
  stack: Stack,
  projectId: string,
  work: Pick<BundleBackground, "workflows"> & Partial<BundleBackground>,
): Promise<void> {
  const secrets = JSON.parse(readFileSync(join(stack.home, "secrets.json"), "utf8")) as Secrets;
  const [[stored] = []] = await queryCell(
    stack.home,
    `select r.bundle from plinth.releases r join plinth.projects p on p.active_release_id = r.id where p.id = '${projectId}'`,
  );
  const live = (typeof stored === "string" ? JSON.parse(stored) : stored) as Bundle;
  const background: BundleBackground = { events: [], schedules: [], actions: [], ...work };
  const bundle: Bundle = { ...live, background };
  const releaseId = newId("rel");
  const { plan } = planMigration({
    before: live.tables,
    after: live.tables,
    renames: { tables: {}, columns: {} },
    setAside: [],
    tag: releaseId.slice(4, 12),
  });
  const approval = signApproval(
    {
      cell: "local",
      name: bundle.project,
      projectId,
      releaseId,
      baseHash: hashOf(live),
      bundleHash: hashOf(bundle),
      planHash: hashOf(plan),
      consents: [],
      approvedBy: "test",
      approvedAt: new Date().toISOString(),
    },
    readControlSigner(secrets.controlKeys.privateKey),
    Date.now(),
  );
  const path = `${stack.internalUrl}/internal/projects/${projectId}/releases`;
  const headers = { authorization: `Bearer ${secrets.services.cell}`, "content-type": "application/json" };
  const body = JSON.stringify({ projectId, releaseId, bundle, plan, approval });
  const sent = await fetch(path, { method: "POST", headers, body });
  if (!sent.ok) throw new Error(`the release was refused: ${sent.status} ${await sent.text()}`);
  await until(async () => {
    const answer = (await (await fetch(`${path}/${releaseId}`, { headers })).json()) as {
      status: string;
      error: string | null;
    };
    if (answer.error !== null) throw new Error(answer.error);
    return answer.status === "active";
  }, 30);
}

export function workflowOf(
  workflow: Pick<BundleWorkflow, "name" | "on" | "steps"> & Partial<BundleWorkflow>,
): BundleWorkflow {
  const none = { when: null, entity: null, lookup: null, ordered: null, concurrencyMax: null, timeoutMs: null };
  return { kind: "workflow", ...none, ...workflow };
}

export function stepOf(id: string, action: StepAction, more: Partial<BundleStep> = {}): BundleStep {
  return {
    id,
    action,
    if: null,
    forEach: null,
    delayMs: null,
    retry: { attempts: 3, backoff: "constant", delayMs: 200, delayMsMax: 1_000 },
    timeoutMs: 5_000,
    onError: { kind: "fail" },
    compensate: [],
    as: "service",
    ...more,
  };
}
