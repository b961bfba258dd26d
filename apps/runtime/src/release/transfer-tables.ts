// Tables of a cell: the progress of imports. Data only.
export const transferTables: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "038-imports",
    sql: `
      -- An import of one source into one project. Ids of records are made from the salt: another run of the same source finds them.
      CREATE TABLE plinth.imports (
        project_id text NOT NULL REFERENCES plinth.projects (id),
        source text NOT NULL,
        label text NOT NULL,
        salt text NOT NULL,
        started_by text NOT NULL,
        started_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        PRIMARY KEY (project_id, source)
      );
      -- One at a time for each project.
      CREATE UNIQUE INDEX imports_open ON plinth.imports (project_id) WHERE finished_at IS NULL;

      -- How far each step has come. A row changes in the transaction of the batch that it tells of. The key is a value of the
      -- source, and goes when the import is finished.
      CREATE TABLE plinth.import_steps (
        project_id text NOT NULL,
        source text NOT NULL,
        step text NOT NULL,
        last_key text,
        read bigint NOT NULL DEFAULT 0,
        accepted bigint NOT NULL DEFAULT 0,
        refused bigint NOT NULL DEFAULT 0,
        checksum numeric NOT NULL DEFAULT 0,
        sent_checksum numeric NOT NULL DEFAULT 0,
        refused_checksum numeric NOT NULL DEFAULT 0,
        PRIMARY KEY (project_id, source, step),
        FOREIGN KEY (project_id, source) REFERENCES plinth.imports (project_id, source)
      );
    `,
  },
];
