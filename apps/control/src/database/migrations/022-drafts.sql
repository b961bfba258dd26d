-- Texts that a person writes before they propose them: one draft for each person and project, so that two people never edit the
-- same text.
CREATE TABLE control.drafts (
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  person_id text NOT NULL REFERENCES control.people ON DELETE CASCADE,
  -- Counts up with every save, and continues after a draft has ended.
  version integer NOT NULL,
  text text NOT NULL,
  -- The version that was live when the draft was begun or rebased. Null if nothing was live.
  base_version_id text REFERENCES control.blueprint_versions ON DELETE SET NULL,
  saved_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  ended_by text CHECK (ended_by IN ('deployed', 'discarded')),
  PRIMARY KEY (project_id, person_id),
  CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);

-- Earlier texts of a draft, for undo. Their number and bytes are limited.
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
