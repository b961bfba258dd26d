-- What a person writes and has not proposed yet: one draft for each person and project, so that nobody's typing changes another's text.
CREATE TABLE control.drafts (
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  -- Counts up with every save, and over the end of a draft.
  version integer NOT NULL,
  text text NOT NULL,
  -- What was live when it was begun or rebased; null where nothing was.
  base_version_id text REFERENCES control.blueprint_versions ON DELETE SET NULL,
  saved_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  ended_by text CHECK (ended_by IN ('deployed', 'discarded')),
  PRIMARY KEY (project_id, person_id),
  CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);

-- What a draft was before, for undoing: bounded in number and bytes.
CREATE TABLE control.earlier_drafts (
  project_id text NOT NULL,
  person_id text NOT NULL,
  version integer NOT NULL,
  text text NOT NULL,
  base_version_id text REFERENCES control.blueprint_versions ON DELETE SET NULL,
  saved_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, person_id, version),
  FOREIGN KEY (project_id, person_id) REFERENCES control.drafts ON DELETE CASCADE
);
CREATE INDEX drafts_base_version_id ON control.drafts (base_version_id);
CREATE INDEX earlier_drafts_base_version_id ON control.earlier_drafts (base_version_id);
