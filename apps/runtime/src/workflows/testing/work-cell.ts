// For tests: a cell that serves a project and works in the background, with the blueprint's workflows or with workflows
// given as data. Calls of other services reach this machine.
import { checkBlueprint } from "@plinth/blueprint";
import type { Bundle, BundleBackground, BundleStep, BundleWorkflow, ProjectId, StepAction } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { networksOf } from "@plinth/service";
import type { WorkLimits } from "../../events/work-budget.ts";
import {
  createTestDatabase,
  deploy,
  kek,
  makeProject,
  openTestCell,
  publicationOf,
  type TestCell,
} from "../../modes/testing/cell.ts";
import { startBackgroundWork } from "../../modes/work.ts";
import { serviceFor } from "../../project/principal.ts";
import type { Request } from "../../query/run.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";
import type { WebhookLimits } from "../../webhooks/rules.ts";

export interface WorkCell {
  readonly cell: TestCell;
  readonly projectId: ProjectId;
  /** Runs a statement in the project's database. `{schema}` is its schema. */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** A request on an entity, by the service. */
  request(entity: string): Promise<Request>;
  /** Waits until the project has no more runs to execute, or the time is over. */
  settled(msMax?: number): Promise<void>;
  redeploy(background: Partial<BundleBackground>): Promise<void>;
  /** Another worker with its own connections. */
  addProcess(): Promise<void>;
  close(): Promise<void>;
}

/** Calls of steps only reach this machine. @param works False if the test itself hands events on and executes runs. */
export async function openWorkCell(
  blueprint: string,
  background: Partial<BundleBackground>,
  {
    works = true,
    workLimits,
    ...mail
  }: {
    readonly works?: boolean;
    readonly workLimits?: WorkLimits;
    readonly webhookLimits?: WebhookLimits;
    readonly mailbox?: boolean;
    readonly mailsPerHour?: number;
  } = {},
): Promise<WorkCell> {
  const database = await createTestDatabase(cellTemplate);
  const limits = workLimits === undefined ? {} : { workLimits };
  const outboundAllowed = networksOf(["127.0.0.1"]);
  const cell = await openTestCell(database, { ...limits, outboundAllowed });
  const workOn = (on: TestCell): Promise<unknown> =>
    startBackgroundWork(on, {
      databaseUrl: database.url,
      kek,
      outboundAllowed,
      ...limits,
      ...mail,
    });
  if (works) await workOn(cell);
  const projectId = await makeProject(cell);
  let live: Bundle | null = null;
  const others: TestCell[] = [];
  const redeploy = async (work: Partial<BundleBackground>): Promise<void> => {
    const { model, diagnostics } = checkBlueprint(blueprint);
    if (model === null) throw new Error(JSON.stringify(diagnostics));
    const compiled = compileModel(model);
    const bundle: Bundle = { ...compiled, background: { ...compiled.background, ...work } };
    const status = await deploy(cell, publicationOf(projectId, bundle, live));
    if (status.error !== null) throw new Error(status.error);
    live = bundle;
  };
  await redeploy(background);
  const { schema } = tenantNames(projectId);
  const sql: WorkCell["sql"] = async (text, values = []) =>
    (await cell.pool.query(text.replaceAll("{schema}", quoteIdentifier(schema)), [...values])).rows;
  return {
    cell,
    projectId,
    sql,
    redeploy,
    async request(entity) {
      const release = await cell.registry.get(projectId);
      if (release === null) throw new Error("nothing is deployed");
      return {
        tenant: cell.scopeOf(projectId),
        release,
        entity,
        principal: serviceFor("test"),
        organization: null,
        ip: "",
        requestId: "req_test",
      };
    },
    async settled(msMax = 10_000) {
      const deadline = performance.now() + msMax;
      while (performance.now() < deadline) {
        const [row] = (
          await cell.pool.query(
            `SELECT (SELECT count(*) FROM plinth.outbox)::int + (SELECT count(*) FROM plinth.due_runs WHERE due_at < 'infinity')::int AS left`,
          )
        ).rows as { left: number }[];
        if (row?.left === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error("runs are still under way");
    },
    async addProcess() {
      const another = await openTestCell(database);
      others.push(another);
      await workOn(another);
    },
    async close() {
      for (const another of others) await another.close();
      await cell.close();
      await database.drop();
    },
  };
}

export function workflowOf(
  workflow: Partial<BundleWorkflow> & Pick<BundleWorkflow, "name" | "on" | "steps">,
): BundleWorkflow {
  return {
    kind: "workflow",
    when: null,
    entity: null,
    lookup: null,
    ordered: null,
    concurrencyMax: null,
    timeoutMs: null,
    ...workflow,
  };
}

export function stepOf(id: string, action: StepAction, more: Partial<BundleStep> = {}): BundleStep {
  return {
    id,
    action,
    if: null,
    forEach: null,
    delayMs: null,
    retry: { attempts: 3, backoff: "constant", delayMs: 20, delayMsMax: 1_000 },
    timeoutMs: 5_000,
    onError: { kind: "fail" },
    compensate: [],
    as: "service",
    ...more,
  };
}
