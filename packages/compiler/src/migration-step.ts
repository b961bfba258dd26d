// What a plan is made of before its steps are in order. In: slugs, summaries, SQL. Out: steps without their numbers; refusals.
// It never knows what is changed, nor why.
import type { LockMode, MigrationStep, SqlTemplate, StepClass, StepPhase } from "@plinth/bundle";

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

/** A step before its place in the plan is known; the slug becomes the end of its id. */
export type Step = WithoutId<MigrationStep> & { readonly slug: string };

export interface Refusal {
  /** `listings`, `listings.price`, or `listings.a+b` for a rule over two fields. */
  readonly path: string;
  /** One sentence for the author. */
  readonly reason: string;
}

/** What all kinds of steps say; what is left out is the least. */
export interface Facts {
  readonly slug: string;
  readonly summary: string;
  readonly phase: StepPhase;
  /** Of a table that stands already, by the name it has before the plan. */
  readonly table: string | null;
  readonly undo: string;
  readonly class?: StepClass;
  readonly lock?: LockMode;
  readonly rewrites?: boolean;
  readonly scans?: boolean;
}

type Completed = Required<Facts>;

export function facts(given: Facts): Completed {
  return { class: "safe", lock: "none", rewrites: false, scans: false, ...given };
}

/** In a transaction, which takes back what a broken try did. */
export function statement(given: Facts, sql: SqlTemplate): Step {
  return { kind: "statement", ...facts(given), sql, transactional: true, cleanup: null };
}

/** One statement outside a transaction, as CONCURRENTLY demands. It holds up neither readers nor writers. */
export function concurrent(given: Facts, sql: SqlTemplate, cleanup: SqlTemplate | null): Step {
  const lock: LockMode = "share update exclusive";
  return { kind: "statement", ...facts({ class: "online", lock, ...given }), sql, transactional: false, cleanup };
}
