// Sends mails about accounts. In: a mail, stored in the database before the request is answered. Out: it is sent after
// the answer, so that the response time doesn't show whether an address has an account. Sending is retried until the
// mail's token has expired. If a process dies, another one takes over its mails. A mail may then arrive twice, unless
// the provider recognizes repeated calls; that is better than not at all.
import { MailError } from "@plinth/connectors/email";
import type { Logger } from "@plinth/service";
import type { ClientBase, Pool } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { type AccountMail, renderAccountMail, usefulMinutes } from "./account-mail.ts";
import type { Mailer, OutgoingMail } from "./mailer.ts";

export interface AccountMails {
  /**
   * Stores a mail. It is sent when the transaction has ended and `wake` was called, or soon after. @param isDiscarded
   * Nobody gets the mail. Storing it takes as long as storing another.
   */
  add(
    database: Pick<ClientBase, "query">,
    release: ActiveRelease,
    mail: AccountMail,
    options?: { readonly isDiscarded?: boolean },
  ): Promise<void>;
  /** Call it when there may be a mail. */
  wake(): void;
  /** Resolves when no mail is left that could be sent now. */
  idle(): Promise<void>;
  /** Starts no further mail, and waits for those in progress. */
  stop(): Promise<void>;
}

export interface AccountMailsOptions {
  readonly pool: Pool;
  readonly box: SecretBox;
  readonly mailer: Mailer;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly logger: Logger;
}

interface Noted {
  readonly project_id: string;
  readonly id: string;
  readonly sealed: string;
  /** Including this one. */
  readonly attempts: number;
  readonly expires_at: Date;
}

type Content = { readonly mail: Omit<OutgoingMail, "key" | "timeoutMs"> | null };

const TIMEOUT_MS = 30_000;
/** Longer than an attempt takes. After this time, the process that made it has ended. */
const LEASE_SECONDS = 120;
/** How often it looks for mails that other processes have left, and for mails to retry. */
const LOOK_MS = 15_000;
const UNDER_WAY_MAX = 40;
const UNDER_WAY_OF_PROJECT_MAX = 5;

export function createAccountMails(options: AccountMailsOptions): AccountMails {
  const { pool, box, logger } = options;
  const underWay = new Map<Promise<void>, string>();
  let stopping = false;
  let looking: Promise<void> | null = null;
  let again = false;
  const timer = setInterval(() => look(), LOOK_MS);
  timer.unref();

  function look(): void {
    if (stopping) return;
    again = looking !== null;
    looking ??= take()
      .catch((error: unknown) => logger.warn({ err: error }, "mails about accounts could not be read"))
      .finally(() => {
        looking = null;
        if (again) look();
      });
  }

  async function take(): Promise<void> {
    const places = UNDER_WAY_MAX - underWay.size;
    if (places <= 0) return;
    for (const noted of await claim(pool, busyProjects(), places)) {
      const sending = attempt(options, noted)
        .catch((error: unknown) => logger.warn({ err: error }, "the result of a mail could not be recorded"))
        .finally(() => {
          underWay.delete(sending);
          look();
        });
      underWay.set(sending, noted.project_id);
    }
  }

  function busyProjects(): readonly string[] {
    const counts = new Map<string, number>();
    for (const project of underWay.values()) counts.set(project, (counts.get(project) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= UNDER_WAY_OF_PROJECT_MAX).map(([project]) => project);
  }

  async function idle(): Promise<void> {
    while (looking !== null || underWay.size > 0) await Promise.all([looking, ...underWay.keys()]);
  }

  look();
  return {
    async add(database, release, mail, { isDiscarded = false } = {}) {
      const { projectId } = release;
      const id = options.newId();
      const outgoing: NonNullable<Content["mail"]> = {
        ...renderAccountMail(release, mail),
        connection: release.bundle.background.emailConnections?.[0]?.name ?? null,
        to: [mail.to],
        replyTo: null,
        template: mail.kind,
        repeats: true,
      };
      const content: Content = { mail: isDiscarded ? null : outgoing };
      await database.query(
        `INSERT INTO plinth.account_mails (project_id, id, sealed, expires_at)
         VALUES ($1, $2, $3, now() + $4 * interval '1 minute')`,
        [
          projectId,
          id,
          box.seal(Buffer.from(JSON.stringify(content)), contextOf(projectId, id)),
          usefulMinutes[mail.kind],
        ],
      );
    },
    wake: look,
    idle,
    async stop() {
      stopping = true;
      clearInterval(timer);
      await idle();
    },
  };
}

/** Claims due mails, a few for each project, so that no other process takes them for a while. */
async function claim(pool: Pool, busy: readonly string[], max: number): Promise<readonly Noted[]> {
  const { rows } = await pool.query<Noted>(
    `UPDATE plinth.account_mails SET attempts = attempts + 1, due_at = now() + interval '${LEASE_SECONDS} seconds'
     WHERE (project_id, id) IN (
       SELECT p.project_id, m.id
       FROM (SELECT DISTINCT project_id FROM plinth.account_mails
             WHERE due_at <= now() AND project_id <> ALL ($1::text[])
               AND project_id NOT IN (SELECT id FROM plinth.projects WHERE suspended_at IS NOT NULL)) p
       CROSS JOIN LATERAL (
         SELECT id FROM plinth.account_mails WHERE project_id = p.project_id AND due_at <= now()
         ORDER BY due_at LIMIT ${UNDER_WAY_OF_PROJECT_MAX} FOR UPDATE SKIP LOCKED) m
       LIMIT $2)
     RETURNING project_id, id, sealed, attempts, expires_at`,
    [busy, max],
  );
  return rows;
}

async function attempt({ pool, box, mailer, logger }: AccountMailsOptions, noted: Noted): Promise<void> {
  const { project_id: projectId, id, attempts, expires_at: expiresAt } = noted;
  const done = (): Promise<unknown> =>
    pool.query("DELETE FROM plinth.account_mails WHERE project_id = $1 AND id = $2", [projectId, id]);
  try {
    const { mail } = JSON.parse(box.open(noted.sealed, contextOf(projectId, id)).toString("utf8")) as Content;
    if (mail !== null && expiresAt.getTime() > Date.now())
      await mailer.send(projectId, { ...mail, key: `account/${id}`, timeoutMs: TIMEOUT_MS });
    await done();
  } catch (error) {
    const isFinal = error instanceof MailError && error.problem === "refused";
    const pauseMs = Math.max(pauseMsOf(attempts), error instanceof MailError ? error.retryAfterMs : 0);
    logger.warn({ err: error, projectId, mail: id, attempts, again: !isFinal }, "a mail about an account was not sent");
    if (isFinal || expiresAt.getTime() <= Date.now() + pauseMs) await done();
    else
      await pool.query(
        "UPDATE plinth.account_mails SET due_at = now() + $3 * interval '1 millisecond' WHERE project_id = $1 AND id = $2",
        [projectId, id, pauseMs],
      );
  }
}

/** From 5 seconds to 10 minutes, plus or minus a fifth. */
function pauseMsOf(attempts: number): number {
  return Math.min(5_000 * 2 ** Math.min(attempts - 1, 10), 600_000) * (0.8 + 0.4 * Math.random());
}

function contextOf(projectId: string, id: string): string {
  return `account-mail/${projectId}/${id}`;
}
