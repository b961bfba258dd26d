// Kills parts of a cell under load, and counts the effects of every write. In: the number of kills and the time between
// them. Out: figures. A web process, two workers and Postgres are killed without warning at random times, and started
// again as a supervisor does it.
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { checkBlueprint } from "@plinth/blueprint";
import type { BundleBackground, BundleStep, StepAction, Template } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { removeEmbeddedServer, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { type BareCell, startBareCell } from "../published-cell.ts";
import { HOOKS_TEXT, type HookFigures, type HookLoad, startHooks } from "./hooks.ts";
import { type Outside, startOutside } from "./outside.ts";
import { databaseOf, type Part, restarted } from "./parts.ts";

export interface CrashOptions {
  readonly kills: number;
  /** Seconds of load before, between and after the kills, on average. */
  readonly secondsBetween: number;
  readonly writers: number;
  readonly onKill?: (what: string) => void;
}

/** All figures except the first two, the recovery and the calls must be equal, and the last four zero. */
export interface CrashFigures extends HookFigures {
  readonly kills: number;
  readonly acknowledged: number;
  readonly committed: number;
  readonly auditRows: number;
  readonly events: number;
  readonly runs: number;
  /** Calls of the external service; a repeated call has the key of the first. */
  readonly calls: number;
  readonly lost: number;
  readonly unfinishedRuns: number;
  readonly missingEffects: number;
  readonly duplicatedEffects: number;
  /** The longest time without a completed run while there was work, in seconds. */
  readonly longestPauseSeconds: number;
}

const BLUEPRINT = `project: crash
modules: [auth, users, roles, workers, webhooks, audit_logs]
entities:
  ticket:
    fields:
      title: string
      status: enum[new, done] = new
    permissions:
      admin: { all: true }
  note:
    fields:
      ticket_id: ref(ticket)
    permissions:
      admin: { all: true }
${HOOKS_TEXT}`;

export async function runCrash(options: CrashOptions): Promise<CrashFigures> {
  const home = mkdtempSync(join(tmpdir(), "plinth-crash-"));
  const logger = createLogger({ name: "crash", level: "error" });
  const outside = await startOutside();
  const postgres = await startEmbeddedPostgres({ home, logger });
  const cell = await startBareCell(postgres.urls.cell, {
    PLINTH_RATE_LIMIT: "1000000",
    PLINTH_PROJECT_RATE_LIMIT: "1000000",
    PLINTH_OUTBOUND_ALLOW: "127.0.0.1",
    PLINTH_LOG_LEVEL: "fatal",
  });
  const parts = await partsOf(cell, home, postgres.pid);
  let hooks: HookLoad | null = null;
  try {
    const project = await cell.addProject("crash");
    await project.publish(BLUEPRINT, workOf(outside));
    const key = await project.makeKey("secret");
    hooks = await startHooks(cell.origin, project.schema, key);
    const acknowledged = await loadAndKill(options, cell.origin, key, parts, hooks);
    return await count(postgres.urls.cell, project.schema, acknowledged, { outside, hooks }, options.kills);
  } finally {
    hooks?.stop();
    for (const part of parts) part.end();
    outside.stop();
    await removeEmbeddedServer(home);
    rmSync(home, { recursive: true, force: true });
  }
}

async function partsOf(cell: BareCell, home: string, postgresPid: number): Promise<readonly Part[]> {
  const workers = await Promise.all(
    ["worker 1", "worker 2"].map(async (name) => {
      const port = String(await freePort());
      const start = (): ChildProcess => cell.start("worker", { PLINTH_HEALTH_PORT: port });
      return restarted(name, start(), start);
    }),
  );
  return [restarted("web", cell.process, () => cell.start("web")), ...workers, databaseOf(home, postgresPid)];
}

async function loadAndKill(
  { kills, secondsBetween, writers, onKill }: CrashOptions,
  origin: string,
  key: string,
  parts: readonly Part[],
  hooks: HookLoad,
): Promise<ReadonlySet<string>> {
  const acknowledged = new Set<string>();
  let writing = true;
  const write = async (): Promise<void> => {
    while (writing) {
      const reply = await fetch(`${origin}/v1/resources/tickets`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: `{"title":"a ticket"}`,
        signal: AbortSignal.timeout(10_000),
      }).catch(() => null);
      const made = reply?.status === 201 ? ((await reply.json().catch(() => null)) as Made | null) : null;
      if (made !== null) acknowledged.add(made.data.id);
      await pause(made === null ? 100 : 20);
    }
  };
  const written = Promise.all([...Array.from({ length: writers }, write), hooks.send(() => !writing)]);
  for (let i = 0; i < kills; i++) {
    await pause(secondsBetween * 1_000 * (0.5 + Math.random()));
    // Each part in turn, so that a few kills cover all of them.
    const part = parts[i % parts.length] as Part;
    onKill?.(part.name);
    await part.kill();
  }
  await pause(secondsBetween * 1_000);
  writing = false;
  await written;
  return acknowledged;
}

interface Made {
  readonly data: { readonly id: string };
}

async function count(
  url: string,
  schema: string,
  acknowledged: ReadonlySet<string>,
  { outside, hooks }: { readonly outside: Outside; readonly hooks: HookLoad },
  kills: number,
): Promise<CrashFigures> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on("error", () => {});
  const one = async (sql: string, values: readonly unknown[] = []): Promise<number> =>
    Number((await pool.query(sql.replaceAll("{s}", `"${schema}"`), [...values])).rows[0].n);
  try {
    await settled(() =>
      one(`SELECT (SELECT count(*) FROM plinth.outbox) + (SELECT count(*) FROM plinth.due_runs)
        + (SELECT count(*) FROM plinth.webhook_fan_outs) + (SELECT count(*) FROM plinth.webhook_deliveries WHERE status = 'pending') AS n`),
    );
    const committed = await one("SELECT count(*) AS n FROM {s}.tickets");
    const tickets = (await pool.query(`SELECT id::text FROM "${schema}".tickets`)).rows.map((row) => row.id as string);
    return {
      ...(await hooks.count(async (sql) => (await pool.query(sql.replaceAll("{s}", `"${schema}"`))).rows)),
      kills,
      acknowledged: acknowledged.size,
      committed,
      auditRows: await one("SELECT count(*) AS n FROM {s}.audit_log WHERE entity = 'ticket' AND operation = 'create'"),
      events: await one("SELECT count(*) AS n FROM {s}.workers__events WHERE name = 'ticket.created'"),
      runs: await one("SELECT count(*) AS n FROM {s}.workers__runs WHERE status = 'completed'"),
      calls: [...outside.calls.values()].reduce((sum, times) => sum + times, 0),
      lost: await one(
        "SELECT count(*) AS n FROM unnest($1::uuid[]) a WHERE NOT EXISTS (SELECT 1 FROM {s}.tickets t WHERE t.id = a)",
        [[...acknowledged]],
      ),
      unfinishedRuns: await one("SELECT count(*) AS n FROM {s}.workers__runs WHERE status <> 'completed'"),
      missingEffects:
        (await one(
          "SELECT count(*) AS n FROM {s}.tickets t WHERE status <> 'done' OR NOT EXISTS (SELECT 1 FROM {s}.notes n WHERE n.ticket_id = t.id)",
        )) + tickets.filter((id) => !outside.effects.has(id)).length,
      duplicatedEffects:
        (await one("SELECT count(*) - count(DISTINCT ticket_id) AS n FROM {s}.notes")) +
        [...outside.effects.values()].filter((times) => times > 1).length,
      longestPauseSeconds: await one(
        `SELECT coalesce(max(gap), 0) AS n FROM (SELECT extract(epoch FROM ended_at - lag(ended_at) OVER (ORDER BY ended_at)) AS gap
         FROM {s}.workers__runs) g`,
      ),
    };
  } finally {
    await pool.end();
  }
}

/** Waits until no work is left, or nothing has progressed for a while. The rest counts as unfinished. */
async function settled(leftNow: () => Promise<number>): Promise<void> {
  const PATIENCE_MS = 45_000;
  let left = Number.POSITIVE_INFINITY;
  for (let sinceMs = performance.now(); performance.now() - sinceMs < PATIENCE_MS; await pause(250)) {
    const now = await leftNow();
    if (now === 0) return;
    if (now < left) sinceMs = performance.now();
    left = Math.min(left, now);
  }
}

/** Inside, outside, inside the database: a new row, a call of another service, a change of the record. */
function workOf(outside: Outside): BundleBackground {
  const id: Template = {
    kind: "value",
    expression: { kind: "field", type: { kind: "uuid" }, row: "record", path: ["id"] },
  };
  const literal = (value: string): Template => ({ kind: "literal", value });
  const step = (name: string, action: StepAction): BundleStep => ({
    id: name,
    action,
    if: null,
    forEach: null,
    delayMs: null,
    retry: { attempts: 20, backoff: "constant", delayMs: 200, delayMsMax: 1_000 },
    timeoutMs: 5_000,
    onError: { kind: "fail" },
    compensate: [],
    as: "service",
  });
  const url: Template = {
    kind: "text",
    parts: [`${outside.url}/`, { kind: "field", type: { kind: "uuid" }, row: "record", path: ["id"] }],
  };
  const call: StepAction = {
    kind: "http.request",
    method: "POST",
    url,
    headers: {},
    body: null,
    signed: false,
    repeat: "idempotent",
  };
  const { model } = checkBlueprint(BLUEPRINT);
  if (model === null) throw new Error("the blueprint has errors");
  return {
    ...compileModel(model).background,
    workflows: [
      {
        name: "handle",
        kind: "workflow",
        on: ["ticket.created"],
        when: null,
        entity: "ticket",
        lookup: null,
        ordered: null,
        concurrencyMax: null,
        timeoutMs: null,
        steps: [
          step("note", { kind: "record.create", entity: "note", values: { ticket_id: id } }),
          step("call", call),
          step("done", { kind: "record.update", entity: "ticket", id, values: { status: literal("done") } }),
        ],
      },
    ],
  };
}
