// Jobs that a worker thread must survive, or end by. In: nothing. Out: nothing, or too much. For tests alone.
import type { Proposal, Proposed } from "../jobs.ts";

export function greet({ name }: { readonly name: string }): string {
  return `hello ${name}`;
}

export function spin(): never {
  for (;;);
}

export function hoard(): number {
  const kept: unknown[] = [];
  for (;;) kept.push({ more: Array.from({ length: 1_000 }, () => ({})) });
}

/** A comparison that never ends, and a plan without it. */
export function propose({ comparing }: Proposal): Proposed {
  return comparing === "rules" ? spin() : { kind: "too_old" };
}

/** The workshop's first job. */
export function validate(): null {
  return null;
}
