// The values that a run's expressions see. In: the run, its steps so far, and what is special about a part of it. Out:
// the context of an expression. The outputs of completed steps are added by the walk.
import type { BundleStep, JsonValue } from "@plinth/bundle";
import type { EvaluationContext, Value } from "@plinth/expression";
import type { JsonRecord, Subject } from "../events/event.ts";
import { contextAtStart } from "./acting.ts";
import type { Interpreting } from "./interpreting.ts";
import type { StepRow } from "./run.ts";
import { subjectOfRun } from "./run-subject.ts";
import type { SeenError } from "./step-failed.ts";
import { readsRecord } from "./step-reads.ts";
import { keptRecord, RECORD } from "./step-rows.ts";

/** Additional context for a part of the run. */
export interface Seen {
  /** The member of `for_each`. */
  readonly each?: JsonValue;
  /** In the steps of an `on_error`: the error that they handle. */
  readonly error?: SeenError;
  /** The record as the step sees it. Absent: as it was at the beginning of the run. */
  readonly record?: JsonRecord;
}

export const nothingElse: Seen = {};

export class RunView {
  /** `steps.<id>` in expressions. */
  readonly outputs: Record<string, Value> = {};
  readonly #interpreting: Interpreting;
  /** By path. */
  readonly #rows: ReadonlyMap<string, StepRow>;

  constructor(interpreting: Interpreting, rows: ReadonlyMap<string, StepRow>) {
    this.#interpreting = interpreting;
    this.#rows = rows;
  }

  context(seen: Seen = nothingElse): EvaluationContext {
    const { run } = this.#interpreting.claimed;
    const base = contextAtStart(this.#interpreting);
    const { record = this.#found(), ...named } = seen;
    const rows = record == null ? base.rows : { ...base.rows, record: { values: record } };
    const values: Record<string, Value> = {
      ...base.values,
      steps: this.outputs,
      input: run.input as Value,
      run: { id: run.id, workflow: run.workflow, request_id: run.requestId },
      ...(named as Readonly<Record<string, Value>>),
    };
    return { ...base, rows, values };
  }

  /** The record of the run; null if it has none. */
  subject(): Subject | null {
    return subjectOfRun(this.#interpreting, this.#found());
  }

  /**
   * The record as it is now, or as it was when the step began if the step must not see another one later. Null: as it
   * was at the beginning of the run.
   * @param key The step's: a step that was reset has another one, and reads the record again.
   */
  async currentRecord(step: BundleStep, path: string, key: string): Promise<JsonRecord | null> {
    const { readRecord } = this.#interpreting;
    if (readRecord === null || !readsRecord(step)) return null;
    const kept = this.#rows.get(keptRecord(path));
    if (kept?.key === key) return kept.output as JsonRecord;
    const subject = this.subject();
    return subject === null ? null : ((await readRecord(subject)) as JsonRecord | null);
  }

  #found(): JsonRecord | null | undefined {
    return this.#rows.get(RECORD)?.output as JsonRecord | null | undefined;
  }
}
