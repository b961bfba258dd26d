// Counts a project's attempts in the database, so that all processes of a cell share the counts. In: a project and the
// subject of the attempt. Out: whether another attempt is allowed. The subject is stored as a keyed hash, because it
// may be an address.
import { createHmac } from "node:crypto";
import type { Pool } from "pg";

export interface StoredLimit {
  /** Takes one attempt. Returns 0, or the seconds until the next one is free. */
  take(projectId: string, subject: string): Promise<number>;
}

export interface StoredLimitOptions {
  readonly pool: Pool;
  readonly kek: Buffer;
  /** Separates this limit's attempts from those of other limits. */
  readonly name: string;
  /** In a window that begins with its first attempt. */
  readonly attemptsMax: number;
  readonly windowSeconds: number;
}

export function createStoredLimit({ pool, kek, name, attemptsMax, windowSeconds }: StoredLimitOptions): StoredLimit {
  const secret = createHmac("sha256", kek).update("plinth attempts").digest();
  return {
    async take(projectId, subject) {
      const hash = createHmac("sha256", secret).update(`${name}/${projectId}/${subject}`).digest("base64url");
      const { rows } = await pool.query<{ readonly is_taken: boolean; readonly wait: number }>(
        `WITH taken AS (
           INSERT INTO plinth.attempts AS a (project_id, hash, ends_at, attempts)
           VALUES ($1, $2, now() + $3 * interval '1 second', 1)
           ON CONFLICT (project_id, hash) DO UPDATE SET
             attempts = CASE WHEN a.ends_at <= now() THEN 1 ELSE a.attempts + 1 END,
             ends_at = CASE WHEN a.ends_at <= now() THEN excluded.ends_at ELSE a.ends_at END
             WHERE a.ends_at <= now() OR a.attempts < $4
           RETURNING 1)
         SELECT EXISTS (SELECT 1 FROM taken) AS is_taken, coalesce((
           SELECT ceil(EXTRACT(EPOCH FROM ends_at - now()))::int FROM plinth.attempts
           WHERE project_id = $1 AND hash = $2), $3) AS wait`,
        [projectId, hash, windowSeconds, attemptsMax],
      );
      const [row] = rows;
      return row === undefined || row.is_taken ? 0 : Math.max(1, row.wait);
    },
  };
}
