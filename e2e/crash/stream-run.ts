// Kills the web processes of a cell and its Postgres while many clients write and follow, and compares the events of
// each subscriber with the history of the records. In: the number of kills and the time between them. Out: figures;
// `missed`, `unexpected` and `stale` must be zero.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { removeEmbeddedServer, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { callerOf } from "../api.ts";
import { type BareCell, startBareCell, until } from "../published-cell.ts";
import { databaseOf, type Part, restarted } from "./parts.ts";
import { type Balancer, startBalancer } from "./stream-balancer.ts";
import { type History, judgeTold, type Row } from "./stream-model.ts";
import { type Subscriber, subscribeBare, subscribeBySdk, type Viewer } from "./stream-subscribers.ts";
import { BLUEPRINT, startWriters } from "./stream-writers.ts";

export interface StreamCrashOptions {
  readonly kills: number;
  /** On average. */
  readonly secondsBetween: number;
  readonly writers: number;
  readonly onKill?: (what: string) => void;
}

export interface StreamCrashFigures {
  readonly kills: number;
  readonly acknowledged: number;
  /** Actions among them that changed several records in one transaction. */
  readonly together: number;
  /** Refused or rolled back. */
  readonly refused: number;
  /** Committed states of records. */
  readonly changes: number;
  readonly subscribers: number;
  readonly resumed: number;
  /** Subscribers whose stream did not continue from its position, so they read their records again. */
  readonly begunAgain: number;
  /** The events that all subscribers together had to receive. */
  readonly expected: number;
  readonly missed: number;
  readonly unexpected: number;
  /** Records whose version in an app differs from the database at the end. */
  readonly stale: number;
  /** Subscribers that ended with an error. */
  readonly failed: number;
  readonly examples: readonly string[];
}

export async function runStreamCrash(options: StreamCrashOptions): Promise<StreamCrashFigures> {
  const home = mkdtempSync(join(tmpdir(), "plinth-streams-"));
  const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "crash", level: "error" }) });
  const pool = new pg.Pool({ connectionString: postgres.urls.cell, max: 2 });
  pool.on("error", () => {});
  const cell = await startBareCell(postgres.urls.cell, {
    PLINTH_RATE_LIMIT: "1000000",
    PLINTH_RATE_BURST: "1000000",
    PLINTH_PROJECT_RATE_LIMIT: "1000000",
    PLINTH_LOG_LEVEL: "fatal",
    // Behind a balancer, both processes have the same address, because tokens contain it.
    PLINTH_PUBLIC_API_URL: "http://127.0.0.1:4000",
  });
  const parts: Part[] = [];
  let balancer: Balancer | null = null;
  try {
    const { port, part } = await secondProcess(cell);
    parts.push(
      restarted("web 1", cell.process, () => cell.start("web")),
      part,
    );
    parts.push(databaseOf(home, postgres.pid));
    balancer = await startBalancer([Number(new URL(cell.origin).port), port]);
    return await followAndKill(options, { cell, parts, balancer, pool, databaseUrl: postgres.urls.cell });
  } finally {
    for (const part of parts) part.end();
    cell.process.kill("SIGKILL");
    balancer?.stop();
    await pool.end();
    await removeEmbeddedServer(home);
    rmSync(home, { recursive: true, force: true });
  }
}

async function secondProcess(cell: BareCell): Promise<{ readonly port: number; readonly part: Part }> {
  const [port, internalPort] = await Promise.all([freePort(), freePort()]);
  const settings = { PLINTH_API_PORT: String(port), PLINTH_INTERNAL_PORT: String(internalPort) };
  const start = () => cell.start("web", settings);
  const part = restarted("web 2", start(), start);
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok, 20);
  return { port, part };
}

interface Stage {
  readonly cell: BareCell;
  readonly parts: readonly Part[];
  readonly balancer: Balancer;
  readonly pool: pg.Pool;
  readonly databaseUrl: string;
}

async function followAndKill(options: StreamCrashOptions, stage: Stage): Promise<StreamCrashFigures> {
  const { kills, secondsBetween, writers: count, onKill } = options;
  const { cell, parts, balancer, pool, databaseUrl } = stage;
  const { schema, publish, makeKey } = await cell.addProject("streams");
  await publish(BLUEPRINT);
  await pool.query(historyOf(schema));
  const [key, publicKey] = [await makeKey("secret"), await makeKey("publishable")];
  const viewers = await viewersOf(balancer.url, cell.origin, key, publicKey);
  const owners = viewers.flatMap(({ owner }) => (owner === null ? [] : [owner]));
  const early = viewers.flatMap((viewer) => [subscribeBySdk(viewer), subscribeBare(viewer)]);
  const late: Subscriber[] = [];
  try {
    await until(async () => early.every((each) => each.begun() > 0 || each.failure() !== null), 20);
    const writers = await startWriters({ url: balancer.url, databaseUrl, schema, key, owners, writers: count });
    for (let i = 0; i < kills; i++) {
      await pause(secondsBetween * 1_000 * (0.5 + Math.random()));
      const part = parts[i % parts.length] as Part;
      onKill?.(part.name);
      await part.kill();
      await pause(Math.random() * 500);
      balancer.cut(0.3);
      const viewer = viewers[i % viewers.length] as Viewer;
      late.push(i % 2 === 0 ? subscribeBySdk(viewer) : subscribeBare(viewer));
    }
    await pause(secondsBetween * 1_000);
    const counts = await writers.stop();
    const history = await settledHistory(pool, [...early, ...late]);
    return { kills, ...counts, ...figuresOf(history, early, late) };
  } finally {
    for (const subscriber of [...early, ...late]) subscriber.stop();
  }
}

/** By entity. */
type Histories = ReadonlyMap<string, History>;

function figuresOf(histories: Histories, early: readonly Subscriber[], late: readonly Subscriber[]) {
  const all = [...early, ...late];
  const verdicts = early
    .filter((each) => each.begun() === 1)
    .map(({ viewer, told }) => ({
      viewer,
      ...judgeTold(histories.get(viewer.entity[0]) ?? new Map(), told, viewer.sees),
    }));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    changes: sum([...histories.values()].flatMap((history) => [...history.values()].map((states) => states.length))),
    subscribers: all.length,
    resumed: sum(all.map((each) => each.resumed())),
    begunAgain: all.filter((each) => each.begun() !== 1).length,
    expected: sum(verdicts.map(({ expected }) => expected)),
    missed: sum(verdicts.map(({ missed }) => missed)),
    unexpected: sum(verdicts.map(({ unexpected }) => unexpected)),
    stale: sum(all.map((each) => staleOf(histories, each))),
    failed: all.filter((each) => each.failure() !== null).length,
    examples: [
      ...verdicts.flatMap(({ viewer, examples }) => examples.map((text) => `${viewer.name}: ${text}`)),
      ...all.flatMap((each) =>
        each.failure() === null ? [] : [`${each.viewer.name}: ${JSON.stringify(each.failure())}`],
      ),
    ].slice(0, 10),
  };
}

function staleOf(histories: Histories, { viewer, shown }: Subscriber): number {
  const wanted = new Map<string, number>();
  for (const [id, states] of histories.get(viewer.entity[0]) ?? []) {
    const row = states.at(-1) ?? null;
    if (row !== null && viewer.sees(row)) wanted.set(id, Number(row["version"]));
  }
  return [...new Set([...wanted.keys(), ...shown.keys()])].filter((id) => wanted.get(id) !== shown.get(id)).length;
}

/**
 * Waits until every subscriber has the same records as the database, or nothing has arrived for a while. The remaining
 * differences are counted.
 */
async function settledHistory(pool: pg.Pool, subscribers: readonly Subscriber[]): Promise<Histories> {
  const PATIENCE_MS = 60_000;
  const CALM_MS = 2_000;
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const histories = await readHistories(pool);
    const isSame = subscribers.every((each) => staleOf(histories, each) === 0);
    if (isSame || performance.now() > deadline) {
      // A repetition could still arrive.
      await pause(CALM_MS);
      return readHistories(pool);
    }
    await pause(250);
  }
}

async function readHistories(pool: pg.Pool): Promise<Histories> {
  const { rows } = await pool.query<{ entity: string; id: string; state: Row }>(
    "SELECT entity, record_id::text AS id, state FROM public.stream_history ORDER BY n",
  );
  const histories = new Map<string, Map<string, Row[]>>();
  for (const { entity, id, state } of rows) {
    const history = histories.get(entity) ?? new Map<string, Row[]>();
    histories.set(entity, history);
    history.set(id, [...(history.get(id) ?? []), state]);
  }
  return histories;
}

/**
 * A writer holds its record's lock until it has committed, so the numbers of one record have the order of its changes.
 */
function historyOf(schema: string): string {
  const trigger = (table: string, entity: string): string =>
    `CREATE TRIGGER stream_history AFTER INSERT OR UPDATE OR DELETE ON "${schema}".${table}
     FOR EACH ROW EXECUTE FUNCTION public.keep_stream_history('${entity}');`;
  return `CREATE TABLE public.stream_history (n bigserial PRIMARY KEY, entity text, record_id uuid, state jsonb);
    CREATE FUNCTION public.keep_stream_history() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      INSERT INTO public.stream_history (entity, record_id, state)
        VALUES (TG_ARGV[0], coalesce(NEW.id, OLD.id), CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE to_jsonb(NEW) END);
      RETURN NULL;
    END $$;
    ${trigger("tickets", "ticket")} ${trigger("notes", "note")}`;
}

async function viewersOf(
  url: string,
  origin: string,
  key: string,
  publicKey: string,
): Promise<readonly (Viewer & { readonly owner: string | null })[]> {
  const ticket = ["ticket", "tickets"] as const;
  const isThere = (row: NonNullable<Row>): boolean => row["deleted_at"] === null;
  const admin = { url, apiKey: key, userToken: null, where: {}, owner: null };
  const users = await Promise.all(
    ["ana", "ben"].map(async (name) => {
      const sent = { email: `${name}@example.com`, password: "correct horse battery staple" };
      const { data } = (await callerOf(origin, publicKey).post("/v1/auth/sign-up", sent)).body;
      const owner = data.user.id as string;
      const sees = (row: NonNullable<Row>): boolean => isThere(row) && row["owner_id"] === owner;
      return { ...admin, name, apiKey: publicKey, userToken: data.access_token as string, owner, entity: ticket, sees };
    }),
  );
  return [
    { ...admin, name: "all tickets", entity: ticket, sees: isThere },
    {
      ...admin,
      name: "open tickets",
      entity: ticket,
      where: { status: "open" },
      sees: (row) => isThere(row) && row["status"] === "open",
    },
    { ...admin, name: "notes", entity: ["note", "notes"], sees: () => true },
    ...users,
  ];
}
