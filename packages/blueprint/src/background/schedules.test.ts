// Schedules: their form in the model, and their mistakes.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Schedule } from "../model/background.ts";

const worker =
  "project: demo\nmodules: [auth, users, roles, workers, audit_logs]\nworkers:\n  clean: { steps: [audit.write] }\n";
const schedule = (options: string): string => `${worker}schedules:\n  nightly: { ${options} }\n`;

function schedulesOf(options: string): readonly Schedule[] {
  const { model, diagnostics } = checkBlueprint(schedule(options));
  if (model === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return model.background.schedules;
}

describe("schedules", () => {
  test("are in the model with their defaults", () => {
    expect(schedulesOf('cron: "0  2 * * MON-FRI", run: clean')).toEqual([
      { name: "nightly", catchUp: "none", cron: "0 2 * * MON-FRI", overlap: "skip", run: "clean", timezone: "UTC" },
    ]);
    const all = 'cron: "0/5 0-6,22 1 jan,jul *", timezone: Europe/Berlin, run: clean, overlap: queue, catch_up: last';
    expect(schedulesOf(all)[0]).toMatchObject({
      overlap: "queue",
      catchUp: "last",
      timezone: "Europe/Berlin",
      cron: "0-59/5 0-6,22 1 jan,jul *",
    });
  });

  test.each([
    ['cron: "0 2 * *", run: clean', ["invalid_schedule"]],
    ['cron: "60 2 * * *", run: clean', ["invalid_schedule"]],
    ['cron: "0 24 * * *", run: clean', ["invalid_schedule"]],
    ['cron: "0 2 0 * *", run: clean', ["invalid_schedule"]],
    ['cron: "0 2 31 2,4 *", run: clean', ["invalid_schedule"]],
    ['cron: "0 2 29 2 *", run: clean', []],
    ['cron: "0 2 * 13 *", run: clean', ["invalid_schedule"]],
    ['cron: "0 2 * * 8", run: clean', ["invalid_schedule"]],
    ['cron: "5-2 2 * * *", run: clean', ["invalid_schedule"]],
    ['cron: "*/0 2 * * *", run: clean', ["invalid_schedule"]],
    ['cron: "*/60 */24 1/31 */12 */7", run: clean', []],
    ['cron: "*/61 2 * * *", run: clean', ["invalid_schedule"]],
    ['cron: "0 2-4/25 * * *", run: clean', ["invalid_schedule"]],
    ['cron: "0 2 * * */8", run: clean', ["invalid_schedule"]],
    ['cron: "0 2 * * 7/2", run: clean', []],
    ['cron: "0 0/25 * * *", run: clean', ["invalid_schedule"]],
    ['cron: "a 2 * * *", run: clean', ["invalid_schedule"]],
    ['cron: "0 2 * * *", run: clean, timezone: Europe/Berlinn', ["invalid_schedule"]],
    ['cron: "0 2 * * *", run: clean, timezone: "+02:00"', ["invalid_schedule"]],
    ['cron: "0 2 * * *", run: cleen', ["unknown_worker"]],
    ['cron: "0 2 * * *"', ["missing_key"]],
    ["run: clean", ["missing_key"]],
    ['cron: "0 2 * * *", run: clean, overlap: wait', ["invalid_option"]],
    ['cron: "0 2 * * *", run: clean, at: noon', ["unknown_key"]],
  ])("`%s`", (options, expected) =>
    expect(checkBlueprint(schedule(options)).diagnostics.map((one) => one.code)).toEqual(expected),
  );
});
