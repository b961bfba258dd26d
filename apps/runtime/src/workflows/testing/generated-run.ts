// Executes generated plans on the real engine and Postgres, with processes that die meanwhile. In: a cell and a plan.
// Out: the result, in the model's form.
import { setTimeout as pause } from "node:timers/promises";
import { createTenantScope } from "@plinth/postgres";
import { Random } from "@plinth/testkit";
import type { ModuleContext } from "../../http/contracts.ts";
import { answerApproval } from "../../modules/workers/answer-approval.ts";
import { cancelRun } from "../../modules/workers/steer.ts";
import { createRecord } from "../../query/run.ts";
import { openBench } from "./bench.ts";
import { type Doom, startProcess } from "./dying-process.ts";
import type { FickleService } from "./fickle-service.ts";
import { DEATHS_MAX, labelOf, type Plan, type PlannedStep, refused } from "./generated-workflow.ts";
import type { WorkCell } from "./work-cell.ts";
import type { Expected, Left, Output } from "./workflow-model.ts";

export interface Actual extends Expected {
  /** Labels of unsafe calls whose result is unknown because of a death. */
  readonly unknown: ReadonlySet<string>;
  /** Rules that hold for every run, and were broken. */
  readonly broken: readonly string[];
  readonly deaths: number;
}

export interface Stage {
  run(plan: Plan, seed: number): Promise<Actual>;
  close(): Promise<void>;
}

const TURNS_MAX = 400;
const dooms: readonly Doom[] = ["before", "undone", "after", "cut", "stall"];

export async function openStage(work: WorkCell, service: FickleService): Promise<Stage> {
  const { cell, projectId } = work;
  const pool = cell.openPool("stage", 8);
  const scope = createTenantScope({
    fastLane: cell.fastLane,
    pool: cell.openPool("stage runs", 8),
    limits: { slowPlaces: 8, slowPerProject: 8, slowBudget: { msPerSecond: 100_000, burstMs: 100_000 } },
  }).forProject({ projectId });
  const { dispatcher, executor, outbound } = openBench(work, { pool, scope });
  const cut = (backend: string): Promise<unknown> => pool.query("SELECT pg_terminate_backend($1::int)", [backend]);
  await watchEndedSteps(work);
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "always"]]));

  let dispatching = true;
  const handingOn = (async () => {
    while (dispatching) {
      await dispatcher.dispatch();
      await pause(3);
    }
  })();

  async function run(plan: Plan, seed: number): Promise<Actual> {
    const random = new Random(seed);
    const steps = new Map(allSteps(plan).map((each) => [each.step.id, each]));
    for (const { step, label } of steps.values()) {
      if (step.action.kind !== "call") continue;
      for (const [at, member] of (step.members ?? [null]).entries()) {
        const trouble = at === step.brokenMember ? refused : step.action.trouble;
        service.expect(labelOf(label, step, member), trouble);
      }
    }
    let passedMs = 0;
    let deaths = 0;
    const now = (): number => Date.now() + passedMs;
    const ticket = crypto.randomUUID();
    await createRecord(await work.request("ticket"), ticket, new Map([["title", plan.name]]));
    const root = await found(work, ticket);
    const met = new Set<string>();

    async function carry(runId: string): Promise<void> {
      const mayDie = deaths < DEATHS_MAX && random.chance(0.5);
      const fate = mayDie ? { doom: random.pick(dooms), at: random.whole(1, 9) } : null;
      const living = { now, random: () => 0.5 };
      const process = startProcess(
        {
          scope,
          outbound,
          cut: (backend) => {
            deaths++;
            return cut(backend);
          },
          overtake: async () => {
            deaths++;
            await executor(scope, living).execute(projectId, [runId]);
          },
        },
        fate,
      );
      const isDone = await executor(process.scope, { ...living, outbound: process.outbound })
        .execute(projectId, [runId])
        .then(() => true)
        .catch((error: unknown) => {
          if (fate === null) throw error;
          return false;
        });
      if (isDone && !process.isDead()) return;
      if (process.isDead()) deaths++;
    }

    async function signal(step: string, label: string): Promise<void> {
      await createRecord(await work.request("signal"), crypto.randomUUID(), new Map([["key", `${label}-${step}`]]));
    }

    /** Acts from outside: sends events before they are waited for, and answers waits. True if it did anything. */
    async function answer(runs: readonly RunRow[]): Promise<boolean> {
      for (const { id, workflow } of runs) {
        if (met.has(id)) continue;
        met.add(id);
        const early = [...steps.values()].filter(
          ({ label, step }) => label === workflow && step.action.kind === "wait_for" && step.action.comes === "before",
        );
        for (const { step, label } of early) await signal(step.id, label);
      }
      const waits = await work.sql(
        `SELECT w.run_id, w.path FROM {schema}.workers__waits w JOIN {schema}.workers__runs r ON r.id = w.run_id
         WHERE w.run_id = ANY($1::uuid[]) AND w.answer IS NULL AND w.kind <> 'run' AND r.status = 'waiting'`,
        [runs.map(({ id }) => id)],
      );
      let came = false;
      for (const { run_id, path } of waits) {
        const runId = String(run_id);
        const { step, label } = steps.get(stepIdOf(String(path))) as Place;
        if (met.has(`${runId}/${path}`)) continue;
        const { action } = step;
        const steering = { scope, context: await adminContext(work), runId };
        if (action.kind === "wait_for" && action.comes === "after") await signal(step.id, label);
        else if (action.kind === "approve" && action.answer === "cancel") await cancelRun(steering);
        else if (action.kind === "approve" && (action.answer === "yes" || action.answer === "no")) {
          await answerApproval(steering, {
            step: String(path),
            since: null,
            approved: action.answer === "yes",
            note: null,
          });
        } else continue;
        met.add(`${runId}/${path}`);
        came = true;
      }
      return came;
    }

    for (let turn = 0; turn < TURNS_MAX; turn++) {
      // Read first, because an event that is handed on meanwhile is due in the next read.
      const isComing = await isEventUnderWay(work);
      const runs = await tree(work, root);
      if (runs.every((each) => each.ended))
        return { ...(await reportOf(work, service, plan, { ticket, root, runs })), deaths };
      if (await answer(runs)) continue;
      const due = runs.filter(({ ended, dueMs }) => !ended && dueMs <= now());
      if (due.length > 0) await carry(random.pick(due).id);
      else if (isComing) await pause(2);
      else {
        const nextMs = Math.min(...runs.filter(({ ended }) => !ended).map(({ dueMs }) => dueMs));
        if (nextMs === Number.POSITIVE_INFINITY) await pause(10);
        else passedMs += nextMs - now() + 1;
      }
    }
    throw new Error(
      `${plan.name} does not end: ${JSON.stringify(await tree(work, root))} ${JSON.stringify(await work.sql("SELECT * FROM {schema}.workers__waits WHERE answer IS NULL AND run_id IN (SELECT id FROM {schema}.workers__runs WHERE starts_with(workflow, $1))", [plan.name]))}`,
    );
  }

  return {
    run,
    async close() {
      dispatching = false;
      await handingOn;
    },
  };
}

interface RunRow {
  readonly id: string;
  readonly workflow: string;
  readonly ended: boolean;
  readonly dueMs: number;
}

interface Place {
  readonly step: PlannedStep;
  /** The plan's name. */
  readonly label: string;
}

function allSteps(plan: Plan): readonly Place[] {
  const of = (steps: readonly PlannedStep[]): readonly Place[] =>
    steps.flatMap((step) => [
      { step, label: plan.name },
      ...(typeof step.onError === "string" ? [] : of(step.onError)),
      ...of(step.compensate),
      ...(step.action.kind === "worker" ? allSteps(step.action.worker) : []),
    ]);
  return of(plan.steps);
}

/** The last name of a path that is not a member's number. */
function stepIdOf(path: string): string {
  return (
    path
      .split("/")
      .filter((name) => !/^\d+$/.test(name))
      .at(-1) ?? ""
  );
}

async function found(work: WorkCell, ticket: string): Promise<string> {
  for (let i = 0; i < 2_000; i++) {
    const [run] = await work.sql(
      "SELECT r.id FROM {schema}.workers__runs r JOIN {schema}.workers__events e ON e.id = r.event_id WHERE e.record_id = $1",
      [ticket],
    );
    if (run !== undefined) return String(run["id"]);
    await pause(5);
  }
  throw new Error("no run began");
}

async function tree(work: WorkCell, root: string): Promise<readonly RunRow[]> {
  const rows = await work.sql(
    `WITH RECURSIVE t AS (SELECT * FROM {schema}.workers__runs WHERE id = $1
       UNION ALL SELECT r.* FROM {schema}.workers__runs r JOIN t ON r.caused_by = t.id)
     SELECT t.id, t.workflow, t.ended_at IS NOT NULL AS ended, extract(epoch FROM d.due_at)::float8 * 1000 AS due
     FROM t LEFT JOIN plinth.due_runs d ON d.run_id = t.id`,
    [root],
  );
  return rows.map(({ id, workflow, ended, due }) => ({
    id: String(id),
    workflow: String(workflow),
    ended: ended === true,
    dueMs: due === null ? Number.POSITIVE_INFINITY : Number(due),
  }));
}

/** While an event is being handed on, a run may be due in a moment. */
async function isEventUnderWay(work: WorkCell): Promise<boolean> {
  const [row] = await work.sql("SELECT EXISTS (SELECT 1 FROM plinth.outbox) AS some");
  return row?.["some"] === true;
}

async function adminContext(work: WorkCell): Promise<ModuleContext> {
  const { release, principal } = await work.request("ticket");
  return {
    release,
    projectId: work.projectId,
    principal: { ...principal, roles: ["admin"] },
    incoming: { id: "req_test" },
  } as unknown as ModuleContext;
}

/** A step that has ended must not change: each change is recorded. */
async function watchEndedSteps(work: WorkCell): Promise<void> {
  await work.sql(`CREATE TABLE {schema}.rewritten (run_id uuid, path text)`);
  await work.sql(`GRANT INSERT ON {schema}.rewritten TO public`);
  await work.sql(`CREATE FUNCTION {schema}.note_rewritten() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO {schema}.rewritten VALUES (OLD.run_id, OLD.path); RETURN NEW; END $$`);
  await work.sql(`CREATE TRIGGER rewritten BEFORE UPDATE ON {schema}.workers__steps FOR EACH ROW
    WHEN (OLD.status IN ('completed', 'skipped', 'failed')) EXECUTE FUNCTION {schema}.note_rewritten()`);
}

async function reportOf(
  work: WorkCell,
  service: FickleService,
  plan: Plan,
  { ticket, root, runs }: { readonly ticket: string; readonly root: string; readonly runs: readonly RunRow[] },
): Promise<Omit<Actual, "deaths">> {
  const ids = runs.map(({ id }) => id);
  while (await isEventUnderWay(work)) await pause(3);
  const texts = async (sql: string): Promise<string[]> =>
    (await work.sql(sql, [`${plan.name}-`, `${plan.name}w`])).map((row) => String(row["text"])).sort();
  const begins = (column: string): string => `(starts_with(${column}, $1) OR starts_with(${column}, $2))`;
  const [end] = await work.sql(
    "SELECT status, error->>'code' AS code, output FROM {schema}.workers__runs WHERE id = $1",
    [root],
  );
  const steps = await work.sql(
    `SELECT r.workflow || ': ' || s.path AS place, s.status, s.path FROM {schema}.workers__steps s
     JOIN {schema}.workers__runs r ON r.id = s.run_id
     WHERE s.run_id = ANY($1::uuid[]) AND s.status IN ('completed', 'skipped', 'failed', 'started')`,
    [ids],
  );
  const places = new Map(allSteps(plan).map((each) => [each.step.id, each]));
  const unknown = new Set(
    steps.flatMap(({ status, path }) => {
      const { step, label } = places.get(stepIdOf(String(path))) as Place;
      return status === "started" && step.action.kind === "call" ? [`${label}-${step.id}`] : [];
    }),
  );
  const effects = [...service.effects].filter(([label]) => isOf(plan, label));
  const left: Left = {
    notes: await texts(`SELECT text FROM {schema}.notes WHERE ${begins("text")}`),
    mark: ((await work.sql("SELECT mark FROM {schema}.tickets WHERE id = $1", [ticket]))[0]?.["mark"] ?? null) as
      | string
      | null,
    created: await texts(
      `SELECT changes->>'text' AS text FROM {schema}.audit_log WHERE operation = 'create' AND entity = 'note' AND ${begins("changes->>'text'")}`,
    ),
    erased: await texts(
      `SELECT changes->>'text' AS text FROM {schema}.audit_log WHERE operation = 'delete' AND ${begins("changes->>'text'")}`,
    ),
    audits: await texts(
      `SELECT changes->>'note' AS text FROM {schema}.audit_log WHERE operation = 'note' AND ${begins("changes->>'note'")}`,
    ),
    events: await texts(`SELECT data->>'text' AS text FROM {schema}.workers__events WHERE ${begins("data->>'text'")}`),
    effects: effects.flatMap(([label, times]) => Array<string>(times).fill(label)).sort(),
  };
  const rewritten = await work.sql("SELECT path FROM {schema}.rewritten WHERE run_id = ANY($1::uuid[])", [ids]);
  const leftDue = await work.sql("SELECT 1 FROM plinth.due_runs WHERE run_id = ANY($1::uuid[])", [ids]);
  return {
    status: end?.["status"] as Actual["status"],
    code: (end?.["code"] ?? null) as string | null,
    output: brief(end?.["output"]),
    left,
    steps: new Map(steps.map(({ place, status }) => [String(place), String(status)])),
    unknown,
    broken: [
      ...rewritten.map(({ path }) => `the step ${path} had ended, and was written again`),
      ...(leftDue.length > 0 ? ["a run has ended, and is still due"] : []),
    ],
  };
}

function isOf(plan: Plan, label: string): boolean {
  return label.startsWith(`${plan.name}-`) || label.startsWith(`${plan.name}w`);
}

function brief(output: unknown): Output {
  if (output === null || output === undefined) return null;
  if (Array.isArray(output)) return output.map(brief);
  const text = (output as { readonly text?: unknown }).text;
  return typeof text === "string" ? text : { kind: "other" };
}
