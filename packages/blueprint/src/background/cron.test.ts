// Cron expressions: the form that is stored, which every reader of crontabs takes.
import { expect, it } from "vitest";
import { cronValues, storedCron } from "./cron.ts";

it.each([
  ["0/15 6/4 2/2 jan/3 *", "0-59/15 6-23/4 2-31/2 jan-12/3 *"],
  ["5/20,7 * * * 1/2", "5-59/20,7 * * * 1-6/2"],
  ["0 0 * * sun/2", "0 0 * * sun-6/2"],
  ["0 0 * * 7/2", "0 0 * * 7"],
  ["*/15  0-8/2 * * *", "*/15 0-8/2 * * *"],
])("a step behind one value goes to the end of its field: `%s`", (cron, stored) => {
  expect(storedCron(cron)).toBe(stored);
  expect(cronValues(stored)).toEqual(cronValues(cron));
});
