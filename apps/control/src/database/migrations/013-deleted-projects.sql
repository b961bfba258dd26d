-- A deleted project can be restored until it is erased. What its cell was last told stands beside what is wanted: "unsure" from
-- before a call until its answer, so that a process that dies between the two leaves nothing half done.
ALTER TABLE control.projects
  ADD COLUMN deleted_at timestamptz,
  ADD COLUMN deleted_by text REFERENCES control.people ON DELETE SET NULL,
  ADD COLUMN on_cell text NOT NULL DEFAULT 'served' CHECK (on_cell IN ('served', 'unsure', 'suspended'));
CREATE INDEX projects_unsettled ON control.projects (deleted_at) WHERE deleted_at IS NOT NULL OR on_cell <> 'served';
