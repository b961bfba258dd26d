-- Links that set a new password. Each works once: the row is deleted when it is used.
CREATE TABLE control.password_resets (
  -- SHA-256 of the token in the link, never the token.
  token_hash text PRIMARY KEY CHECK (token_hash ~ '^sha256:[0-9a-f]{64}$'),
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  -- The person's address at that time. After a change of the address, the link no longer works.
  email text NOT NULL,
  -- The link was only sent to that address, so its use proves the address.
  mailed boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_person_id ON control.password_resets (person_id);
CREATE INDEX password_resets_expires_at ON control.password_resets (expires_at);

-- When the link was sent to the invited address. Null if the inviter got the link: then its use doesn't prove the address.
ALTER TABLE control.invitations ADD COLUMN mailed_at timestamptz;
