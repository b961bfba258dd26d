// The list of a project's mails. In: a mail that will be sent, with its key. Out: whether it can be sent, and its
// result. The recipients and the text are stored sealed.
import type { Pool } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";

export interface MailContent {
  readonly to: readonly string[];
  readonly subject: string;
  /** Null if only another service has the text. */
  readonly text: string | null;
  readonly html: string | null;
}

export type MailStatus = "sending" | "sent" | "kept" | "suppressed" | "failed" | "unknown" | "bounced" | "complained";

export interface MailRow {
  readonly id: string;
  readonly status: MailStatus;
  readonly message_id: string;
  readonly connection: string | null;
  readonly template: string | null;
  readonly error: string | null;
  /** RFC 3339. */
  readonly created_at: string;
  /** Its place in the list. */
  readonly place: string;
  readonly content: MailContent;
}

export interface NewMail {
  readonly id: string;
  readonly key: string;
  readonly status: "sending" | "kept" | "suppressed";
  readonly messageId: string;
  readonly connection: string | null;
  readonly provider: string | null;
  readonly template: string | null;
  readonly content: MailContent;
  /** Whether it can be sent again if it is unknown whether it was sent. */
  readonly retakes: boolean;
}

export interface Known {
  readonly id: string;
  readonly status: MailStatus;
  readonly messageId: string;
  /** The provider of the first attempt. */
  readonly provider: string | null;
  /** Milliseconds since it was first noted. */
  readonly ageMs: number;
}

export interface MailPage {
  readonly limit: number;
  readonly filters?: { readonly status?: string | undefined; readonly template?: string | undefined };
  /** The place of the last mail on the previous page. */
  readonly before?: string | null;
}

export interface Ledger {
  /** The state of the mail with this key; null if nobody has started to send it. */
  known(projectId: string, key: string): Promise<Known | null>;
  /** Notes the mail. False if it is already noted, unless it failed, or may be sent again. */
  begin(projectId: string, mail: NewMail): Promise<boolean>;
  end(
    projectId: string,
    key: string,
    ended: {
      readonly status: "sent" | "failed" | "unknown";
      readonly providerId?: string | null;
      readonly error?: string;
    },
  ): Promise<void>;
  /** The newest first: one more than the page has, if there are more. */
  list(projectId: string, page: MailPage): Promise<readonly MailRow[]>;
  one(projectId: string, id: string): Promise<MailRow | null>;
  /** Deletes the oldest mails of the mailbox beyond this number. */
  trim(projectId: string, keptMax: number): Promise<void>;
  /** Takes one from the mails of this hour; false if none are left. */
  take(projectId: string, perHourMax: number): Promise<boolean>;
  /** Null if the mail does not exist. */
  named(projectId: string, name: MailName): Promise<Named | null>;
  /** Stores the provider's report. */
  mark(projectId: string, key: string, status: "bounced" | "complained"): Promise<void>;
}

/** A mail's name from its provider or its header. */
export type MailName = { readonly providerId: string } | { readonly messageId: string };

export interface Named {
  readonly key: string;
  readonly status: MailStatus;
  readonly to: readonly string[];
}

interface Stored extends Omit<MailRow, "created_at" | "content"> {
  readonly key: string;
  readonly sealed: string;
  readonly created_at: Date;
}

/** The place has the microseconds that a `Date` doesn't have. */
const PLACE = `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || id AS place`;
const COLUMNS = `id, key, status, message_id, connection, template, error, sealed, created_at, ${PLACE}`;

export function createLedger({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): Ledger {
  const contentOf = (projectId: string, { key, sealed }: Pick<Stored, "key" | "sealed">): MailContent =>
    JSON.parse(box.open(sealed, contextOf(projectId, key)).toString("utf8")) as MailContent;
  const rowOf = (projectId: string, stored: Stored): MailRow => {
    const { sealed: _, key: __, created_at, ...row } = stored;
    return { ...row, created_at: created_at.toISOString(), content: contentOf(projectId, stored) };
  };
  return {
    async known(projectId, key) {
      const { rows } = await pool.query<Known>(
        `SELECT id, status, message_id AS "messageId", provider,
           (EXTRACT(EPOCH FROM now() - created_at) * 1000)::float8 AS "ageMs" FROM plinth.emails WHERE project_id = $1 AND key = $2`,
        [projectId, key],
      );
      return rows[0] ?? null;
    },
    async begin(projectId, { id, key, status, messageId, connection, provider, template, content, retakes }) {
      const sealed = box.seal(Buffer.from(JSON.stringify(content)), contextOf(projectId, key));
      const { rowCount } = await pool.query(
        `INSERT INTO plinth.emails AS e
           (project_id, id, key, status, message_id, connection, provider, template, sealed, ended_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN $4 = 'sending' THEN NULL ELSE now() END)
         ON CONFLICT (project_id, key) DO UPDATE SET status = excluded.status, connection = excluded.connection,
           provider = excluded.provider, sealed = excluded.sealed, error = NULL, ended_at = excluded.ended_at
           WHERE e.status = 'failed' OR ($10 AND e.status IN ('sending', 'unknown'))`,
        [projectId, id, key, status, messageId, connection, provider, template, sealed, retakes],
      );
      return rowCount === 1;
    },
    async end(projectId, key, { status, providerId = null, error = null }) {
      await pool.query(
        `UPDATE plinth.emails SET status = $3, provider_id = $4, error = $5, ended_at = now()
         WHERE project_id = $1 AND key = $2`,
        [projectId, key, status, providerId, error],
      );
    },
    async list(projectId, { limit, filters = {}, before = null }) {
      const { rows } = await pool.query<Stored>(
        `SELECT ${COLUMNS} FROM plinth.emails WHERE project_id = $1
           AND ($3::text IS NULL OR status = $3) AND ($4::text IS NULL OR template = $4)
           AND ($5::text IS NULL OR (created_at, id) < (split_part($5, ' ', 1)::timestamptz, split_part($5, ' ', 2)::uuid))
         ORDER BY created_at DESC, id DESC LIMIT $2`,
        [projectId, limit + 1, filters.status ?? null, filters.template ?? null, before],
      );
      return rows.map((row) => rowOf(projectId, row));
    },
    async one(projectId, id) {
      const { rows } = await pool.query<Stored>(
        `SELECT ${COLUMNS} FROM plinth.emails WHERE project_id = $1 AND id = $2::uuid`,
        [projectId, id],
      );
      return rows[0] === undefined ? null : rowOf(projectId, rows[0]);
    },
    async trim(projectId, keptMax) {
      await pool.query(
        `DELETE FROM plinth.emails WHERE project_id = $1 AND id IN (
           SELECT id FROM plinth.emails WHERE project_id = $1 AND status = 'kept'
           ORDER BY created_at DESC, id DESC OFFSET $2)`,
        [projectId, keptMax],
      );
    },
    async take(projectId, perHourMax) {
      const { rowCount } = await pool.query(
        `INSERT INTO plinth.email_hours AS h (project_id, hour, mails) VALUES ($1, date_trunc('hour', now()), 1)
         ON CONFLICT (project_id, hour) DO UPDATE SET mails = h.mails + 1 WHERE h.mails < $2`,
        [projectId, perHourMax],
      );
      return rowCount === 1;
    },
    async named(projectId, name) {
      const [column, value] = "providerId" in name ? ["provider_id", name.providerId] : ["message_id", name.messageId];
      const { rows } = await pool.query<Pick<Stored, "key" | "status" | "sealed">>(
        `SELECT key, status, sealed FROM plinth.emails WHERE project_id = $1 AND ${column} = $2 LIMIT 1`,
        [projectId, value],
      );
      const [found] = rows;
      return found === undefined ? null : { key: found.key, status: found.status, to: contentOf(projectId, found).to };
    },
    async mark(projectId, key, status) {
      await pool.query("UPDATE plinth.emails SET status = $3 WHERE project_id = $1 AND key = $2", [
        projectId,
        key,
        status,
      ]);
    },
  };
}

function contextOf(projectId: string, key: string): string {
  return `email/${projectId}/${key}`;
}
