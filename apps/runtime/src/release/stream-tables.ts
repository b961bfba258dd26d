// Tables of a cell: which entities are followed, and the changes. Data only.
export const streamTables: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "020-followed-changes",
    sql: `
      -- How far each project's changes are numbered, and up to which number they are kept no longer.
      CREATE TABLE plinth.streams (
        project_id text PRIMARY KEY REFERENCES plinth.projects (id),
        seq bigint NOT NULL DEFAULT 0,
        pruned_seq bigint NOT NULL DEFAULT 0
      );

      -- What is followed, or was until lately: writes of these entities leave their changes. The row of an entity is complete
      -- behind from_seq; null while writes may be under way that began before there was the row.
      CREATE TABLE plinth.followed (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        entity text NOT NULL,
        from_seq bigint,
        until timestamptz NOT NULL,
        PRIMARY KEY (project_id, entity)
      );

      -- A project writes and reads these through views of its own, which fix the project. They are numbered when they are
      -- committed, by one process at a time, so that none comes in behind one that was already read.
      CREATE TABLE plinth.changes (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id text NOT NULL,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        entity text NOT NULL,
        kind text NOT NULL,
        record_id uuid,
        old jsonb,
        new jsonb,
        seq bigint
      );
      CREATE INDEX changes_unnumbered ON plinth.changes (project_id, id) WHERE seq IS NULL;
      CREATE INDEX changes_in_order ON plinth.changes (project_id, seq) WHERE seq IS NOT NULL;
      CREATE INDEX changes_by_age ON plinth.changes (at);
    `,
  },
];
