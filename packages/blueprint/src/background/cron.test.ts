// Cron expressions: the stored form, which every crontab parser accepts.
import { expect, it } from "vitest";
import { cronProblem, cronValues, storedCron } from "./cron.ts";

it.each([
  ["0/15 6/4 2/2 jan/3 *", "0-59/15 6-23/4 2-31/2 jan-12/3 *"],
  ["5/20,7 * * * 1/2", "5-59/20,7 * * * 1-6/2"],
  ["0 0 * * sun/2", "0 0 * * sun-6/2"],
  ["0 0 * * 7/2", "0 0 * * 7"],
  ["0 2 * * fri-sun", "0 2 * * fri-7"],
  ["0 2 * * SAT-SUN,wed", "0 2 * * SAT-7,wed"],
  ["0 2 * * sun-sun,7-sun", "0 2 * * sun-sun,7-7"],
  ["@daily", "0 0 * * *"],
  [" @Weekly ", "0 0 * * 0"],
  ["*/15  0-8/2 * * *", "*/15 0-8/2 * * *"],
])("a step after one value runs to the end of the range: `%s`", (cron, stored) => {
  expect(storedCron(cron)).toBe(stored);
  expect(cronValues(stored)).toEqual(cronValues(cron));
});

it.each([
  ["0 2 * * fri-mon", "The range `fri-mon` runs backwards: write `fri-sat,sun-mon`."],
  ["0 2 * * 5-0", "The range `5-0` runs backwards: write `5-6,0`."],
  ["0 22-2/2 * * *", "The range `22-2/2` runs backwards: write `22-23/2,0-2/2`."],
  ["0 2 * * monday", "`monday` is not a valid day of the week: 0 to 7, or sun to sat."],
  ["0 2 ? * mon", "Write `*` for every day of the month."],
  ["@reboot", "Known nicknames: @yearly"],
  ["@every 5m", "Known nicknames: @yearly"],
  ["0 0 2 * * *", "Seconds aren't supported"],
  ["noon", "The expression has 1 field instead of five"],
])("says what to write instead of `%s`", (cron, said) => {
  expect(cronProblem(cron)).toContain(said);
});
