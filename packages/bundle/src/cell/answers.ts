// The answers of a cell to control. In: nothing. Out: the shapes, and the schemas with which control checks an answer.
import { z } from "zod";
import type { SetAside } from "../migration.ts";

export interface ReleaseStep {
  readonly id: string;
  readonly summary: string;
  readonly status: "pending" | "running" | "done" | "failed";
  /** RFC 3339, as all times here. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly error: string | null;
  /** For a step that fills rows: how many it has written so far; null for others. */
  readonly rows: number | null;
}

export interface ReleaseState {
  readonly status: "received" | "migrating" | "active" | "failed" | "superseded";
  /** For an active release: the step after the switch that failed. The release serves, and can be resumed. */
  readonly error: string | null;
  /** Whether it does nothing more itself. */
  readonly finished: boolean;
  readonly steps: readonly ReleaseStep[];
}

/** A project on its cell. */
export interface ProjectState {
  readonly activeReleaseId: string | null;
  readonly bundleHash: string | null;
  readonly firstRequestAt: string | null;
  readonly lastRequestAt: string | null;
  readonly requests: number;
  /** Id of an API key > when it was last used, to the second. A key that was never used is absent. */
  readonly keysUsedAt: Readonly<Record<string, string>>;
}

/** A project's schema compared with what its last release left, and what is kept of dropped parts. */
export interface SchemaState {
  /** Empty if a release is running, or none has ended: there is nothing to compare with. */
  readonly drift: readonly Drift[];
  readonly setAside: readonly SetAside[];
}

export interface Drift {
  readonly path: string;
  /** As recorded; null if there was nothing. */
  readonly expected: string | null;
  readonly found: string | null;
}

/** The effects and costs of a plan, measured on the live database before anybody approves it. */
export interface PlanMeasures {
  readonly measuredAt: string;
  /** One sentence: where the expected durations come from. */
  readonly rates: string;
  readonly steps: readonly StepMeasure[];
  /**
   * For each change `cascade_destroys` of existing records: how many would be destroyed with the record that they refer
   * to; null if counting took too long. Absent if an older version measured.
   */
  readonly destroyed?: readonly { readonly path: string; readonly records: number | null }[] | undefined;
  /** For each change that needs it, how many records it affects; null and absent as above. */
  readonly counted?:
    | readonly { readonly path: string; readonly what: string; readonly records: number | null }[]
    | undefined;
}

export interface StepMeasure {
  readonly stepId: string;
  /** For the table of the step; null if there is none yet, or if counting took too long. */
  readonly rows: number | null;
  /** Whether `rows` was counted, or is the server's estimate. */
  readonly rowsExact: boolean;
  /** Of the table with its indexes. */
  readonly bytes: number | null;
  /** Rows that violate the step: null if the step checks none, a count of null if counting took too long. */
  readonly violators: {
    readonly count: number | null;
    readonly samples: readonly { readonly id: string; readonly text: string }[];
  } | null;
  readonly expectedMs: number | null;
}

const time = z.string().nullable();

export const releaseState: z.ZodType<ReleaseState> = z.object({
  status: z.enum(["received", "migrating", "active", "failed", "superseded"]),
  error: z.string().nullable(),
  finished: z.boolean(),
  steps: z.array(
    z.object({
      id: z.string(),
      summary: z.string(),
      status: z.enum(["pending", "running", "done", "failed"]),
      startedAt: time,
      finishedAt: time,
      error: z.string().nullable(),
      rows: z.number().nullable(),
    }),
  ),
});

export const projectState: z.ZodType<ProjectState> = z.object({
  activeReleaseId: z.string().nullable(),
  bundleHash: z.string().nullable(),
  firstRequestAt: time,
  lastRequestAt: time,
  requests: z.number(),
  // A cell of the previous version doesn't report it.
  keysUsedAt: z.record(z.string(), z.string()).default({}),
});

// What is set aside is copied into the next plan unchanged: the cell recorded it from an approved plan.
export const schemaState: z.ZodType<SchemaState> = z.object({
  drift: z.array(z.object({ path: z.string(), expected: z.string().nullable(), found: z.string().nullable() })),
  setAside: z.array(
    z.object({
      kind: z.enum(["table", "column"]),
      table: z.string(),
      column: z.string().nullable(),
      keptAs: z.string(),
      sqlType: z.string().nullable(),
      was: z.custom<SetAside["was"]>((value) => typeof value === "object"),
    }),
  ),
});

export const planMeasures: z.ZodType<PlanMeasures> = z.object({
  measuredAt: z.string(),
  rates: z.string(),
  steps: z.array(
    z.object({
      stepId: z.string(),
      rows: z.number().nullable(),
      rowsExact: z.boolean(),
      bytes: z.number().nullable(),
      violators: z
        .object({
          count: z.number().nullable(),
          samples: z.array(z.object({ id: z.string(), text: z.string() })),
        })
        .nullable(),
      expectedMs: z.number().nullable(),
    }),
  ),
  destroyed: z.array(z.object({ path: z.string(), records: z.number().nullable() })).optional(),
  counted: z.array(z.object({ path: z.string(), what: z.string(), records: z.number().nullable() })).optional(),
});
