// What a cell answers control with. In: nothing. Out: the shapes, and what control holds an answer to.
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
  /** Of a step that fills rows: how many it has written so far; null for others. */
  readonly rows: number | null;
}

export interface ReleaseState {
  readonly status: "received" | "migrating" | "active" | "failed" | "superseded";
  /** Of an active release: the step after the switch that failed. It serves, and can be resumed. */
  readonly error: string | null;
  /** Whether it does nothing more by itself. */
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
}

/** A project's schema beside what its last release left, and what is kept of what was dropped. */
export interface SchemaState {
  /** Empty where a release is under way, or none has ended: there is nothing to compare with. */
  readonly drift: readonly Drift[];
  readonly setAside: readonly SetAside[];
}

export interface Drift {
  readonly path: string;
  /** As recorded; null where nothing was. */
  readonly expected: string | null;
  readonly found: string | null;
}

/** What a plan would meet and cost, told from the live database before anybody approves it. */
export interface PlanMeasures {
  readonly measuredAt: string;
  /** One sentence: where the expected durations come from. */
  readonly rates: string;
  readonly steps: readonly StepMeasure[];
  /**
   * For each change `cascade_destroys` of records that stand already: how many stand to be destroyed with the record that
   * they refer to; null where counting took too long. Absent in what was measured by an older version.
   */
  readonly destroyed?: readonly { readonly path: string; readonly records: number | null }[] | undefined;
  /** For each change that asks for it, how many records it finds; null and absent as above. */
  readonly counted?:
    | readonly { readonly path: string; readonly what: string; readonly records: number | null }[]
    | undefined;
}

export interface StepMeasure {
  readonly stepId: string;
  /** Of the table that the step touches; null where there is none yet, or no count came to an end in time. */
  readonly rows: number | null;
  /** Whether `rows` was counted, or is the server's estimate. */
  readonly rowsExact: boolean;
  /** Of the table with its indexes. */
  readonly bytes: number | null;
  /** Rows that stand in the way: null where the step looks for none, a count of null where counting took too long. */
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
});

// What is set aside goes into the next plan as it came: the cell wrote it down from a plan that was approved.
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
