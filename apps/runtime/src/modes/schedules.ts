// Schedules on a cell. In: a cell. Out: runs at their times, until the cell is closed. It looks once a second. If
// several processes do, the row of a schedule lets one of them start it.
import { createUuidV7 } from "@plinth/service";
import { createSignal } from "../events/signal.ts";
import { createWorkBudget, type WorkLimits } from "../events/work-budget.ts";
import { createScheduler, type Scheduler } from "../jobs/schedules.ts";
import type { Cell } from "./open-cell.ts";

const LOOK_MS = 1_000;

export function startSchedules(cell: Cell, workLimits?: WorkLimits): Scheduler {
  const { registry, logger, scopeOf } = cell;
  const pool = cell.openPool("schedules", 1, { statementTimeoutMs: 15_000 });
  const signal = createSignal(pool);
  const scheduler = createScheduler({
    pool,
    registry,
    scopeOf,
    budget: createWorkBudget(workLimits),
    newId: createUuidV7({ now: Date.now }),
    logger,
    now: Date.now,
  });
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  let going: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      if ((await scheduler.tick()) > 0) signal.raise();
    } catch (error) {
      if (!stopped) logger.warn({ err: error }, "schedules could not be looked up; it will be retried");
    }
    if (!stopped) timer = setTimeout(start, LOOK_MS);
  };
  const start = (): void => {
    going = look();
  };
  start();
  cell.onClose(async () => {
    stopped = true;
    if (timer !== null) clearTimeout(timer);
    await going;
    await signal.stop();
  });
  return scheduler;
}
