// Reads the section `api`. In: its syntax, and the operator's limits. Out: the limits of the project's public API,
// within technical bounds and the operator's limits.
import type { ApiDeclaration } from "../declarations/declarations.ts";
import type { ApiLimits } from "../model/model.ts";
import type { Report } from "../text/report.ts";

type Key = ApiDeclaration["key"];

interface Limit {
  readonly name: keyof ApiLimits;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
  readonly unit: "count" | "bytes" | "milliseconds";
}

const limits: Readonly<Record<Key, Limit>> = {
  requests_per_second: { name: "requestsPerSecond", fallback: 100, min: 1, max: 10_000, unit: "count" },
  burst: { name: "burst", fallback: 200, min: 1, max: 20_000, unit: "count" },
  body_max: { name: "bodyBytesMax", fallback: 1_048_576, min: 1_024, max: 16_777_216, unit: "bytes" },
  page_max: { name: "pageMax", fallback: 100, min: 1, max: 1_000, unit: "count" },
  statement_timeout: { name: "statementMsMax", fallback: 2_000, min: 100, max: 30_000, unit: "milliseconds" },
};

const units: Readonly<Record<Limit["unit"], Readonly<Record<string, number>>>> = {
  count: { "": 1 },
  bytes: { "": 1, B: 1, KiB: 1_024, MiB: 1_048_576 },
  milliseconds: { ms: 1, s: 1_000 },
};

const bounds: Readonly<Record<Key, string>> = {
  requests_per_second: "Write a whole number from 1 to 10000.",
  burst: "Write a whole number from 1 to 20000.",
  body_max: "Write a number of bytes, from `1KiB` to `16MiB`.",
  page_max: "Write a whole number from 1 to 1000.",
  statement_timeout: "Write a duration from `100ms` to `30s`.",
};

export function checkApi(declared: readonly ApiDeclaration[], report: Report, most?: ApiLimits): ApiLimits {
  const found = new Map<Key, number>();
  for (const { key, value } of declared) {
    const limit = limits[key];
    // A number in quotes is a text.
    const amount = limit.unit === "count" && value.style !== "plain" ? null : amountOf(value.text, limit);
    if (amount === null) {
      report.add("invalid_limit", value.range, `\`${value.text}\` is not a valid value for \`${key}\`.`, bounds[key]);
      continue;
    }
    found.set(key, amount);
    const allowed = most?.[limit.name] ?? limit.max;
    if (amount > allowed) {
      const message = `\`${value.text}\` is more than the operator of this Plinth allows for \`${key}\`.`;
      report.add("invalid_limit", value.range, message, `The operator allows at most ${amountText(allowed, limit)}.`);
    }
  }
  const within = (key: Key, amount: number): number => Math.min(amount, most?.[limits[key].name] ?? amount);
  const amountFor = (key: Key): number => found.get(key) ?? within(key, limits[key].fallback);
  const rate = amountFor("requests_per_second");
  const burst = declared.find((one) => one.key === "burst");
  if (burst !== undefined && amountFor("burst") < rate)
    report.add(
      "invalid_limit",
      burst.value.range,
      `The burst of ${burst.value.text} is smaller than the ${rate} requests that are allowed in one second.`,
      "The burst is the number of requests that a caller can send at once. It must be at least `requests_per_second`.",
    );
  return {
    requestsPerSecond: rate,
    // A higher rate without a burst raises the burst too.
    burst:
      burst === undefined
        ? Math.max(amountFor("burst"), within("burst", Math.min(rate * 2, limits.burst.max)))
        : amountFor("burst"),
    bodyBytesMax: amountFor("body_max"),
    pageMax: amountFor("page_max"),
    statementMsMax: amountFor("statement_timeout"),
  };
}

/** In the largest unit that needs no fraction. */
function amountText(amount: number, { unit }: Limit): string {
  const [name, factor] = Object.entries(units[unit]).findLast(([, each]) => amount % each === 0) ?? ["", 1];
  return `\`${amount / factor}${name}\``;
}

function amountOf(text: string, { unit, min, max }: Limit): number | null {
  const match = /^(\d{1,9}) ?([A-Za-z]*)$/.exec(text);
  const factor = match === null ? undefined : units[unit][match[2] ?? ""];
  if (match === null || factor === undefined || !Object.hasOwn(units[unit], match[2] ?? "")) return null;
  const amount = Number(match[1]) * factor;
  return amount >= min && amount <= max ? amount : null;
}
