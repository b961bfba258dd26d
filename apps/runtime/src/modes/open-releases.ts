// Opens the parts of a cell that deployments need: separate connections, and the migrator. In: a cell. Out: both,
// closed with the cell. If several processes have a migrator, the project's lock lets one of them work.
import type { Pool } from "pg";
import { createMigrator, type Migrator, type MigratorOptions } from "../release/migrate.ts";
import type { Cell } from "./open-cell.ts";

export interface Releases {
  readonly migrator: Migrator;
  readonly measurePool: Pool;
}

export interface ReleasesOptions {
  /** For a test that stops the cell between two steps of a plan. */
  readonly beforeStep?: MigratorOptions["beforeStep"];
}

export function openReleases(cell: Cell, { beforeStep }: ReleasesOptions = {}): Releases {
  const { scope, registry, logger } = cell;
  const migrator = createMigrator({
    pool: cell.openPool("migrations", 3),
    logger,
    ...(beforeStep === undefined ? {} : { beforeStep }),
    onActivated: (projectId) => {
      scope.forget(projectId);
      registry.refresh(projectId);
    },
  });
  cell.onClose(migrator.stop);
  return { migrator, measurePool: cell.openPool("measure", 2) };
}
