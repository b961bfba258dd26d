// Schedules: which ticks there are at changes of the clock, and that each starts one run, whatever the number of
// processes.
import { createUuidV7 } from "@plinth/service";
import { afterEach, describe, expect, it } from "vitest";
import { createWorkBudget, type WorkLimits } from "../events/work-budget.ts";
import { countMissed, nextDue, nextTick, ticksOf } from "../schedules/ticks.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "../workflows/testing/work-cell.ts";
import { createScheduler, type Scheduler } from "./schedules.ts";

const at = (text: string): number => Date.parse(text);
const iso = (ticks: readonly number[]): readonly string[] => ticks.map((tick) => new Date(tick).toISOString());

describe("the next tick", () => {
  const berlin = { cron: "30 2 * * *", timezone: "Europe/Berlin" };
  it("is found for every expression that the language accepts", () => {
    expect(nextTick({ cron: "5/10 * * * *", timezone: "UTC" }, at("2026-07-01T12:06:00Z"))?.toISOString()).toBe(
      "2026-07-01T12:15:00.000Z",
    );
  });
  it("is computed in its time zone", () => {
    expect(nextTick(berlin, at("2026-07-01T12:00:00Z"))?.toISOString()).toBe("2026-07-02T00:30:00.000Z");
    expect(nextTick(berlin, at("2026-01-01T12:00:00Z"))?.toISOString()).toBe("2026-01-02T01:30:00.000Z");
  });
  it("comes directly after the gap when the clock is put forward", () => {
    // 02:00 becomes 03:00 on 29 March 2026: half past two does not exist.
    expect(nextTick(berlin, at("2026-03-28T12:00:00Z"))?.toISOString()).toBe("2026-03-29T01:00:00.000Z");
  });
  it("comes once when the clock is put back", () => {
    // Half past two comes twice on 25 October 2026.
    const first = nextTick(berlin, at("2026-10-24T12:00:00Z"));
    expect(first?.toISOString()).toBe("2026-10-25T00:30:00.000Z");
    expect(nextTick(berlin, first?.getTime() ?? 0)?.toISOString()).toBe("2026-10-26T01:30:00.000Z");
  });
});

describe("between Saturday noon and Monday noon, when the clocks change,", () => {
  const [spring, autumn] = [at("2026-03-28T11:00:00Z"), at("2026-10-24T10:00:00Z")];
  const ticks = (cron: string, from: number): readonly string[] =>
    iso(ticksOf({ cron, timezone: "Europe/Berlin", catchUp: "all" }, from, from + 47 * 3_600_000)).slice(1);
  it.each([
    // The hour from two to three does not exist.
    ["30 2 * * *", spring, ["03-29T01:00", "03-30T00:30"]],
    ["0,30 2 * * *", spring, ["03-29T01:00", "03-30T00:00", "03-30T00:30"]],
    [
      "30 1-3 * * *",
      spring,
      ["03-29T00:30", "03-29T01:00", "03-29T01:30", "03-29T23:30", "03-30T00:30", "03-30T01:30"],
    ],
    // It comes twice.
    ["30 2 * * *", autumn, ["10-25T00:30", "10-26T01:30"]],
    ["0,30 2 * * *", autumn, ["10-25T00:00", "10-25T00:30", "10-26T01:00", "10-26T01:30"]],
  ] as const)("%s", (cron, from, expected) => {
    expect(ticks(cron, from).map((tick) => tick.slice(5, 16))).toEqual(expected);
  });
  it.each([spring, autumn])("an hourly schedule runs every hour that passes", (from) => {
    const hours = ticks("15 * * * *", from).map(at);
    expect(hours.length).toBe(47);
    expect(hours.slice(1).every((hour, before) => hour - (hours[before] ?? 0) === 3_600_000)).toBe(true);
  });
});

describe("missed ticks", () => {
  const hourly = { cron: "0 * * * *", timezone: "UTC" };
  const missed = [at("2026-05-01T10:00:00Z"), at("2026-05-01T13:30:00Z")] as const;
  it.each([
    ["none", []],
    ["last", ["2026-05-01T13:00:00.000Z"]],
    [
      "all",
      ["2026-05-01T10:00:00.000Z", "2026-05-01T11:00:00.000Z", "2026-05-01T12:00:00.000Z", "2026-05-01T13:00:00.000Z"],
    ],
  ] as const)("catch_up %s", (catchUp, ticks) => {
    expect(iso(ticksOf({ ...hourly, catchUp }, ...missed))).toEqual(ticks);
  });
  it("after a long outage, only the last ones are searched", () => {
    const counted = { cron: "* * * * *", timezone: "UTC", catchUp: "last" } as const;
    const now = at("2026-05-01T00:00:00Z");
    expect(ticksOf(counted, at("1990-01-01T00:00:00Z"), now)).toEqual([now - 60_000, now]);
  });
  it("`all` catches up in parts, the oldest first, and leaves out none", () => {
    const counted = { cron: "* * * * *", timezone: "UTC", catchUp: "all" } as const;
    const now = at("2026-05-01T00:00:00Z");
    const first = now - 249 * 60_000;
    const all: number[] = [];
    for (let next: number | null = first; next !== null && next <= now; ) {
      const ticks = ticksOf(counted, next, now);
      expect(ticks.length).toBeLessThanOrEqual(100);
      all.push(...ticks);
      next = nextDue(counted, ticks, now)?.getTime() ?? null;
    }
    expect(all).toEqual(Array.from({ length: 250 }, (_, n) => first + n * 60_000));
    expect(countMissed(counted, first, now)).toBe(250);
    expect(countMissed(counted, at("1990-01-01T00:00:00Z"), now)).toBe(1_000);
    const yearly = iso(ticksOf({ ...counted, cron: "0 0 1 1 *" }, at("2024-01-01T00:00:00Z"), now));
    expect(yearly.map((tick) => tick.slice(0, 10))).toEqual(["2024-01-01", "2025-01-01", "2026-01-01"]);
  });
  it("a tick that is a moment late doesn't count as missed", () => {
    const ticks = ticksOf({ ...hourly, catchUp: "none" }, at("2026-05-01T10:00:00Z"), at("2026-05-01T10:00:20Z"));
    expect(iso(ticks)).toEqual(["2026-05-01T10:00:00.000Z"]);
  });
});

describe("a schedule", () => {
  let work: WorkCell | null = null;
  afterEach(async () => {
    await work?.close();
    work = null;
  });

  async function open(
    overlap: "skip" | "queue" | "allow",
    waitMs = 0,
    catchUp: "none" | "all" = "none",
  ): Promise<WorkCell> {
    const steps =
      waitMs === 0
        ? [stepOf("note", { kind: "audit.write", note: { kind: "literal", value: "ran" } })]
        : [stepOf("pause", { kind: "wait", forMs: waitMs })];
    work = await openWorkCell("project: desk\nmodules: [auth, users, roles, workers, audit_logs]\nentities: {}\n", {
      workflows: [workflowOf({ name: "digest", on: [], steps })],
      schedules: [{ name: "nightly", cron: "* * * * *", timezone: "UTC", run: "digest", overlap, catchUp }],
    });
    return work;
  }

  function schedulerAt(cell: WorkCell, now: () => number, limits?: WorkLimits): Scheduler {
    const { pool, registry, scopeOf, logger } = cell.cell;
    const budget = createWorkBudget(limits);
    return createScheduler({ pool, registry, scopeOf, newId: createUuidV7({ now: Date.now }), logger, now, budget });
  }

  const runs = "SELECT workflow, status, input->>'tick' AS tick FROM {schema}.workers__runs ORDER BY seq";

  it("starts one run for each tick, however many processes look at once", async () => {
    const cell = await open("allow");
    let now = at("2026-05-01T10:00:30Z");
    const schedulers = [schedulerAt(cell, () => now), schedulerAt(cell, () => now), schedulerAt(cell, () => now)];
    for (let minute = 0; minute < 4; minute++) {
      await Promise.all(schedulers.flatMap((each) => [each.tick(), each.tick()]));
      now += 60_000;
    }
    await cell.settled();
    const ticks = ["10:01", "10:02", "10:03"].map((time) => `2026-05-01T${time}:00.000Z`);
    expect(await cell.sql(runs)).toEqual(ticks.map((tick) => ({ workflow: "digest", status: "completed", tick })));
  });

  it("skips a tick while the last run has not ended", async () => {
    const cell = await open("skip", 60_000);
    let now = at("2026-05-01T10:00:30Z");
    const scheduler = schedulerAt(cell, () => now);
    for (let minute = 0; minute < 4; minute++) {
      await scheduler.tick();
      now += 60_000;
    }
    expect(await cell.sql("SELECT count(*)::int AS runs FROM {schema}.workers__runs")).toEqual([{ runs: 1 }]);
  });

  it("starts due schedules after any number of schedules that can't start", async () => {
    const cell = await open("allow");
    let now = at("2026-05-01T10:00:30Z");
    const scheduler = schedulerAt(cell, () => now);
    await scheduler.tick();
    await cell.sql(
      `INSERT INTO plinth.schedules (project_id, name, cron, timezone)
       SELECT $1, 'broken-' || n, 'never', 'UTC' FROM generate_series(1, 120) n`,
      [cell.projectId],
    );
    now += 60_000;
    expect(await scheduler.tick()).toBe(1);
  });

  it.each([
    ["queue", ["10:00", "10:01", "10:02", "10:03"], ["running", "queued", "queued", "queued"]],
    ["allow", ["10:00", "10:01", "10:02", "10:03"], ["running", "running", "running", "running"]],
  ] as const)("catches up after an outage, with overlap %s", async (overlap, times, statuses) => {
    const cell = await open(overlap, 60_000, "all");
    await schedulerAt(cell, () => at("2026-05-01T09:59:30Z")).tick();
    await schedulerAt(cell, () => at("2026-05-01T10:03:30Z")).tick();
    await expect
      .poll(async () =>
        (await cell.sql(runs)).map(({ tick, status }) => [tick, status === "waiting" ? "running" : status]),
      )
      .toEqual(times.map((time, n) => [`2026-05-01T${time}:00.000Z`, statuses[n]]));
  });

  it("stores a tick as a failed run if the project has too many runs, without starting it", async () => {
    const cell = await open("allow", 60_000, "all");
    const limits = { openRunsMax: 2, openWaitsMax: 100 };
    await schedulerAt(cell, () => at("2026-05-01T09:59:30Z"), limits).tick();
    await schedulerAt(cell, () => at("2026-05-01T10:03:30Z"), limits).tick();
    const found = await cell.sql(
      `SELECT error->>'code' AS code, ended_at IS NOT NULL AS ended FROM {schema}.workers__runs ORDER BY seq`,
    );
    const [begun, refused] = [
      { code: null, ended: false },
      { code: "too_many_runs", ended: true },
    ];
    expect(found).toEqual([begun, begun, refused, refused]);
    expect(await cell.sql("SELECT count(*)::int AS n FROM plinth.due_runs")).toEqual([{ n: 2 }]);
    // The owner sees it with the schedule.
    expect(
      await cell.sql(
        `SELECT r.status FROM plinth.schedules s JOIN {schema}.workers__runs r ON r.id = s.last_run_id WHERE s.name = 'nightly'`,
      ),
    ).toEqual([{ status: "failed" }]);
  });
});
