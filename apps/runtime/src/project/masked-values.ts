// Masks values for people who look at a run, wherever the values appear. In: values, as they are and as names and
// templates mask them. Out: other values with the same personal data masked. This is needed because another service may
// return the data that it received, under other names. Values beyond the search limit are never shown.
import { MASK } from "./mask.ts";
import type { Mask, WorkMasks } from "./work-masks.ts";

export interface MaskedValues {
  /** Remembers what was masked. Returns `shown`. */
  learn(value: unknown, shown: unknown): unknown;
  /** Masks all remembered values in it: in texts, in names of members, and as numbers. */
  apply(value: unknown): unknown;
}

/** Minimum length to search for within a text. Shorter values occur in too many words. */
const WITHIN_MIN = 5;
/** Minimum length to search for as a whole text. */
const WHOLE_MIN = 3;
/** Maximum number of remembered values. */
const KNOWN_MAX = 10_000;
/** Maximum visited places and compared values in one answer, about a fifth of a second. */
const LOOKS_MAX = 3_000_000;

export function createMaskedValues(): MaskedValues {
  const known = new Set<string>();
  let byStart: ReadonlyMap<string, readonly string[]> | null = null;
  let left = LOOKS_MAX;

  const remember = (text: string): void => {
    if (text.length < WHOLE_MIN || text === MASK || known.size > KNOWN_MAX) return;
    for (const form of [text, encodeURIComponent(text.toWellFormed()), JSON.stringify(text).slice(1, -1)]) {
      known.add(folded(form));
    }
    byStart = null;
  };

  const collect = (value: unknown): void => {
    if (typeof value === "string") remember(value);
    else if (typeof value === "number") remember(String(value));
    else if (typeof value === "object" && value !== null) for (const member of Object.values(value)) collect(member);
  };

  const learn = (value: unknown, shown: unknown): void => {
    if (shown === MASK) {
      collect(value);
      return;
    }
    if (typeof value !== "object" || value === null || typeof shown !== "object" || shown === null) return;
    const shownMembers = shown as Readonly<Record<string, unknown>>;
    for (const [name, member] of Object.entries(value)) learn(member, shownMembers[name]);
  };

  const within = (text: string): string => {
    const plain = folded(text);
    if (known.has(plain) || known.size > KNOWN_MAX) return MASK;
    byStart ??= startsOf(known);
    let maskedText = "";
    let from = 0;
    for (let at = 0; at + WITHIN_MIN <= plain.length; ) {
      const candidates = byStart.get(plain.slice(at, at + WITHIN_MIN)) ?? [];
      left -= 1 + candidates.length;
      if (left < 0) return MASK;
      const found = candidates.find((one) => plain.startsWith(one, at));
      if (found === undefined) {
        at++;
        continue;
      }
      maskedText += text.slice(from, at) + MASK;
      at += found.length;
      from = at;
    }
    return maskedText + text.slice(from);
  };

  const apply = (value: unknown): unknown => {
    if (typeof value === "string") return within(value);
    if (typeof value === "number") return known.has(String(value)) ? MASK : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(apply);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [within(name), apply(member)]));
  };

  return {
    learn(value, shown) {
      learn(value, shown);
      return shown;
    },
    apply: (value) => (known.size === 0 ? value : apply(value)),
  };
}

export interface EventParts {
  readonly name: string;
  readonly record: unknown;
  readonly old: unknown;
  readonly data: unknown;
}

/** An event's data as it is shown. Its masked values are remembered. */
export function shownEvent(
  { name, record, old, data }: EventParts,
  masks: WorkMasks,
  values: MaskedValues,
): Pick<EventParts, "record" | "old" | "data"> {
  const show = (value: unknown, mask: Mask): unknown => values.learn(value, masks.apply(value, mask));
  return { record: show(record, null), old: show(old, null), data: show(data, masks.event(name)) };
}

/** Grouped by their beginnings, the longest first, because one value may be the beginning of another. */
function startsOf(known: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const within = [...known].filter(({ length }) => length >= WITHIN_MIN).sort((a, b) => b.length - a.length);
  return Map.groupBy(within, (text) => text.slice(0, WITHIN_MIN));
}

/** Ignores case, because addresses often return in lower case. Each character keeps its position. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
