-- Names are unique in an organization. A project holds its own, and beside it the one that a deployment under way brings,
-- so that nobody else can take it meanwhile.
CREATE TABLE control.project_names (
  organization_id text NOT NULL REFERENCES control.organizations ON DELETE CASCADE,
  name text NOT NULL,
  project_id text NOT NULL REFERENCES control.projects ON DELETE CASCADE,
  PRIMARY KEY (organization_id, name)
);
CREATE INDEX project_names_project_id ON control.project_names (project_id);
INSERT INTO control.project_names (organization_id, name, project_id)
SELECT organization_id, slug, id FROM control.projects;

ALTER TABLE control.projects DROP CONSTRAINT projects_slug_key;

-- What the project is called once the proposal is live; of proposals made before, it stays as it is.
ALTER TABLE control.proposals ADD COLUMN name text;
