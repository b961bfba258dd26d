-- A project is its own production environment. Further environments are projects of their own below it: nothing on the cell
-- is shared, and here only the membership and the name are.
ALTER TABLE control.projects
  ADD COLUMN parent_id text,
  ADD COLUMN environment text NOT NULL DEFAULT 'production'
    CHECK (environment IN ('development', 'preview', 'production')),
  -- What it is called within its project; a preview may have any name of its own.
  ADD COLUMN environment_name text NOT NULL DEFAULT 'production'
    CHECK (environment_name ~ '^[a-z][a-z0-9]*(-[a-z0-9]+)*$' AND length(environment_name) <= 30),
  ADD COLUMN is_root boolean GENERATED ALWAYS AS (parent_id IS NULL) STORED,
  ADD COLUMN parent_is_root boolean GENERATED ALWAYS AS (CASE WHEN parent_id IS NOT NULL THEN true END) STORED,
  ADD CHECK ((parent_id IS NULL) = (environment = 'production')),
  ADD CHECK (CASE environment WHEN 'preview' THEN environment_name NOT IN ('development', 'production')
             ELSE environment_name = environment END),
  ADD CONSTRAINT projects_roots UNIQUE (id, organization_id, is_root);

-- A parent is a project of the same organization, and no environment itself.
ALTER TABLE control.projects ADD FOREIGN KEY (parent_id, organization_id, parent_is_root)
  REFERENCES control.projects (id, organization_id, is_root);
-- One development environment (its name is fixed), and previews by name.
CREATE UNIQUE INDEX projects_environment_name ON control.projects (parent_id, environment_name);

-- A membership's scope names whole projects: their environments come with them.
ALTER TABLE control.membership_projects
  ADD COLUMN is_root boolean NOT NULL DEFAULT true CHECK (is_root),
  ADD FOREIGN KEY (project_id, organization_id, is_root)
    REFERENCES control.projects (id, organization_id, is_root) ON DELETE CASCADE;
ALTER TABLE control.invitation_projects
  ADD COLUMN is_root boolean NOT NULL DEFAULT true CHECK (is_root),
  ADD FOREIGN KEY (project_id, organization_id, is_root)
    REFERENCES control.projects (id, organization_id, is_root) ON DELETE CASCADE;

-- A deleted project is erased after some days, with the environments that were deleted with it; an environment deleted alone, at
-- once. What has not reached its hour can be restored.
ALTER TABLE control.projects ADD COLUMN erase_after timestamptz;
UPDATE control.projects SET erase_after = deleted_at + make_interval(days => 7) WHERE deleted_at IS NOT NULL;
ALTER TABLE control.projects ADD CHECK ((deleted_at IS NULL) = (erase_after IS NULL));

-- The environment whose version a proposal promotes, as it was then: it may be deleted later.
ALTER TABLE control.proposals
  ADD COLUMN promoted_from json,
  -- What `environment_lineage` said of that environment then.
  ADD COLUMN promoted_lineage json;

-- Each version that what is live in an environment was made from, by the hash of its text and by that of its model. Where
-- another environment's live version is among them, promoting to it takes nothing back.
CREATE TABLE control.environment_lineage (
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  version_hash text NOT NULL,
  PRIMARY KEY (project_id, version_hash)
);
INSERT INTO control.environment_lineage (project_id, version_hash)
SELECT DISTINCT d.project_id, h.hash
FROM control.deployments d
JOIN control.proposals p ON p.id = d.proposal_id
JOIN control.blueprint_versions v ON v.id = p.version_id
CROSS JOIN LATERAL (VALUES (v.hash), (v.model_hash)) AS h (hash)
WHERE d.status IN ('active', 'superseded');
