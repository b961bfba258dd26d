// Checks a cron expression. In: its five fields. Out: the problem, or the values of each field, or the stored form. The
// fields are minute, hour, day of the month, month, day of the week, with lists, ranges and steps, names of months and
// days, and nicknames such as `@daily`.

const fields: readonly {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of the month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { name: "day of the week", min: 0, max: 7, names: "sun mon tue wed thu fri sat".split(" ") },
];

/** The nicknames of crontab(5) except `@reboot`, which is not a time. */
const nicknames: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** The maximum length of each month, to find days such as the 31st of February. */
const daysOfMonths: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function cronProblem(text: string): string | null {
  const values = cronValues(text);
  if (typeof values === "string") return values;
  const [, , days = [], months = []] = values;
  const everyWeekday = partsOf(text)[4] === "*";
  const happens = months.some((month) => days.some((day) => day <= (daysOfMonths[month - 1] ?? 0)));
  return everyWeekday && !happens ? "No month has this day." : null;
}

/** Minute, hour, day of the month, month and day of the week as they are written; or the problem. */
export function cronValues(text: string): readonly (readonly number[])[] | string {
  const parts = partsOf(text);
  if (parts.length !== fields.length) return countProblem(parts);
  const values: (readonly number[])[] = [];
  for (const [index, field] of fields.entries()) {
    const found = valuesOf(parts[index] ?? "", field);
    if (typeof found === "string") return found;
    values.push(found);
  }
  return values;
}

function countProblem(parts: readonly string[]): string {
  const [first = ""] = parts;
  if (first.startsWith("@"))
    return `Known nicknames: ${[...nicknames.keys()].join(", ")}. Write other times with five fields: \`*/5 * * * *\`.`;
  const order = "minute, hour, day of the month, month, day of the week";
  const seconds = parts.length === 6 ? " Seconds aren't supported: remove the first field." : "";
  return `The expression has ${parts.length} ${parts.length === 1 ? "field" : "fields"} instead of five: ${order}.${seconds}`;
}

/**
 * The stored form: nicknames become fields, `fri-sun` becomes `fri-7`, and `5/15` becomes `5-59/15`, because not every
 * cron reader accepts a step after a single value.
 */
export function storedCron(text: string): string {
  const stored = partsOf(text).map((part, index) =>
    part
      .replace(/(^|,)(?!sun-|0-)([a-z0-9]+)-sun(?![a-z])/gi, "$1$2-7")
      .replace(/(^|,)([a-z0-9]+)\/(\d+)/gi, (_, before: string, from: string, step: string) => {
        const end = lastOf(fields[index]);
        // Sunday can be written as 7, after the end of the week.
        return Number(from) > end ? `${before}${from}` : `${before}${from}-${end}/${step}`;
      }),
  );
  return stored.join(" ");
}

/** The last value that a step reaches: a week ends on Saturday, although Sunday can be 7. */
function lastOf(field: (typeof fields)[number] | undefined): number {
  const max = field?.max ?? 0;
  return max === 7 ? 6 : max;
}

function partsOf(text: string): readonly string[] {
  const trimmed = text.trim();
  return (nicknames.get(trimmed.toLowerCase()) ?? trimmed).split(/\s+/);
}

function valuesOf(text: string, field: (typeof fields)[number]): readonly number[] | string {
  const { name, min, max, names } = field;
  const found: number[] = [];
  for (const part of text.split(",")) {
    const match = /^(?:(\*)|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/i.exec(part);
    if (match === null) return part === "?" ? `Write \`*\` for every ${name}.` : `\`${part}\` is not a valid ${name}.`;
    const number = (word: string | undefined): number => {
      const at = names?.indexOf(word?.toLowerCase() ?? "") ?? -1;
      return at === -1 ? Number(word) : at + min;
    };
    const from = match[1] === "*" ? min : number(match[2]);
    const step = match[4] === undefined ? null : Number(match[4]);
    const isOpen = match[1] === "*" || (match[3] === undefined && step !== null);
    const last = number(match[3] ?? match[2]);
    // If the range ends on Sunday, the week ends there: `fri-sun`.
    const end = max === 7 && from > 0 && match[3]?.toLowerCase() === "sun" ? 7 : last;
    const to = isOpen ? Math.max(from, lastOf(field)) : end;
    const areWithin = [from, to].every((value) => value >= min && value <= max);
    if (areWithin && from > to) return `The range \`${part}\` runs backwards: write \`${aroundTheEnd(match, field)}\`.`;
    if (!areWithin) return `\`${part}\` is not a valid ${name}: ${rangeOf(field)}.`;
    if (step === 0) return `The step of \`${part}\` is zero.`;
    const size = lastOf(field) - min + 1;
    if (step !== null && step > size)
      return `The step of \`${part}\` is larger than the range of the ${name}: ${size}.`;
    for (let value = from; value <= to; value += step ?? 1) found.push(value);
  }
  return found;
}

/** `22-2` as `22-23,0-2`, and `sat-mon` as `sat,sun-mon`. */
function aroundTheEnd([, , from = "", to = "", step]: RegExpExecArray, field: (typeof fields)[number]): string {
  const { min, names } = field;
  const word = (value: number): string => names?.[value - min] ?? String(value);
  const every = step === undefined ? "" : `/${step}`;
  const part = (one: string, other: string): string =>
    one.toLowerCase() === other.toLowerCase() ? one : `${one}-${other}${every}`;
  const isNamed = /[a-z]/i.test(from);
  return `${part(from, isNamed ? word(lastOf(field)) : String(lastOf(field)))},${part(isNamed ? word(min) : String(min), to)}`;
}

function rangeOf({ min, max, names }: (typeof fields)[number]): string {
  return names === undefined ? `${min} to ${max}` : `${min} to ${max}, or ${names[0]} to ${names.at(-1)}`;
}
