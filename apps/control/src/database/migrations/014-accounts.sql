-- The theme that a person sees the console in, and whether their sign-in needs a second factor. Who has deleted their account stays
-- as a row without anything of theirs: what they approved still names somebody.
ALTER TABLE control.people
  ADD COLUMN theme text NOT NULL DEFAULT 'system' CHECK (theme IN ('system', 'light', 'dark')),
  ADD COLUMN two_factor_enabled boolean NOT NULL DEFAULT false,
  ADD COLUMN deleted_at timestamptz;

-- One for each person: the secret that their codes are made from and their backup codes, both encrypted by better-auth. Failures
-- in a row are counted across sign-ins.
CREATE TABLE control.two_factors (
  id text PRIMARY KEY,
  person_id text NOT NULL UNIQUE REFERENCES control.people ON DELETE CASCADE,
  secret text NOT NULL,
  backup_codes text NOT NULL,
  verified boolean NOT NULL DEFAULT false,
  failures integer NOT NULL DEFAULT 0,
  locked_until timestamptz
);

-- Written at most once in some minutes.
ALTER TABLE control.sessions ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now();
