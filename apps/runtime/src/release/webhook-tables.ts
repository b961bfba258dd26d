// The cell's tables for outbound webhooks: endpoints, their secrets, deliveries and attempts. Migrations, in order. An
// entry never changes after its release; new ones are added.

export const webhookTables: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "014-webhook-endpoints",
    sql: `
      -- Where a project's events are sent. An endpoint sees what its role may read, or what its owner may.
      CREATE TABLE plinth.webhook_endpoints (
        id uuid PRIMARY KEY,
        project_id text NOT NULL REFERENCES plinth.projects (id),
        url text NOT NULL,
        description text NOT NULL,
        -- Names of events, <noun>.* or *.
        events text[] NOT NULL,
        role text NOT NULL,
        owner_kind text CHECK (owner_kind IN ('user', 'organization')),
        owner_id uuid,
        payload text NOT NULL CHECK (payload IN ('full', 'thin')),
        signing text NOT NULL CHECK (signing IN ('hmac', 'ed25519')),
        enabled boolean NOT NULL,
        disabled_at timestamptz,
        disabled_reason text,
        -- How it is: failures in a row, since when, and until when nothing is sent because of them.
        failures integer NOT NULL DEFAULT 0,
        failing_since timestamptz,
        open_until timestamptz,
        last_success_at timestamptz,
        last_failure_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CHECK ((owner_kind IS NULL) = (owner_id IS NULL))
      );
      CREATE INDEX webhook_endpoints_of_project ON plinth.webhook_endpoints (project_id, id);

      -- What messages are signed with, sealed. One stays; the ones before it end.
      CREATE TABLE plinth.webhook_secrets (
        endpoint_id uuid NOT NULL REFERENCES plinth.webhook_endpoints (id) ON DELETE CASCADE,
        id uuid NOT NULL,
        sealed text NOT NULL,
        public_key text,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        until timestamptz,
        PRIMARY KEY (endpoint_id, id)
      );
      CREATE UNIQUE INDEX webhook_secrets_one_stays ON plinth.webhook_secrets (endpoint_id) WHERE until IS NULL;
    `,
  },
  {
    id: "015-webhook-deliveries",
    sql: `
      -- One for each event and endpoint: its id is the message's for all attempts. The body is sealed.
      CREATE TABLE plinth.webhook_deliveries (
        id uuid PRIMARY KEY,
        project_id text NOT NULL REFERENCES plinth.projects (id),
        endpoint_id uuid NOT NULL REFERENCES plinth.webhook_endpoints (id) ON DELETE CASCADE,
        -- Null of a test.
        event_id uuid,
        event_name text NOT NULL,
        request_id text,
        body text NOT NULL,
        -- The release and the rights that the body was made with need no second look while they are the same.
        release_id text NOT NULL,
        -- Members of the record that the endpoint may see; null where the event carries no record.
        fields text[],
        status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed', 'revoked')),
        error text,
        response_status integer,
        -- Of all attempts, and of those since it was last begun anew.
        attempts integer NOT NULL DEFAULT 0,
        tries integer NOT NULL DEFAULT 0,
        due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Rises with each claim: who holds an older one changes nothing more.
        fence bigint NOT NULL DEFAULT 0,
        lease_until timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        ended_at timestamptz
      );
      CREATE UNIQUE INDEX webhook_deliveries_once ON plinth.webhook_deliveries (endpoint_id, event_id);
      CREATE INDEX webhook_deliveries_due ON plinth.webhook_deliveries (project_id, endpoint_id, due_at) WHERE status = 'pending';
      CREATE INDEX webhook_deliveries_next ON plinth.webhook_deliveries (due_at) WHERE status = 'pending';
      CREATE INDEX webhook_deliveries_leased ON plinth.webhook_deliveries (endpoint_id) WHERE lease_until IS NOT NULL;
      CREATE INDEX webhook_deliveries_of_project ON plinth.webhook_deliveries (project_id, id);
      CREATE INDEX webhook_deliveries_failed ON plinth.webhook_deliveries (endpoint_id, created_at) WHERE status = 'failed';
      CREATE INDEX webhook_deliveries_old ON plinth.webhook_deliveries (ended_at) WHERE status <> 'pending';

      -- What was sent and answered, bounded and sealed. An attempt without an end was cut off: it may have arrived.
      CREATE TABLE plinth.webhook_attempts (
        delivery_id uuid NOT NULL REFERENCES plinth.webhook_deliveries (id) ON DELETE CASCADE,
        attempt integer NOT NULL,
        started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        ended_at timestamptz,
        status integer,
        error text,
        exchange text,
        PRIMARY KEY (delivery_id, attempt)
      );
    `,
  },
];

/** Added after other tables. */
export const laterWebhookTables: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "021-webhook-subjects",
    sql: `
      -- The record by which it is judged who may see an event that carries none; null where the event carries its record.
      ALTER TABLE plinth.webhook_deliveries ADD COLUMN subject_entity text, ADD COLUMN subject_id uuid;
    `,
  },
];

/** After the earlier tables of the other modules. */
export const webhookSettings: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "029-webhook-settings",
    sql: `
      -- What the live release says of its endpoints: calls of one at once, and days for which deliveries are kept. Null: as the runtime has it.
      ALTER TABLE plinth.projects ADD COLUMN webhook_concurrency integer, ADD COLUMN webhook_days integer;
    `,
  },
];

/** The version of payloads that an endpoint receives. */
export const payloadVersions: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "034-payload-versions",
    sql: "ALTER TABLE plinth.webhook_endpoints ADD COLUMN version integer NOT NULL DEFAULT 1;",
  },
];

/** Added after those. */
export const listenerTables: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "033-webhook-listeners",
    sql: `
      -- Until when an endpoint's deliveries are pulled, by somebody who forwards them; each pull says later. Null of one that is called.
      ALTER TABLE plinth.webhook_endpoints ADD COLUMN listens_until timestamptz;
      CREATE INDEX webhook_endpoints_listening ON plinth.webhook_endpoints (listens_until) WHERE listens_until IS NOT NULL;
    `,
  },
];

/** Added later. */
export const webhookLanes: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "031-webhook-lanes",
    sql: `
      -- One process at a time sends to an endpoint, until its lease ends. The fence rises with each process that takes it.
      ALTER TABLE plinth.webhook_endpoints ADD COLUMN holder uuid, ADD COLUMN fence bigint NOT NULL DEFAULT 0,
        ADD COLUMN lease_until timestamptz;
      -- Processes of before, which claimed each delivery, claim nothing any more.
      ALTER TABLE plinth.webhook_deliveries DROP COLUMN fence, DROP COLUMN lease_until;
    `,
  },
];

/** Bodies that deliveries share, and events whose deliveries are created in parts. */
export const sharedBodies: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "042-shared-webhook-bodies",
    sql: `
      -- What endpoints see of an event, sealed: once for all that see the same. \`deliveries\` counts the rows that use it; it goes with
      -- the last one.
      CREATE TABLE plinth.webhook_bodies (
        id uuid PRIMARY KEY,
        project_id text NOT NULL REFERENCES plinth.projects (id),
        event_id uuid NOT NULL,
        body text NOT NULL,
        bytes integer NOT NULL,
        deliveries integer NOT NULL DEFAULT 0
      );
      -- Sealed text can't be compressed.
      ALTER TABLE plinth.webhook_bodies ALTER body SET STORAGE EXTERNAL;
      CREATE INDEX webhook_bodies_of_event ON plinth.webhook_bodies (event_id);
      -- Null: the delivery has its own body, as tests and deliveries of earlier versions do.
      ALTER TABLE plinth.webhook_deliveries ADD COLUMN body_id uuid, ALTER body DROP NOT NULL,
        ADD CONSTRAINT webhook_deliveries_one_body CHECK ((body IS NULL) <> (body_id IS NULL)) NOT VALID;

      CREATE FUNCTION plinth.count_webhook_bodies() RETURNS trigger LANGUAGE plpgsql AS $count$
        BEGIN
          -- In one order, so that two transactions don't wait for each other.
          PERFORM FROM plinth.webhook_bodies WHERE id IN (SELECT body_id FROM changed) ORDER BY id FOR UPDATE;
          UPDATE plinth.webhook_bodies b SET deliveries = b.deliveries + CASE TG_OP WHEN 'INSERT' THEN c.uses ELSE -c.uses END
            FROM (SELECT body_id, count(*) AS uses FROM changed GROUP BY body_id) c WHERE b.id = c.body_id;
          IF TG_OP = 'DELETE' THEN
            DELETE FROM plinth.webhook_bodies WHERE id IN (SELECT body_id FROM changed) AND deliveries <= 0;
          END IF;
          RETURN NULL;
        END
      $count$;
      CREATE TRIGGER webhook_bodies_used AFTER INSERT ON plinth.webhook_deliveries REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION plinth.count_webhook_bodies();
      CREATE TRIGGER webhook_bodies_left AFTER DELETE ON plinth.webhook_deliveries REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION plinth.count_webhook_bodies();

      -- Events for endpoints whose deliveries are not all created. \`done\`: every endpoint was looked at, but some are behind.
      CREATE TABLE plinth.webhook_fan_outs (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id text NOT NULL REFERENCES plinth.projects (id),
        event_id uuid NOT NULL,
        event_at timestamptz NOT NULL,
        noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        subject_entity text,
        subject_id uuid,
        after_endpoint uuid,
        done boolean NOT NULL DEFAULT false
      );
      CREATE INDEX webhook_fan_outs_of_project ON plinth.webhook_fan_outs (project_id, id);
      CREATE INDEX webhook_fan_outs_fresh ON plinth.webhook_fan_outs (project_id, id) WHERE NOT done;
      -- The first event that an endpoint has not got, because the project had no room for more deliveries. Null: it has all.
      ALTER TABLE plinth.webhook_endpoints ADD COLUMN behind_from bigint;
      CREATE INDEX webhook_endpoints_behind ON plinth.webhook_endpoints (project_id, behind_from) WHERE behind_from IS NOT NULL;
    `,
  },
];
