-- Where projects live. A project's cell never changes by itself.
CREATE TABLE control.cells (
  id text PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9-]{0,39}$'),
  -- The listener that control alone calls.
  internal_url text NOT NULL,
  -- Where apps reach the cell's projects; empty until control has been told.
  public_url text NOT NULL,
  -- A closed cell serves its projects and takes no new one.
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The address of old becomes a row; `local` is what the only cell of an installation is called.
INSERT INTO control.cells (id, internal_url, public_url)
SELECT CASE WHEN ordinal = 1 THEN 'local' ELSE 'cell-' || ordinal END, cell_url, ''
FROM (
  SELECT cell_url, row_number() OVER (ORDER BY min(created_at), cell_url) AS ordinal
  FROM control.projects GROUP BY cell_url
) addresses;

ALTER TABLE control.projects ADD COLUMN cell_id text REFERENCES control.cells;
UPDATE control.projects p SET cell_id = c.id FROM control.cells c WHERE c.internal_url = p.cell_url;
ALTER TABLE control.projects ALTER COLUMN cell_id SET NOT NULL, DROP COLUMN cell_url;
CREATE INDEX projects_cell_id ON control.projects (cell_id);
