-- Tokens of programs that act for a person: the command line after `plinth login`, and others that use a token that the person
-- created.
CREATE TABLE control.access_tokens (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('login', 'personal')),
  -- SHA-256 of the token, never the token itself.
  token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^sha256:[0-9a-f]{64}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX access_tokens_person_id ON control.access_tokens (person_id);

-- Sign-ins of the command line that have not finished (RFC 8628): a program waits until a person approves it in the console. A
-- row is deleted when the token is issued, or after it has expired.
CREATE TABLE control.device_grants (
  -- SHA-256 of the code by which the program identifies itself.
  device_code_hash text PRIMARY KEY CHECK (device_code_hash ~ '^sha256:[0-9a-f]{64}$'),
  -- The code that the person types. It is valid for some minutes, and gives no access by itself.
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
