// The parts of a plan before its steps are ordered. In: slugs, stages, summaries, SQL. Out: ordered, numbered steps. It
// doesn't know what is changed, or why.
import type { LockMode, MigrationStep, SqlTemplate, StepClass, StepPhase } from "@plinth/bundle";

export type Stage =
  | "verify"
  | "create"
  | "add"
  | "feed"
  | "backfill"
  | "prove"
  | "index"
  | "refer"
  | "guard"
  | "unfeed"
  | "loosen"
  | "set_aside"
  | "restore"
  | "move"
  | "rename"
  | "settle"
  | "tighten"
  | "create_late"
  | "refer_late"
  | "build"
  | "validate"
  | "finish"
  | "sweep";

/**
 * The order of a plan, for all tables. Up to `guard` the old release serves and everything has its old name; from
 * `settle` on, its new one. The stages of the switch are one transaction.
 */
const stages: Readonly<Record<Stage, StepPhase>> = {
  /** Problems that can stop the deployment are found before anything is changed. */
  verify: "before",
  create: "before",
  add: "before",
  feed: "before",
  backfill: "before",
  prove: "before",
  index: "before",
  refer: "before",
  /** The first check is under a lock that blocks writers until the switch is done. */
  guard: "switch",
  unfeed: "switch",
  loosen: "switch",
  set_aside: "switch",
  restore: "switch",
  move: "switch",
  rename: "switch",
  settle: "switch",
  tighten: "switch",
  create_late: "switch",
  refer_late: "switch",
  build: "after",
  validate: "after",
  finish: "after",
  sweep: "after",
};

type Unplaced<T> = T extends unknown ? Omit<T, "id" | "phase"> : never;

/** A step before its place in the plan is known; the slug becomes the end of its id. */
export type Step = Unplaced<MigrationStep> & { readonly slug: string; readonly stage: Stage };

export interface Refusal {
  /** `listings`, `listings.price`, or `listings.a+b` for a constraint over two fields. */
  readonly path: string;
  /** One sentence for the author. */
  readonly reason: string;
}

/** Defaults for all kinds of steps. */
export interface Facts {
  readonly slug: string;
  readonly stage: Stage;
  readonly summary: string;
  /** For an existing table, by its name before the plan. */
  readonly table: string | null;
  readonly undo: string;
  readonly class?: StepClass;
  readonly lock?: LockMode;
  readonly rewrites?: boolean;
  readonly scans?: boolean;
}

export const NOTHING_TO_UNDO = "Nothing is changed, so nothing has to be undone.";
export const UNDO_BY_DEPLOY = "Deploy the previous version: this change is reversed.";

export function facts(given: Facts): Required<Facts> {
  return { class: "safe", lock: "none", rewrites: false, scans: false, ...given };
}

/** In a transaction, which rolls back a failed attempt. */
export function statement(given: Facts, sql: SqlTemplate): Step {
  return { kind: "statement", ...facts(given), sql, transactional: true, cleanup: null };
}

/** The usual change of a table's catalog: short, under the strongest lock. */
export function alteration(given: Facts, sql: SqlTemplate): Step {
  return statement({ lock: "access exclusive", ...given }, sql);
}

/** One statement outside a transaction, which CONCURRENTLY requires. It blocks neither readers nor writers. */
export function concurrent(given: Facts, sql: SqlTemplate, cleanup: SqlTemplate | null): Step {
  const lock: LockMode = "share update exclusive";
  return { kind: "statement", ...facts({ class: "online", lock, ...given }), sql, transactional: false, cleanup };
}

const STEP_ID_LENGTH_MAX = 120;

/** By stage; within one, as given. Ids are stable for the same change. */
export function inOrder(steps: readonly Step[]): readonly MigrationStep[] {
  const order = Object.keys(stages) as readonly Stage[];
  return order
    .flatMap((stage) => steps.filter((step) => step.stage === stage))
    .map(({ slug, stage, ...step }, index) => {
      const id = `${String(index + 1).padStart(3, "0")}-${slug.replaceAll("_", "-")}`;
      return { id: id.slice(0, STEP_ID_LENGTH_MAX), phase: stages[stage], ...step };
    });
}
