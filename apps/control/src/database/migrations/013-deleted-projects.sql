-- A deleted project can be restored until it is erased. `on_cell` is the state that the cell last confirmed. It is "unsure" from
-- before a call until its answer, so that the call is repeated if the process dies in between.
ALTER TABLE control.projects
  ADD COLUMN deleted_at timestamptz,
  ADD COLUMN deleted_by text REFERENCES control.people ON DELETE SET NULL,
  ADD COLUMN on_cell text NOT NULL DEFAULT 'served' CHECK (on_cell IN ('served', 'unsure', 'suspended'));
CREATE INDEX projects_unsettled ON control.projects (deleted_at) WHERE deleted_at IS NOT NULL OR on_cell <> 'served';
