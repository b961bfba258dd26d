// Kills the web process while people sign up, request new passwords and are invited, and counts the mails that arrive.
// In: the number of kills and the time between them. Out: figures; `lost`, `renamed`, `unowed` and `left` must be zero.
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { removeEmbeddedServer, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import pg from "pg";
import { SMTPServer } from "smtp-server";
import { type Caller, callerOf, type Reply } from "../api.ts";
import { startBareCell, until } from "../published-cell.ts";
import { type Part, restarted } from "./parts.ts";

export interface MailCrashOptions {
  readonly kills: number;
  /** On average. */
  readonly secondsBetween: number;
  readonly writers: number;
  readonly onKill?: (what: string) => void;
}

export interface MailCrashFigures {
  readonly kills: number;
  /** Requests whose answer promised a mail. */
  readonly promised: number;
  /** Mails that a process was about to send when it was killed. */
  readonly interrupted: number;
  readonly arrived: number;
  /** Mails that arrived again with the same `Message-ID`. */
  readonly repeated: number;
  /** Mails that were promised and never arrived. */
  readonly lost: number;
  /** Mails that arrived with two `Message-ID`s although they were requested once. */
  readonly renamed: number;
  /** Mails that nobody requested. */
  readonly unowed: number;
  /** Mails that were recorded and never sent. */
  readonly left: number;
}

const BLUEPRINT = `project: mails
modules: [auth, users, organizations, audit_logs]
auth: { verify_email: true }
`;
const PASSWORD = "correct horse battery staple";
/** The subjects of the mails that a request causes. */
const subjects = { verify: "Confirm your e-mail address", reset: "Reset your password", invite: "You are invited" };

export async function runMailCrash(options: MailCrashOptions): Promise<MailCrashFigures> {
  const home = mkdtempSync(join(tmpdir(), "plinth-mails-"));
  const server = await startMailServer();
  const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "crash", level: "error" }) });
  const pool = new pg.Pool({ connectionString: postgres.urls.cell, max: 2 });
  pool.on("error", () => {});
  let part: Part | null = null;
  try {
    const cell = await startBareCell(postgres.urls.cell, {
      PLINTH_RATE_LIMIT: "1000000",
      PLINTH_RATE_BURST: "1000000",
      PLINTH_OUTBOUND_ALLOW: "127.0.0.1",
      PLINTH_PROJECT_MAILS_PER_HOUR: "100000",
      PLINTH_LOG_LEVEL: "fatal",
    });
    part = restarted("web", cell.process, () => cell.start("web"));
    const { publish, makeKey } = await cell.addProject("mails");
    await publish(BLUEPRINT);
    const admin = callerOf(cell.origin, await makeKey("secret"));
    const settings = { host: "127.0.0.1", port: server.port, security: "none", from_address: "desk@example.com" };
    const made = await admin.post("/v1/connections", { name: "email", provider: "smtp", settings });
    if (made.status !== 200) throw new Error(`no connection: ${made.text}`);
    const people = { origin: cell.origin, key: await makeKey("publishable"), server };
    return await askAndKill(options, people, { part, pool, origin: cell.origin });
  } finally {
    part?.end();
    await pool.end();
    server.stop();
    await removeEmbeddedServer(home);
    rmSync(home, { recursive: true, force: true });
  }
}

interface People {
  readonly origin: string;
  readonly key: string;
  readonly server: MailServer;
}

/** `<subject> <address>` of requested mails, and of promised ones. */
interface Asked {
  readonly all: Set<string>;
  readonly promised: Set<string>;
}

async function askAndKill(
  { kills, secondsBetween, writers, onKill }: MailCrashOptions,
  people: People,
  { part, pool, origin }: { readonly part: Part; readonly pool: pg.Pool; readonly origin: string },
): Promise<MailCrashFigures> {
  const asked: Asked = { all: new Set(), promised: new Set() };
  let isOver = false;
  let interrupted = 0;
  const live = async (): Promise<void> => {
    while (!isOver) {
      await liveOnce(people, asked).catch(() => {});
      await pause(50);
    }
  };
  const living = Promise.all(Array.from({ length: writers }, live));
  for (let i = 0; i <= kills; i++) {
    await pause(secondsBetween * 1_000 * (0.5 + Math.random()));
    if (i === kills) isOver = true;
    else {
      onKill?.(part.name);
      await part.kill();
      interrupted += await forgetLeases(pool);
      await until(async () => (await fetch(`${origin}/readyz`)).ok, 30);
    }
  }
  await living;
  // A mail that a dead process was sending is taken by another one after some time; a refused mail after a pause.
  const left = async (): Promise<number> =>
    Number((await pool.query("SELECT count(*) AS n FROM plinth.account_mails")).rows[0].n);
  await until(async () => (await left()) === 0, 60).catch(() => {});
  const { mails } = people.server;
  return {
    kills,
    promised: asked.promised.size,
    interrupted,
    arrived: mails.size,
    repeated: [...mails.values()].reduce((sum, { ids }) => sum + ids.length - 1, 0),
    lost: [...asked.promised].filter((mail) => !mails.has(mail)).length,
    renamed: [...mails.values()].filter(({ ids }) => new Set(ids).size > 1).length,
    unowed: [...mails.keys()].filter((mail) => !asked.all.has(mail)).length,
    left: await left(),
  };
}

/** Lets the time of a dead process end at once. Out: the number of mails that it was sending. */
async function forgetLeases(pool: pg.Pool): Promise<number> {
  const sql = "UPDATE plinth.account_mails SET due_at = now() WHERE due_at > now() AND attempts > 0";
  return (await pool.query(sql)).rowCount ?? 0;
}

/**
 * A person signs up, confirms, requests a new password, and invites another person. @throws if a process is killed in
 * the meantime.
 */
async function liveOnce({ origin, key, server }: People, asked: Asked): Promise<void> {
  const email = `${crypto.randomUUID()}@example.com`;
  const ask = async (mail: string, request: () => Promise<Reply>): Promise<void> => {
    asked.all.add(mail);
    const { status } = await request();
    if (status === 201 || status === 202) asked.promised.add(mail);
  };
  const stranger = callerOf(origin, key);
  const confirm = `${subjects.verify} ${email}`;
  await ask(confirm, () => stranger.post("/v1/auth/sign-up", { email, password: PASSWORD }));
  await until(async () => server.mails.has(confirm), 5);
  const token = server.mails.get(confirm)?.token;
  const { body } = await stranger.post("/v1/auth/verify-email", { token, password: PASSWORD });
  await ask(`${subjects.reset} ${email}`, () => stranger.post("/v1/auth/forgot-password", { email }));
  const member: Caller = callerOf(origin, key, body.data.access_token);
  const organization = (await member.post("/v1/organizations", { name: "o" })).body.data.id;
  const guest = `${crypto.randomUUID()}@example.com`;
  const invitation = { email: guest, role: "member" };
  await ask(`${subjects.invite} ${guest}`, () =>
    member.post(`/v1/organizations/${organization}/invitations`, invitation),
  );
}

interface MailServer {
  readonly port: number;
  /** By subject and address. */
  readonly mails: ReadonlyMap<string, { readonly ids: readonly string[]; readonly token: string }>;
  stop(): void;
}

async function startMailServer(): Promise<MailServer> {
  const mails = new Map<string, { ids: string[]; token: string }>();
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    logger: false,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8").replaceAll("=\r\n", "");
        const [, subject = ""] = /^Subject: (.*)\r$/m.exec(text) ?? [];
        const [, id = ""] = /^Message-ID: (.*)\r$/im.exec(text) ?? [];
        const [token = ""] = /plm_[\w-]+/.exec(text) ?? [];
        const name = `${subject} ${envelope.rcptTo[0]?.address}`;
        const known = mails.get(name);
        if (known === undefined) mails.set(name, { ids: [id], token });
        else known.ids.push(id);
        // Long enough that a kill can happen between the mail and the answer.
        setTimeout(done, Math.random() * 200);
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.server.address() as AddressInfo).port, mails, stop: () => server.close() };
}
