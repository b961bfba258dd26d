-- What a person's programs act with in the person's name: the command line after `plinth login`, and whatever is given a token
-- that the person made.
CREATE TABLE control.access_tokens (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('login', 'personal')),
  -- SHA-256 of the token, never the token.
  token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^sha256:[0-9a-f]{64}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX access_tokens_person_id ON control.access_tokens (person_id);

-- Sign-ins of the command line under way (RFC 8628): a program waits until a person approves it in the console. Rows go when the
-- token is handed out, and otherwise once they have expired.
CREATE TABLE control.device_grants (
  -- SHA-256 of what the program proves itself with.
  device_code_hash text PRIMARY KEY CHECK (device_code_hash ~ '^sha256:[0-9a-f]{64}$'),
  -- What the person types; it is good for some minutes, and gives nothing by itself.
  user_code text NOT NULL UNIQUE,
  device_name text NOT NULL,
  address text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied')),
  person_id text REFERENCES control.people ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  polled_at timestamptz,
  CHECK ((status = 'approved') <= (person_id IS NOT NULL))
);
CREATE INDEX device_grants_expires_at ON control.device_grants (expires_at);
