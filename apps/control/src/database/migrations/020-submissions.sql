-- What a person has submitted, by the key that the client gave the submission: the same one again has no second effect.
-- Answers are not kept here, since some hold a secret.
CREATE TABLE control.submissions (
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  key text NOT NULL,
  procedure text NOT NULL,
  -- SHA-256 of the input.
  input_hash text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  done_at timestamptz,
  PRIMARY KEY (person_id, key)
);
CREATE INDEX submissions_started_at ON control.submissions (started_at);
