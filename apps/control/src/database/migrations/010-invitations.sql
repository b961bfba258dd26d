-- What a membership opens: the whole organization with the projects to come, or the named projects alone. Members of
-- before keep what they have.
ALTER TABLE control.memberships
  ADD COLUMN scope text NOT NULL DEFAULT 'organization' CHECK (scope IN ('organization', 'projects'));
ALTER TABLE control.memberships ALTER COLUMN scope DROP DEFAULT;

-- So that a scope can name projects of its own organization only.
ALTER TABLE control.projects ADD CONSTRAINT projects_of_organization UNIQUE (id, organization_id);

CREATE TABLE control.membership_projects (
  organization_id text NOT NULL,
  person_id text NOT NULL,
  project_id text NOT NULL,
  PRIMARY KEY (organization_id, person_id, project_id),
  FOREIGN KEY (organization_id, person_id) REFERENCES control.memberships ON DELETE CASCADE,
  FOREIGN KEY (project_id, organization_id) REFERENCES control.projects (id, organization_id) ON DELETE CASCADE
);
CREATE INDEX membership_projects_project_id ON control.membership_projects (project_id);

CREATE TABLE control.invitations (
  id text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES control.organizations ON DELETE CASCADE,
  -- Whom it is meant for, as the inviter wrote it. It opens nothing: the link does.
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'viewer')),
  scope text NOT NULL CHECK (scope IN ('organization', 'projects')),
  -- SHA-256 of the token in the link, never the token.
  token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^sha256:[0-9a-f]{64}$'),
  invited_by text NOT NULL REFERENCES control.people,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  accepted_by text REFERENCES control.people,
  revoked_at timestamptz,
  UNIQUE (id, organization_id)
);
-- One link for each address: a new one ends the one before.
CREATE UNIQUE INDEX invitations_open ON control.invitations (organization_id, email)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;

CREATE TABLE control.invitation_projects (
  invitation_id text NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  PRIMARY KEY (invitation_id, project_id),
  FOREIGN KEY (invitation_id, organization_id) REFERENCES control.invitations (id, organization_id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, organization_id) REFERENCES control.projects (id, organization_id) ON DELETE CASCADE
);
CREATE INDEX invitation_projects_project_id ON control.invitation_projects (project_id);
