-- The earlier version that a proposal goes back to, so that it can be made anew in the same way.
ALTER TABLE control.proposals ADD COLUMN from_version_id text REFERENCES control.blueprint_versions;

-- One deployment of a project is live; those before it were left as if they were, too.
UPDATE control.deployments d SET status = 'superseded'
FROM control.projects p
WHERE p.id = d.project_id AND d.status = 'active' AND d.finished_at IS NOT NULL AND d.id IS DISTINCT FROM p.live_deployment_id;
