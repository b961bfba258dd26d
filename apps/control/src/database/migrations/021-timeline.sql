-- Each change of a project has a number that never comes back, and a title that a person can write.
ALTER TABLE control.projects ADD COLUMN changes_made integer NOT NULL DEFAULT 0;
ALTER TABLE control.proposals ADD COLUMN number integer, ADD COLUMN title text;
UPDATE control.proposals p SET
  number = n.number,
  title = left(coalesce(
    CASE WHEN p.base_deployment_id IS NULL THEN 'First version' END,
    rtrim(replace(p.diff->0->>'summary', '`', ''), '.'),
    'Change the text'), 120)
FROM (SELECT id, row_number() OVER (PARTITION BY project_id ORDER BY created_at, id) AS number FROM control.proposals) n
WHERE n.id = p.id;
UPDATE control.projects SET changes_made =
  coalesce((SELECT max(number) FROM control.proposals WHERE project_id = projects.id), 0);
ALTER TABLE control.proposals ALTER COLUMN number SET NOT NULL, ALTER COLUMN title SET NOT NULL;
CREATE UNIQUE INDEX proposals_number ON control.proposals (project_id, number DESC);
CREATE INDEX deployments_proposal_id ON control.deployments (proposal_id, created_at DESC);

-- Since when the cell of an unfinished deployment has not answered.
ALTER TABLE control.deployments ADD COLUMN waiting_since timestamptz;
