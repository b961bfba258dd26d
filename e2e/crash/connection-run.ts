// Cuts a cell's connections to its database under load, and counts who notices. In: the number of cuts and the time
// between them. Out: figures. Backends are terminated or killed, or a proxy goes silent in the middle of a reply, at
// random times. No process of the cell is restarted: every place must come back by itself.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { removeEmbeddedServer, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import { createFaultProxy, type FaultProxy, freePort } from "@plinth/testkit";
import pg from "pg";
import { startBareCell, until } from "../published-cell.ts";
import { createVisitors, type Visited } from "./connection-visitors.ts";

export interface ConnectionOptions {
  readonly cuts: number;
  /** Seconds between two cuts, on average. */
  readonly secondsBetween: number;
  readonly onCut?: (what: string) => void;
}

/** The last four must be zero, and every request must have been answered after the cuts. */
export interface ConnectionFigures extends Visited {
  readonly terminated: number;
  readonly killed: number;
  readonly silenced: number;
  /** Of the web process. */
  readonly notReadySeconds: number;
  /** Requests after the cuts, more at once than there are places. */
  readonly afterwards: number;
  readonly refusedAfterwards: number;
  readonly unfinishedRuns: number;
  /** Connections in the middle of a transaction, without a user. */
  readonly forgottenTransactions: number;
}

const BLUEPRINT = `project: lines
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
  page:
    fields: { body: text }
    permissions:
      admin: { all: true }
  note:
    fields: { ticket_id: ref(ticket) }
    permissions:
      admin: { all: true }
actions:
  add-tickets:
    input: { title: string }
    permissions: { admin: true }
    steps:
      - id: first
        action: record.create
        with: { entity: ticket, title: "\${{ input.title }}" }
      - id: second
        action: record.create
        with: { entity: ticket, title: "\${{ input.title }}" }
workflows:
  note_it:
    on: ticket.created
    steps:
      - record.create: { with: { entity: note, ticket_id: "\${{ record.id }}" } }
`;
/** A page of a list is larger than what is read at once. */
const PAGES = 100;
const PAGE_CHARACTERS = 4_000;
/** The longest limit of a statement, with what follows. */
const HEAL_MS = 25_000;
const RUNS_SECONDS = 120;

export async function runConnectionCuts(options: ConnectionOptions): Promise<ConnectionFigures> {
  const home = mkdtempSync(join(tmpdir(), "plinth-lines-"));
  const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "lines", level: "error" }) });
  const proxy = await createFaultProxy({ target: postgres.urls.cell });
  const settings = {
    PLINTH_RATE_LIMIT: "1000000",
    PLINTH_PROJECT_RATE_LIMIT: "1000000",
    PLINTH_LOG_LEVEL: "fatal",
  };
  const cell = await startBareCell(proxy.through(postgres.urls.cell), settings);
  const workers = await Promise.all(
    [1, 2].map(async () => cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) })),
  );
  const direct = new pg.Pool({ connectionString: postgres.urls.cell, max: 2, application_name: "harness" });
  direct.on("error", () => {});
  try {
    const project = await cell.addProject("lines");
    await project.publish(BLUEPRINT);
    await direct.query(
      `INSERT INTO "${project.schema}".pages (id, body) SELECT gen_random_uuid(), repeat('x', ${PAGE_CHARACTERS}) FROM generate_series(1, ${PAGES})`,
    );
    const visitors = createVisitors(cell.origin, await project.makeKey("secret"));
    const cuts = await cutWhile(options, proxy, direct);
    await pause(HEAL_MS);
    const afterwards = await visitors.stopAndCrowd();
    const unfinished = `SELECT count(*) AS n FROM "${project.schema}".workers__runs WHERE status <> 'completed'`;
    const events = "SELECT count(*) AS n FROM plinth.outbox";
    await until(
      async () => (await countOf(direct, events)) + (await countOf(direct, unfinished)) === 0,
      RUNS_SECONDS,
    ).catch(() => {});
    return {
      ...cuts,
      ...visitors.visited(),
      ...afterwards,
      unfinishedRuns: (await countOf(direct, unfinished)) + (await countOf(direct, events)),
      forgottenTransactions: await countOf(
        direct,
        `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name LIKE 'plinth%' AND state LIKE 'idle in transaction%'
           AND state_change < now() - interval '5 s'`,
      ),
    };
  } finally {
    await direct.end().catch(() => {});
    for (const child of [cell.process, ...workers]) child.kill("SIGKILL");
    await proxy.close();
    await removeEmbeddedServer(home);
    rmSync(home, { recursive: true, force: true });
  }
}

type Cuts = Pick<ConnectionFigures, "terminated" | "killed" | "silenced">;

async function cutWhile(options: ConnectionOptions, proxy: FaultProxy, direct: pg.Pool): Promise<Cuts> {
  const done = { terminated: 0, killed: 0, silenced: 0 };
  for (let i = 0; i < options.cuts; i++) {
    await pause(options.secondsBetween * 1_000 * (0.5 + Math.random()));
    // A killed backend restarts all of Postgres, so it is rarer than the others.
    const kind = i % 10 === 9 ? "killed" : Math.random() < 0.5 ? "terminated" : "silenced";
    if (kind === "silenced") {
      proxy.silence(Math.floor(Math.random() ** 3 * 20_000), Math.floor(Math.random() * proxy.connections()));
    } else {
      const [backend] = await backends(direct);
      if (backend === undefined) continue;
      if (kind === "killed") process.kill(backend, "SIGKILL");
      else await direct.query("SELECT pg_terminate_backend($1)", [backend]).catch(() => {});
    }
    done[kind]++;
    options.onCut?.(kind);
  }
  return done;
}

/** In random order; busy ones first, because they are in the middle of something. */
async function backends(direct: pg.Pool): Promise<readonly number[]> {
  const text = `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'plinth%' ORDER BY state = 'idle', random()`;
  return await direct.query<{ pid: number }>(text).then(
    ({ rows }) => rows.map(({ pid }) => pid),
    () => [],
  );
}

/** After a restart of Postgres, the first connection can be a lost one. */
async function countOf(direct: pg.Pool, text: string): Promise<number> {
  const ask = async (): Promise<number> => Number((await direct.query(text)).rows[0].n);
  return await ask().catch(ask);
}
