-- People and their sessions (kept by better-auth through an adapter that stores session tokens hashed).
CREATE TABLE control.people (
  id text PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL UNIQUE,
  email_verified boolean NOT NULL DEFAULT false,
  image text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE control.sessions (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  -- SHA-256 of the token in the cookie, never the token; the check keeps a plain one out whatever the code does.
  token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^sha256:[0-9a-f]{64}$'),
  expires_at timestamptz NOT NULL,
  ip_address text,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_person_id ON control.sessions (person_id);

CREATE TABLE control.accounts (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  account_id text NOT NULL,
  provider_id text NOT NULL,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password_hash text CHECK (password_hash LIKE '$argon2id$%'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX accounts_person_id ON control.accounts (person_id);

CREATE TABLE control.verifications (
  id text PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verifications_identifier ON control.verifications (identifier);

CREATE TABLE control.organizations (
  id text PRIMARY KEY,
  name text NOT NULL,
  -- The person whose own organization this is; unique, so that two sign-ins at once can't make two.
  personal_of text UNIQUE REFERENCES control.people ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE control.memberships (
  organization_id text NOT NULL REFERENCES control.organizations ON DELETE CASCADE,
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'viewer')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, person_id)
);
CREATE INDEX memberships_person_id ON control.memberships (person_id);

CREATE TABLE control.projects (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES control.organizations,
  -- Unique everywhere: a cell serves the projects of many organizations.
  slug text NOT NULL UNIQUE,
  cell_url text NOT NULL,
  -- Null until the cell has made the project's schema and roles.
  provisioned_at timestamptz,
  live_version_id text,
  live_deployment_id text,
  live_bundle_hash text,
  live_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX projects_organization_id ON control.projects (organization_id);

CREATE TABLE control.blueprint_versions (
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  text text NOT NULL,
  hash text NOT NULL,
  model_hash text NOT NULL,
  created_by text NOT NULL REFERENCES control.people,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, hash)
);

CREATE TABLE control.proposals (
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  version_id text NOT NULL REFERENCES control.blueprint_versions,
  -- What was live when it was made; the proposal is stale once something else is.
  base_version_id text REFERENCES control.blueprint_versions,
  base_deployment_id text,
  base_bundle_hash text,
  diagnostics json NOT NULL,
  diff json NOT NULL,
  plan json NOT NULL,
  refused json NOT NULL,
  -- json, not jsonb: the order of keys in the API document is part of how it reads.
  bundle json NOT NULL,
  bundle_hash text NOT NULL,
  hash text NOT NULL,
  status text NOT NULL CHECK (status IN ('open', 'approved', 'rejected', 'deployed', 'stale')),
  created_by text NOT NULL REFERENCES control.people,
  created_at timestamptz NOT NULL DEFAULT now(),
  approved_by text REFERENCES control.people,
  approved_at timestamptz
);
CREATE INDEX proposals_project_id ON control.proposals (project_id, created_at DESC);

CREATE TABLE control.deployments (
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  proposal_id text NOT NULL REFERENCES control.proposals,
  release_id text NOT NULL UNIQUE,
  status text NOT NULL CHECK (status IN ('queued', 'received', 'migrating', 'active', 'failed', 'superseded')),
  error text,
  steps json NOT NULL DEFAULT '[]',
  created_by text NOT NULL REFERENCES control.people,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
CREATE INDEX deployments_project_id ON control.deployments (project_id, created_at DESC);
-- One at a time: the second would be built on a base that is about to change.
CREATE UNIQUE INDEX deployments_unfinished ON control.deployments (project_id) WHERE finished_at IS NULL;

CREATE TABLE control.key_metadata (
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('publishable', 'secret')),
  role text,
  last4 text NOT NULL CHECK (length(last4) = 4),
  created_by text NOT NULL REFERENCES control.people,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX key_metadata_project_id ON control.key_metadata (project_id, created_at DESC);

CREATE TABLE control.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  person_id text,
  action text NOT NULL,
  organization_id text,
  project_id text,
  subject text,
  detail json NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_project_id ON control.audit (project_id, id DESC);
