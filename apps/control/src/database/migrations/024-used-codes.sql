-- The codes of authenticator apps that have signed somebody in, for as long as an app's clock may still accept them: each code
-- signs in once (RFC 6238, 5.2). The code itself isn't stored.
CREATE TABLE control.used_codes (
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  code_hash text NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (person_id, code_hash)
);
CREATE INDEX used_codes_used_at ON control.used_codes (used_at);
