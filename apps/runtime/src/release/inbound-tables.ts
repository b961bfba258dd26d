// Tables of a cell: the secrets that verify inbound webhooks, and their requests. Data only.
export const inboundTables: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "016-webhooks-in",
    sql: `
      -- What inbound sources are verified with, sealed. Several may be live.
      CREATE TABLE plinth.inbound_secrets (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        source text NOT NULL,
        id uuid NOT NULL,
        sealed text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, source, id)
      );

      -- Requests that came in. What is genuine is kept once for each key of its source, whether it became an event or not; of what
      -- was refused, the last ones. Headers and body are sealed.
      CREATE TABLE plinth.inbound_requests (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        id uuid NOT NULL,
        source text NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        status text NOT NULL,
        reason text,
        type text,
        event text,
        dedupe_key bytea,
        repeats integer NOT NULL DEFAULT 0,
        replayed_at timestamptz,
        sealed text,
        PRIMARY KEY (project_id, id)
      );
      CREATE UNIQUE INDEX inbound_requests_once ON plinth.inbound_requests (project_id, source, dedupe_key)
        WHERE dedupe_key IS NOT NULL;
      CREATE INDEX inbound_requests_refused ON plinth.inbound_requests (project_id, source, id) WHERE status = 'refused';
      CREATE INDEX inbound_requests_old ON plinth.inbound_requests (received_at);
    `,
  },
];

/** After the earlier tables of the other modules. */
export const inboundSecretsThatEnd: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "023-secrets-that-end",
    sql: `
      -- When a secret stops being live; null: it stays until somebody removes it.
      ALTER TABLE plinth.inbound_secrets ADD COLUMN expires_at timestamptz;
      -- The last requests of a source by their outcome; also finds those that are refused.
      CREATE INDEX inbound_requests_of_source ON plinth.inbound_requests (project_id, source, status, id);
      DROP INDEX plinth.inbound_requests_refused;
    `,
  },
  {
    id: "024-signatures-used-once",
    sql: `
      -- Digest of what makes a signature one of its kind, where a provider signs no more of the body than a checksum.
      ALTER TABLE plinth.inbound_requests ADD COLUMN proof bytea;
      CREATE UNIQUE INDEX inbound_requests_proof ON plinth.inbound_requests (project_id, source, proof) WHERE proof IS NOT NULL;
    `,
  },
];

export const screenedRequests: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "041-screened-requests",
    sql: `
      -- False: stored by a version that left out headers only by their names. The secret of a source may be among them.
      ALTER TABLE plinth.inbound_requests ADD COLUMN screened boolean NOT NULL DEFAULT false;
      CREATE INDEX inbound_requests_unscreened ON plinth.inbound_requests (project_id, id) WHERE NOT screened AND sealed IS NOT NULL;
    `,
  },
];
