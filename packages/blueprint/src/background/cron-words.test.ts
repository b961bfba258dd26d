// Cron expressions in words.
import { expect, it } from "vitest";
import { cronInWords } from "./cron-words.ts";

it.each([
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["0 * * * *", "every hour"],
  ["5 * * * *", "every hour at minute 5"],
  ["0 */6 * * *", "at 00:00, 06:00, 12:00 and 18:00 every day"],
  ["0 */2 * * *", "every 2 hours"],
  ["0 2 * * *", "at 02:00 every day"],
  ["30 8,20 * * *", "at 08:30 and 20:30 every day"],
  ["0 9 * * 1-5", "at 09:00, Monday to Friday"],
  ["0 9 * * mon", "at 09:00, on Monday"],
  ["0 9 * * 7", "at 09:00, on Sunday"],
  ["0 9 * * 0,6", "at 09:00, on Sunday and Saturday"],
  ["0 9-17 * * 1-5", "every hour from 09:00 to 17:00, Monday to Friday"],
  ["*/10 9-17 * * *", "every 10 minutes from 09:00 to 17:50"],
  ["0 2 1 * *", "at 02:00, on the 1st"],
  ["0 2 1,15,22 * *", "at 02:00, on the 1st, 15th and 22nd"],
  ["0 2 1 jan *", "at 02:00, on the 1st, in January"],
  ["0 2 1 * mon", "at 02:00, on the 1st or on Monday"],
  ["0 2 1-31 * mon", "at 02:00 every day"],
  ["0 2 13 * 0-6", "at 02:00 every day"],
  ["0 2 */1 * *", "at 02:00 every day"],
  ["0 2 * * 1/2", "at 02:00, on Monday, Wednesday and Friday"],
  ["0 2 * 6-8 *", "at 02:00 in June, July and August"],
  ["1,2,4,8,16 * * * *", "at the minutes 1, 2, 4, 8 and 16"],
  ["1,2,4 3,5 * * *", "at the minutes 1, 2 and 4 of the hours 3 and 5"],
  ["not a cron", "not a cron"],
])("%s is %s", (cron, words) => {
  expect(cronInWords(cron)).toBe(words);
});
