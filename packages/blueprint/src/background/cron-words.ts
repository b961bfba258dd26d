// Prints a cron expression in words. In: five valid fields. Out: a phrase such as "at 02:00, Monday to Friday"; if
// there is no short phrase, it lists the values.
import { cronValues } from "./cron.ts";

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = "January February March April May June July August September October November December".split(" ");
/** With more times of day than this, minutes and hours are listed separately. */
const TIMES_MAX = 4;

export function cronInWords(cron: string): string {
  const values = cronValues(cron);
  if (typeof values === "string") return cron;
  const [minute = [], hour = [], day = [], month = [], weekday = []] = values.map(sorted);
  const week = sorted(weekday.map((each) => each % 7));
  const [, , dayText, , weekdayText] = cron.trim().split(/\s+/);
  // If both are given, one of them is enough (crontab(5)): `1-31` together with a Monday is every day.
  const isAnyDay = dayText !== "*" && weekdayText !== "*" && (day.length === 31 || week.length === 7);
  const days = isAnyDay ? null : dayWords(day, week);
  const inMonths = month.length === 12 ? null : `in ${listed(month, (at) => months[at - 1] ?? "")}`;
  const time = timeWords(minute, hour);
  const isAtTimes = minute.length * hour.length <= TIMES_MAX;
  const parts = [time, days ?? (isAtTimes && inMonths === null ? "every day" : null), inMonths];
  const phrases = parts.filter((part) => part !== null);
  // "at 02:00 every day", but "at 02:00, Monday to Friday".
  return days === null && isAtTimes ? phrases.join(" ") : phrases.join(", ");
}

function timeWords(minute: readonly number[], hour: readonly number[]): string {
  const [first = 0] = minute;
  if (minute.length * hour.length <= TIMES_MAX) {
    const times = hour.flatMap((at) => minute.map((past) => clock(at, past)));
    return `at ${listed(times, (time) => time)}`;
  }
  const step = stepOf(minute, 60);
  const every = step === 1 ? "every minute" : step === null || step === 60 ? null : `every ${step} minutes`;
  if (every !== null && hour.length === 24) return every;
  if (minute.length === 1) {
    const past = first === 0 ? "" : ` at minute ${first}`;
    const hours = stepOf(hour, 24);
    if (hours === 1) return `every hour${past}`;
    if (hours !== null) return `every ${hours} hours${past}`;
    if (isRange(hour)) return `every hour from ${clock(hour[0] ?? 0, first)} to ${clock(hour.at(-1) ?? 0, first)}`;
    return `at ${listed(hour, (at) => clock(at, first))}`;
  }
  if (every !== null && isRange(hour)) {
    return `${every} from ${clock(hour[0] ?? 0, 0)} to ${clock(hour.at(-1) ?? 0, minute.at(-1) ?? 0)}`;
  }
  const minutes = every ?? `at the minutes ${listed(minute, String)}`;
  return hour.length === 24 ? minutes : `${minutes} of the hours ${listed(hour, String)}`;
}

/** Null for every day. */
function dayWords(day: readonly number[], weekday: readonly number[]): string | null {
  const ofMonth = day.length === 31 ? null : `on the ${listed(day, ordinal)}`;
  const ofWeek = weekday.length === 7 ? null : weekdayWords(weekday);
  if (ofMonth !== null && ofWeek !== null) return `${ofMonth} or ${ofWeek}`;
  return ofMonth ?? ofWeek;
}

function weekdayWords(weekday: readonly number[]): string {
  const name = (at: number): string => weekdays[at] ?? "";
  if (weekday.length > 2 && isRange(weekday)) return `${name(weekday[0] ?? 0)} to ${name(weekday.at(-1) ?? 0)}`;
  return `on ${listed(weekday, name)}`;
}

function sorted(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((one, other) => one - other);
}

function isRange(values: readonly number[]): boolean {
  return values.every((value, at) => value === (values[0] ?? 0) + at);
}

/** The distance between the values if they are evenly spaced from 0 on; otherwise null. */
function stepOf(values: readonly number[], size: number): number | null {
  const step = size / values.length;
  return Number.isInteger(step) && values.every((value, at) => value === at * step) ? step : null;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function ordinal(day: number): string {
  const ending = day % 10 === 1 && day !== 11 ? "st" : day % 10 === 2 && day !== 12 ? "nd" : "th";
  return `${day}${day % 10 === 3 && day !== 13 ? "rd" : ending}`;
}

function listed<Item>(items: readonly Item[], word: (item: Item) => string): string {
  const words = items.map(word);
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
