// Tables of a cell: connections to other services, sent mails, and tokens that prove an address. Data only.
export const mailTables: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "018-email",
    sql: `
      -- How a project reaches another service. What of it is secret is sealed, and told to nobody again.
      CREATE TABLE plinth.connections (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        name text NOT NULL,
        provider text NOT NULL,
        settings jsonb NOT NULL,
        sealed text NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, name)
      );

      -- A row for each mail, made before it is sent: who gets it and what it says is sealed.
      CREATE TABLE plinth.emails (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        id uuid NOT NULL,
        key text NOT NULL,
        status text NOT NULL
          CHECK (status IN ('sending', 'sent', 'kept', 'suppressed', 'failed', 'unknown', 'bounced', 'complained')),
        message_id text NOT NULL,
        connection text,
        provider_id text,
        template text,
        sealed text NOT NULL,
        error text,
        created_at timestamptz NOT NULL DEFAULT now(),
        ended_at timestamptz,
        PRIMARY KEY (project_id, id),
        UNIQUE (project_id, key)
      );
      CREATE INDEX emails_by_time ON plinth.emails (project_id, created_at DESC);
      CREATE INDEX emails_old ON plinth.emails (created_at);

      -- Addresses that get no more mail of a project; found by a keyed hash.
      CREATE TABLE plinth.email_suppressions (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        address_hash text NOT NULL,
        sealed text NOT NULL,
        reason text NOT NULL CHECK (reason IN ('bounced', 'complained', 'manual')),
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, address_hash)
      );

      -- How many mails of a project went out in an hour.
      CREATE TABLE plinth.email_hours (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        hour timestamptz NOT NULL,
        mails integer NOT NULL,
        PRIMARY KEY (project_id, hour)
      );
    `,
  },
  {
    id: "019-account-tokens",
    sql: `
      -- What proves that somebody reads the mail of an address. A sign-up that waits for it is sealed.
      CREATE TABLE plinth.account_tokens (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        hash text NOT NULL,
        purpose text NOT NULL CHECK (purpose IN ('verify', 'reset')),
        user_id uuid,
        sealed text,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, hash)
      );
      CREATE INDEX account_tokens_of_user ON plinth.account_tokens (project_id, user_id);
      CREATE INDEX account_tokens_expired ON plinth.account_tokens (expires_at);
    `,
  },
  {
    id: "025-names-of-mails",
    sql: `
      -- Whether a mail may be sent again under its key, the provider that it was given to decides.
      ALTER TABLE plinth.emails ADD COLUMN provider text;
      -- A provider's report names the mail that it is about.
      CREATE INDEX emails_by_provider_id ON plinth.emails (project_id, provider_id) WHERE provider_id IS NOT NULL;
      CREATE INDEX emails_by_message_id ON plinth.emails (project_id, message_id);
    `,
  },
  {
    id: "026-account-mails",
    sql: `
      -- Mails about accounts that are not sent yet; who gets one and what it says is sealed.
      CREATE TABLE plinth.account_mails (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        id uuid NOT NULL,
        sealed text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        -- A process that sends it moves this on: until then nobody else does.
        due_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, id)
      );
      CREATE INDEX account_mails_due ON plinth.account_mails (due_at);
      CREATE INDEX account_mails_of_project ON plinth.account_mails (project_id, due_at);

      -- Attempts that all processes count together; what is attempted is a keyed hash.
      CREATE TABLE plinth.attempts (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        hash text NOT NULL,
        ends_at timestamptz NOT NULL,
        attempts integer NOT NULL,
        PRIMARY KEY (project_id, hash)
      );
      CREATE INDEX attempts_ended ON plinth.attempts (ends_at);
    `,
  },
];
