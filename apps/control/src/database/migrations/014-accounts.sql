-- The console's theme for a person, and whether their sign-in needs a second factor. The row of a deleted account stays without
-- personal data, because approvals still refer to it.
ALTER TABLE control.people
  ADD COLUMN theme text NOT NULL DEFAULT 'system' CHECK (theme IN ('system', 'light', 'dark')),
  ADD COLUMN two_factor_enabled boolean NOT NULL DEFAULT false,
  ADD COLUMN deleted_at timestamptz;

-- One for each person: the secret of their codes and their backup codes, both encrypted by better-auth. Consecutive failures are
-- counted over all sign-ins.
CREATE TABLE control.two_factors (
  id text PRIMARY KEY,
  person_id text NOT NULL UNIQUE REFERENCES control.people ON DELETE CASCADE,
  secret text NOT NULL,
  backup_codes text NOT NULL,
  verified boolean NOT NULL DEFAULT false,
  failures integer NOT NULL DEFAULT 0,
  locked_until timestamptz
);

-- Written at most once every few minutes.
ALTER TABLE control.sessions ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now();
