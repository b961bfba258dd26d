// What the platform does by itself, at its own times. In: a cell. Out: jobs, stopped with the cell.
// Where several processes run them, a lock lets one of them work.
import { createRetention, type Retention } from "../jobs/retention.ts";
import type { Cell } from "./open-cell.ts";

export function startPlatformJobs(cell: Cell): Retention {
  const retention = createRetention({ ...cell, pool: cell.openPool("platform jobs", 2) });
  cell.onClose(retention.stop);
  return retention;
}
