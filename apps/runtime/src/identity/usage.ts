// Counts requests per project, and notes when a key was last used. In: one call per request. Out: batched updates. A
// request never waits for it. A kill loses the counts that weren't written yet (the figures are for people, not for
// billing).
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";

export interface Usage {
  note(projectId: string, keyId: string | null): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const FLUSH_MS = 1_000;

export function createUsage(options: { readonly pool: Pool; readonly logger: Logger }): Usage {
  const { pool, logger } = options;
  let requests = new Map<string, number>();
  let keys = new Set<string>();
  let flushing: Promise<void> | undefined;

  async function write(): Promise<void> {
    if (requests.size === 0) return;
    const counted = requests;
    const used = keys;
    requests = new Map();
    keys = new Set();
    try {
      // Sorted by id, so that two replicas lock rows in the same order.
      const projects = [...counted.keys()].sort();
      await pool.query(
        `UPDATE plinth.projects p SET requests = p.requests + n.count, last_request_at = now(),
           first_request_at = coalesce(p.first_request_at, now())
         FROM (SELECT * FROM unnest($1::text[], $2::bigint[]) AS t (id, count) ORDER BY id) n WHERE p.id = n.id`,
        [projects, projects.map((id) => counted.get(id))],
      );
      await pool.query("UPDATE plinth.api_keys SET last_used_at = now() WHERE id = ANY($1)", [[...used].sort()]);
    } catch (error) {
      logger.warn({ err: error }, "usage could not be written");
      for (const [id, count] of counted) requests.set(id, (requests.get(id) ?? 0) + count);
      for (const id of used) keys.add(id);
    }
  }

  async function flush(): Promise<void> {
    await flushing;
    flushing = write();
    await flushing;
  }
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();

  return {
    note(projectId, keyId) {
      requests.set(projectId, (requests.get(projectId) ?? 0) + 1);
      if (keyId !== null) keys.add(keyId);
    },
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
