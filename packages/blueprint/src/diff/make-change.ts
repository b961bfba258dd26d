// Builds a change: its classes in order, and its text. In: the findings of a part of the diff. Out: a `Change`.
import type { Change, ChangeClass, ChangeKind, CountedRecords, Witness } from "./change.ts";

const gravity: readonly ChangeClass[] = [
  "unsupported",
  "destructive",
  "loosens_access",
  "widens_egress",
  "breaking",
  "data_dependent",
  "rewrite",
  "backfill",
  "online",
  "safe",
];

/** Each class once, the gravest first; `safe` only alone. */
export function classesOf(found: Iterable<ChangeClass>): readonly ChangeClass[] {
  const all = new Set(found);
  const grave = gravity.filter((one) => one !== "safe" && all.has(one));
  return grave.length === 0 ? ["safe"] : grave;
}

export interface Found {
  readonly kind: ChangeKind;
  readonly path: string;
  readonly summary: string;
  readonly classes: Iterable<ChangeClass>;
  /** Undefined if there was nothing before. */
  readonly before?: unknown;
  readonly after?: unknown;
  readonly witness?: Witness | null | undefined;
  readonly counted?: CountedRecords | null;
}

export function changeOf({ kind, path, summary, classes, before, after, witness, counted }: Found): Change {
  return {
    kind,
    path,
    summary,
    classes: classesOf(classes),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(witness === undefined || witness === null ? {} : { witness }),
    ...(counted === undefined || counted === null ? {} : { counted }),
  };
}

/** One part of a change's sentence, with its classes. */
export interface Part {
  readonly text: string;
  readonly classes: readonly ChangeClass[];
}

/** `a`, `b` and `c`, each in backticks. */
export function named(names: readonly string[], joiner = "and"): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.at(-1);
  if (last === undefined || quoted.length === 1) return last ?? "";
  return `${quoted.slice(0, -1).join(", ")} ${joiner} ${last}`;
}

/** Whether two declarations are equal, whatever the order of their keys. */
export function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}
