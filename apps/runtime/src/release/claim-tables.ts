// The tables of the processes that execute runs. In: nothing. Out: migrations of the cell's own tables.
export const claimTables: readonly { readonly id: string; readonly sql: string }[] = [
  {
    id: "043-claims-of-processes",
    sql: `
      -- Processes that execute runs. Those whose last heartbeat is long ago are dead: others continue their runs.
      CREATE TABLE plinth.work_processes (
        id uuid PRIMARY KEY,
        beat_at timestamptz NOT NULL,
        -- The names under which it has locked jobs of the job queue.
        queue_workers text[] NOT NULL,
        -- Calls in progress, by project.
        calls jsonb NOT NULL
      );
      -- Numbers of claims. A run stores that of its last claim, and refuses writes of earlier ones. They begin above
      -- every number that a run has counted by itself.
      CREATE SEQUENCE plinth.run_fence START 1000000000;
      ALTER TABLE plinth.due_runs ADD COLUMN holder uuid;
    `,
  },
];
