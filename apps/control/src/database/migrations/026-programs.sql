-- A token for a program can do a fixed part of what its person can: it reads, checks and proposes.
ALTER TABLE control.access_tokens
  DROP CONSTRAINT access_tokens_kind_check,
  ADD CONSTRAINT access_tokens_kind_check CHECK (kind IN ('login', 'personal', 'program'));

-- What programs wrote, by project with all of its environments: a hash for each value and its place in the blueprint. A proposal
-- that contains it again contains what an AI wrote, until somebody writes another value.
CREATE TABLE control.ai_parts (
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  part_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, part_hash)
);

-- The places in its text that an AI wrote.
ALTER TABLE control.proposals ADD COLUMN ai_parts json NOT NULL DEFAULT '[]';
