// The cell's own tables, schema `plinth`. In: nothing. Out: migrations for `runMigrations`, in order. An entry never
// changes after its release; new ones are added. These tables never contain a tenant's records.
import { EXTENSIONS_SCHEMA } from "@plinth/bundle";
import { claimTables } from "./claim-tables.ts";
import { inboundSecretsThatEnd, inboundTables, screenedRequests } from "./inbound-tables.ts";
import { mailTables } from "./mail-tables.ts";
import { streamTables } from "./stream-tables.ts";
import { transferTables } from "./transfer-tables.ts";
import {
  laterWebhookTables,
  listenerTables,
  payloadVersions,
  sharedBodies,
  webhookLanes,
  webhookSettings,
  webhookTables,
} from "./webhook-tables.ts";

export interface CellMigration {
  readonly id: string;
  readonly sql: string;
}

export const CELL_SCHEMA = "plinth";

export const cellMigrations: readonly CellMigration[] = [
  {
    id: "001-projects-and-releases",
    sql: `
      CREATE TABLE plinth.projects (
        id text PRIMARY KEY CHECK (id ~ '^prj_[0-9a-z]{20}$'),
        slug text NOT NULL UNIQUE,
        active_release_id text,
        first_request_at timestamptz,
        last_request_at timestamptz,
        requests bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      -- The bundle is text, not jsonb: it is served and hashed as it came, and never searched in.
      CREATE TABLE plinth.releases (
        id text PRIMARY KEY CHECK (id ~ '^rel_[0-9a-z]{20}$'),
        project_id text NOT NULL REFERENCES plinth.projects (id),
        bundle text NOT NULL,
        bundle_hash text NOT NULL,
        base_hash text,
        plan text NOT NULL,
        plan_hash text NOT NULL,
        approval text NOT NULL,
        status text NOT NULL CHECK (status IN ('received', 'migrating', 'active', 'failed', 'superseded')),
        error text,
        received_at timestamptz NOT NULL DEFAULT now(),
        activated_at timestamptz,
        finished_at timestamptz,
        UNIQUE (project_id, id)
      );
      CREATE INDEX releases_unfinished ON plinth.releases (received_at) WHERE status IN ('received', 'migrating');
      CREATE UNIQUE INDEX releases_one_active ON plinth.releases (project_id) WHERE status = 'active';

      -- A project's active release is one of its own.
      ALTER TABLE plinth.projects ADD FOREIGN KEY (id, active_release_id)
        REFERENCES plinth.releases (project_id, id);

      CREATE TABLE plinth.migration_ledger (
        release_id text NOT NULL REFERENCES plinth.releases (id),
        step_id text NOT NULL,
        ordinal integer NOT NULL,
        sql_hash text NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'running', 'done', 'failed')),
        started_at timestamptz,
        finished_at timestamptz,
        error text,
        PRIMARY KEY (release_id, step_id)
      );
    `,
  },
  {
    id: "002-credentials",
    sql: `
      CREATE TABLE plinth.api_keys (
        id text PRIMARY KEY CHECK (id ~ '^key_[0-9a-z]{20}$'),
        project_id text NOT NULL REFERENCES plinth.projects (id),
        hash text NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$'),
        kind text NOT NULL CHECK (kind IN ('publishable', 'secret')),
        role text,
        name text NOT NULL,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX api_keys_of_project ON plinth.api_keys (project_id);

      -- One row for the cell: its lock makes the order of commits the order of values.
      CREATE TABLE plinth.epoch (id integer PRIMARY KEY CHECK (id = 1), value bigint NOT NULL);
      INSERT INTO plinth.epoch VALUES (1, 0);
      CREATE TABLE plinth.epochs (
        project_id text PRIMARY KEY REFERENCES plinth.projects (id),
        value bigint NOT NULL
      );
      CREATE INDEX epochs_by_value ON plinth.epochs (value);

      CREATE TABLE plinth.signing_keys (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        kid text NOT NULL,
        public_jwk text NOT NULL,
        private_key_sealed text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        retired_at timestamptz,
        PRIMARY KEY (project_id, kid)
      );
    `,
  },
  {
    id: "003-phases-and-set-aside",
    sql: `
      -- A backfill's last key and what it has written so far; committed with each batch.
      ALTER TABLE plinth.migration_ledger ADD COLUMN progress text, ADD COLUMN rows_done bigint;

      -- A release is active as soon as it serves, and finished when the last step of its plan is done or has failed.
      CREATE INDEX releases_active_unfinished ON plinth.releases (received_at)
        WHERE status = 'active' AND finished_at IS NULL;

      -- Names, not object ids: a dump and its restore must not lose what is kept.
      CREATE TABLE plinth.set_aside (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        release_id text NOT NULL REFERENCES plinth.releases (id),
        kind text NOT NULL CHECK (kind IN ('table', 'column')),
        table_name text NOT NULL,
        column_name text,
        kept_as text NOT NULL,
        sql_type text,
        -- Of a table: its shape while it is kept.
        was json,
        set_aside_at timestamptz NOT NULL DEFAULT now(),
        until timestamptz NOT NULL,
        CHECK ((kind = 'column') = (column_name IS NOT NULL)),
        PRIMARY KEY (project_id, kind, table_name, kept_as)
      );
      CREATE INDEX set_aside_by_end ON plinth.set_aside (until);

      -- The tables that a release of the project has had: their seed rows are inserted once.
      CREATE TABLE plinth.known_tables (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        table_name text NOT NULL,
        PRIMARY KEY (project_id, table_name)
      );

      -- What the schema looked like when a release had ended, for better or worse; drift is measured against the latest.
      CREATE TABLE plinth.catalogues (
        release_id text PRIMARY KEY REFERENCES plinth.releases (id),
        project_id text NOT NULL REFERENCES plinth.projects (id),
        server_version integer NOT NULL,
        entries jsonb NOT NULL,
        recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX catalogues_of_project ON plinth.catalogues (project_id, recorded_at);
    `,
  },
  {
    id: "004-retention",
    sql: `
      -- Whether the live release has an entity whose records are deleted when they are old.
      ALTER TABLE plinth.projects ADD COLUMN retains boolean NOT NULL DEFAULT false;
      CREATE INDEX projects_retaining ON plinth.projects (id) WHERE retains;
    `,
  },
  {
    id: "005-names-of-organizations",
    sql: `
      -- Names are unique in an organization, which only control knows; a cell finds a project by its id.
      ALTER TABLE plinth.projects DROP CONSTRAINT projects_slug_key;
    `,
  },
  {
    id: "006-events-and-runs",
    sql: `
      -- Events that were committed and not yet handed to those who listen. A project writes through a view of its own, which
      -- fixes the project; the dispatcher takes rows away, so that no transaction elsewhere on the server holds it up.
      CREATE TABLE plinth.outbox (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id text NOT NULL REFERENCES plinth.projects (id),
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        name text NOT NULL,
        entity text,
        record_id uuid,
        organization_id uuid,
        actor_kind text,
        actor_id text,
        request_id text,
        cause jsonb,
        record jsonb,
        old jsonb,
        data jsonb
      );
      CREATE INDEX outbox_of_project ON plinth.outbox (project_id, id);

      -- Runs that are to go on at a time. What is due is handed to the job queue in turns of the projects: the queue itself
      -- knows no projects.
      CREATE TABLE plinth.due_runs (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        run_id uuid NOT NULL,
        due_at timestamptz NOT NULL,
        handed_at timestamptz,
        -- Something came while it ran: it is due again as soon as it has parked.
        woken boolean NOT NULL DEFAULT false,
        PRIMARY KEY (project_id, run_id)
      );
      CREATE INDEX due_runs_waiting ON plinth.due_runs (project_id, due_at) WHERE handed_at IS NULL;
      -- When each schedule is due next; null where that is to be worked out anew.
      CREATE TABLE plinth.schedules (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        name text NOT NULL,
        cron text NOT NULL,
        timezone text NOT NULL,
        next_at timestamptz,
        last_at timestamptz,
        paused boolean NOT NULL DEFAULT false,
        PRIMARY KEY (project_id, name)
      );
      CREATE INDEX schedules_due ON plinth.schedules (next_at) WHERE NOT paused;

      CREATE INDEX due_runs_handed ON plinth.due_runs (project_id) WHERE handed_at IS NOT NULL;
    `,
  },
  {
    id: "007-signed-calls",
    sql: `
      -- What calls to a project's own services are signed with, sealed. One stays; the one before it ends.
      CREATE TABLE plinth.call_secrets (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        id uuid NOT NULL,
        sealed text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        until timestamptz,
        PRIMARY KEY (project_id, id)
      );
      CREATE UNIQUE INDEX call_secrets_one_stays ON plinth.call_secrets (project_id) WHERE until IS NULL;
    `,
  },
  {
    id: "008-bounded-workers",
    sql: `
      -- How many runs of a worker may be under way at once. What is due stands under its worker (empty for none), so that those
      -- which have to wait for one another are not looked at.
      CREATE TABLE plinth.worker_bounds (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        worker text NOT NULL,
        runs_max integer NOT NULL,
        PRIMARY KEY (project_id, worker)
      );
      ALTER TABLE plinth.due_runs ADD COLUMN worker text NOT NULL DEFAULT '';
      DROP INDEX plinth.due_runs_waiting;
      CREATE INDEX due_runs_waiting ON plinth.due_runs (project_id, worker, due_at) WHERE handed_at IS NULL;
    `,
  },
  {
    id: "009-what-is-due-next",
    sql: `
      -- Whether something is due, and when the next is, without a look at each project.
      CREATE INDEX due_runs_next ON plinth.due_runs (due_at) WHERE handed_at IS NULL AND due_at < 'infinity';
    `,
  },
  {
    id: "010-paused-schedules",
    sql: `
      -- Since when no tick starts anything, and by whom (null where ticks do); and the run of the last tick that started one.
      DROP INDEX plinth.schedules_due;
      ALTER TABLE plinth.schedules DROP COLUMN paused, ADD COLUMN paused_at timestamptz, ADD COLUMN paused_by text,
        ADD COLUMN last_run_id uuid;
      CREATE INDEX schedules_due ON plinth.schedules (next_at) WHERE paused_at IS NULL;
    `,
  },
  {
    id: "011-open-offers",
    sql: `
      -- Events that more runs wait for than are told at once, and behind which wait the next part begins. The project's later
      -- events stay in the outbox meanwhile.
      CREATE TABLE plinth.open_offers (
        project_id text PRIMARY KEY REFERENCES plinth.projects (id),
        event_ids uuid[] NOT NULL,
        after_run_id uuid NOT NULL,
        after_path text NOT NULL
      );
    `,
  },
  {
    id: "012-retention-of-work",
    sql: `
      -- Days for which the live release keeps events and ended runs; null: as long as the operator keeps them.
      ALTER TABLE plinth.projects ADD COLUMN work_days integer;
    `,
  },
  {
    id: "013-used-assertions",
    sql: `
      -- Ids of the assertions that have served, until they have long expired.
      CREATE TABLE plinth.used_assertions (id text PRIMARY KEY, expires_at timestamptz NOT NULL);
      CREATE INDEX used_assertions_expired ON plinth.used_assertions (expires_at);
    `,
  },
  ...webhookTables,
  ...inboundTables,
  ...mailTables,
  ...streamTables,
  ...laterWebhookTables,
  ...inboundSecretsThatEnd,
  ...webhookSettings,
  ...webhookLanes,
  ...listenerTables,
  ...payloadVersions,
  {
    id: "035-indexes-of-exclusions",
    sql: "CREATE EXTENSION IF NOT EXISTS btree_gist WITH SCHEMA plinth;",
  },
  {
    // Statements of every project use its functions, so it is in a schema that all can read and that has nothing of the
    // cell's.
    id: "036-similar-words",
    sql: `
      CREATE SCHEMA ${EXTENSIONS_SCHEMA};
      GRANT USAGE ON SCHEMA ${EXTENSIONS_SCHEMA} TO PUBLIC;
      CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA ${EXTENSIONS_SCHEMA};
    `,
  },
  {
    id: "037-descriptions",
    sql: `
      -- What a release says of itself, compressed as it is sent. Of a release that is stored without, it is made when it is first
      -- asked for.
      CREATE TABLE plinth.descriptions (
        release_id text PRIMARY KEY REFERENCES plinth.releases (id),
        openapi bytea NOT NULL,
        sdk_types bytea NOT NULL
      );
      ALTER TABLE plinth.descriptions ALTER openapi SET STORAGE EXTERNAL, ALTER sdk_types SET STORAGE EXTERNAL;
    `,
  },
  ...transferTables,
  {
    // Outside of the projects' own tables, so that it works for every project at once, whatever its last release
    // created.
    id: "039-disabled-users",
    sql: `
      CREATE TABLE plinth.disabled_users (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        user_id uuid NOT NULL,
        disabled_by text NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, user_id)
      );
    `,
  },
  {
    id: "040-suspended-projects",
    sql: `
      -- Since when a deleted project, which can still come back, isn't served.
      ALTER TABLE plinth.projects ADD COLUMN suspended_at timestamptz;
    `,
  },
  ...screenedRequests,
  ...sharedBodies,
  ...claimTables,
];
