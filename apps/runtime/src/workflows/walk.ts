// Walks a run through its steps. In: a claimed run and its definition. Out: the outcome of each so far. A completed
// step never runs again: its output is read from its row. Work inside the database is committed together with that row.
import type { BundleStep, JsonValue } from "@plinth/bundle";
import { allows, type EvaluationContext, type Value } from "@plinth/expression";
import type { JsonRecord } from "../events/event.ts";
import { type Room, roomOfRun } from "../project/room.ts";
import { inside } from "./actions.ts";
import { isOutside, isRepeatable, type OutsideAction } from "./call-out.ts";
import type { Interpreting } from "./interpreting.ts";
import { keepAnswer, knownCall } from "./known-call.ts";
import { carryMembers } from "./members.ts";
import { timeOfMoment } from "./moment.ts";
import { done, type Outcome } from "./outcome.ts";
import type { ActionResult } from "./performing.ts";
import { errorOf, finalOf, pauseOf } from "./retry.ts";
import type { StepError, StepRow } from "./run.ts";
import { ClaimLost, type Held, RunCancelled, type StepChange } from "./run-store.ts";
import { nothingElse, RunView, type Seen } from "./run-view.ts";
import { StepFailed, seenError, unknownError } from "./step-failed.ts";
import { asksEachMember, keepsRecord } from "./step-reads.ts";
import { begunAnew, completedMembers, earlierHandlers, isAnew, keptRecord, keyOf, RECORD } from "./step-rows.ts";
import { fillMembers, fillTemplate, inputOf } from "./template.ts";
import { createTurns } from "./turns.ts";
import { isWait } from "./waits.ts";

function ofUndo(id: string, error: StepError): StepError {
  return { ...error, message: `The step \`${id}\` could not be undone: ${error.message}` };
}

export class Walk {
  readonly #interpreting: Interpreting;
  /** By path. */
  readonly #rows: Map<string, StepRow>;
  readonly #view: RunView;
  #undoing = false;
  readonly #saves = createTurns();
  readonly #failures = createTurns();
  /** Limits the outputs of its steps, because they are read again whenever the run continues. */
  readonly #room: Room = roomOfRun();

  constructor(interpreting: Interpreting) {
    this.#interpreting = interpreting;
    this.#rows = new Map(interpreting.claimed.steps);
    this.#view = new RunView(interpreting, this.#rows);
    // Existing outputs were accepted before.
    for (const { output } of this.#rows.values()) this.#room.add(output);
  }

  context(seen: Seen = nothingElse): EvaluationContext {
    return this.#view.context(seen);
  }

  /** Done once: the run stays with the record that it has found. Null if it can begin. */
  async findRecord(): Promise<Outcome | null> {
    const { lookup, actions } = this.#interpreting;
    if (lookup === null) return null;
    const error = { code: "no_record", message: `The ${lookup.entity} does not exist.` } as const;
    if (this.#rows.get(RECORD) === undefined) {
      const change = { ...this.#change(RECORD), input: fillMembers(lookup.where, this.context()) };
      const looked = await this.#interpreting.store.commit(this.#held(), async ({ transaction, save }) => {
        const output = await actions.find(this.#interpreting.claimed, inside(transaction), lookup.entity, change.input);
        // If somebody retries the run, a failed look-up is repeated.
        const tried: StepChange =
          output === null ? { ...change, status: "failed", error } : { ...change, status: "completed", output };
        await save(tried);
        return tried;
      });
      this.#remember(looked);
    }
    return this.#rows.get(RECORD)?.output == null ? { kind: "failed", error } : null;
  }

  /** @param endsRun The run ends with the last of them. */
  async through(
    steps: readonly BundleStep[],
    prefix: string,
    { seen = nothingElse, endsRun = false }: { readonly seen?: Seen; readonly endsRun?: boolean } = {},
  ): Promise<Outcome> {
    for (const [at, step] of steps.entries()) {
      if (this.#interpreting.isStopping()) return { kind: "parked", dueAtMs: this.#interpreting.now() };
      const isLast = endsRun && at === steps.length - 1;
      const outcome = await this.#step(step, `${prefix}${step.id}`, { seen, isLast });
      if (outcome.kind !== "done") return outcome;
      this.#view.outputs[step.id] = (this.#rows.get(`${prefix}${step.id}`)?.output ?? null) as Value;
    }
    return done;
  }

  /**
   * Compensates completed steps in the opposite order. If one compensation fails, the others still run, and the outcome
   * is the first failure. A call with an unknown result delays them until a person has looked. The compensation of a list sees the outputs of its completed
   * members, the last one first, even if others never started.
   */
  async compensate(steps: readonly BundleStep[]): Promise<Outcome> {
    this.#undoing = true;
    for (const step of steps) this.#view.outputs[step.id] ??= (this.#rows.get(step.id)?.output ?? null) as Value;
    let failure: Outcome | null = null;
    for (const step of [...steps].reverse()) {
      const members = step.forEach === null ? [] : completedMembers(this.#rows, step.id);
      const isDone = this.#rows.get(step.id)?.status === "completed" || members.length > 0;
      if (step.compensate.length === 0 || !isDone) continue;
      if (step.forEach !== null) this.#view.outputs[step.id] = members.map(({ output }) => output as Value).reverse();
      const outcome = await this.through(step.compensate, `${step.id}/compensate/`);
      if (outcome.kind === "parked" || outcome.kind === "attention") return outcome;
      if (outcome.kind === "failed") failure ??= { kind: "failed", error: ofUndo(step.id, outcome.error) };
    }
    return failure ?? done;
  }

  async #step(
    step: BundleStep,
    path: string,
    { seen: outer, isLast }: { readonly seen: Seen; readonly isLast: boolean },
  ): Promise<Outcome> {
    const row = this.#rows.get(path);
    switch (row?.status) {
      case "completed":
      case "skipped":
        return done;
      case "failed":
        return this.#failure(step, path, row.error ?? unknownError, outer);
      default:
        break;
    }
    const { now } = this.#interpreting;
    if (row?.nextAt != null && Date.parse(row.nextAt) > now()) {
      if (row.status !== "waiting") return { kind: "parked", dueAtMs: Date.parse(row.nextAt) };
    }
    const current = await this.#view.currentRecord(step, path, this.#change(path).key);
    const seen = current === null ? outer : { ...outer, record: current };
    const isNew = row === undefined || isAnew(row);
    if (isNew) {
      const { if: condition, delayMs } = step;
      if (condition !== null && !asksEachMember(step) && !allows(condition, this.context(seen)))
        return this.#skip(path);
      if (delayMs !== null) return this.#delay(path, now() + delayMs);
    }
    return this.#unlessFinal(step, path, seen, async () => {
      if (step.delayUntil !== undefined && (isNew || row.status === "delayed")) {
        const untilMs = timeOfMoment(step.delayUntil, this.context(seen));
        if (untilMs > now()) return this.#delay(path, untilMs);
      }
      if (current !== null && keepsRecord(step)) await this.#keepRecord(path, current);
      if (step.forEach !== null) return this.#members(step, path, seen);
      const { action } = step;
      return isOutside(action)
        ? this.#callOut(step, action, path, seen)
        : this.#performInside(step, path, { seen, isLast });
    });
  }

  async #keepRecord(path: string, output: JsonRecord): Promise<void> {
    const { key } = this.#change(path);
    if (this.#rows.get(keptRecord(path))?.key === key) return;
    await this.#save({ path: keptRecord(path), status: "completed", key, attempts: 0, output });
  }

  /** If a template can't be filled, the step fails, because a retry can't fill it either. */
  async #unlessFinal(step: BundleStep, path: string, seen: Seen, carry: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await carry();
    } catch (error) {
      return this.#giveUp(step, path, finalOf(error), seen);
    }
  }

  async #skip(path: string): Promise<Outcome> {
    await this.#save({ ...this.#change(path), status: "skipped" });
    return done;
  }

  async #delay(path: string, nextAtMs: number): Promise<Outcome> {
    await this.#save({ ...this.#change(path), status: "delayed", nextAtMs });
    return { kind: "parked", dueAtMs: nextAtMs };
  }

  /**
   * The members as they were when the step began: a run that continues later sees the same ones. Calls run at once.
   * Work inside the database runs one after another, because all of it needs the same claim.
   */
  async #members(step: BundleStep, path: string, outer: Seen): Promise<Outcome> {
    const { items: template, parallelMax } = step.forEach!;
    const items = fillTemplate(template, this.context(outer));
    if (!Array.isArray(items)) {
      return this.#giveUp(step, path, { code: "no_list", message: "The list for `for_each` is missing." }, outer);
    }
    const { isStopping, now } = this.#interpreting;
    const condition = asksEachMember(step) ? step.if : null;
    const single: BundleStep = { ...step, forEach: null, if: condition, delayMs: null, onError: { kind: "fail" } };
    const outcome = await carryMembers({
      count: items.length,
      parallelMax,
      lanes: isOutside(step.action) ? parallelMax : 1,
      stateOf: (at) => {
        const status = this.#rows.get(`${path}/${at}`)?.status;
        return status === undefined ? "new" : status === "failed" ? "failed" : "begun";
      },
      carry: async (at) => {
        const member = `${path}/${at}`;
        const seen = { ...outer, each: items[at] as JsonValue };
        const ended = await this.#member(single, member, seen);
        if (ended.kind !== "failed") return ended;
        // One after another, because the outputs of such steps have the same names for each member.
        return this.#failures.inTurn(() => this.#failure(step, member, ended.error, seen));
      },
      isStopping,
      now,
    });
    if (outcome.kind !== "done") return outcome;
    const output = items.map((_, at) => this.#rows.get(`${path}/${at}`)?.output ?? null);
    this.#room.take(output);
    await this.#save({ ...this.#change(path), status: "completed", output });
    return done;
  }

  async #member(step: BundleStep, path: string, seen: Seen): Promise<Outcome> {
    const row = this.#rows.get(path);
    if (row?.status === "completed" || row?.status === "skipped") return done;
    if (row?.status === "failed") return this.#failure(step, path, row.error ?? unknownError, seen);
    if (row?.nextAt != null && row.status !== "waiting" && Date.parse(row.nextAt) > this.#interpreting.now()) {
      return { kind: "parked", dueAtMs: Date.parse(row.nextAt) };
    }
    const { action } = step;
    const isNew = row === undefined || isAnew(row);
    if (isNew && step.if !== null && !allows(step.if, this.context(seen))) return this.#skip(path);
    return this.#unlessFinal(step, path, seen, () =>
      isOutside(action) ? this.#callOut(step, action, path, seen) : this.#performInside(step, path, { seen }),
    );
  }

  /**
   * Once the call has its place, the intention to make it is committed first. After a crash it is then known that the
   * call may have been made. A call that only waited for its place doesn't count as made.
   */
  async #callOut(step: BundleStep, action: OutsideAction, path: string, seen: Seen): Promise<Outcome> {
    const begun = this.#rows.get(path);
    if (begun?.status === "started") {
      const known = await knownCall(this.#interpreting.caller, action, begun);
      if (known.kind === "unknown") return this.#ask(path, known.error);
      if (known.kind === "completed") {
        await this.#save({ ...this.#change(path), status: "completed", output: known.output }, true);
        return done;
      }
    }
    const context = this.context(seen);
    const attempts = (begun?.attempts ?? 0) + 1;
    const change = {
      ...this.#change(path),
      status: "started" as const,
      attempts,
      input: inputOf(action, context, this.#interpreting.isSecret),
    };
    let triedAtMs = this.#interpreting.now();
    const begin = async (): Promise<void> => {
      await this.#save(change);
      triedAtMs = this.#interpreting.now();
    };
    try {
      const calling = { key: change.key, attempt: attempts, context, timeoutMs: step.timeoutMs, begin };
      const output = await this.#interpreting.caller.call(action, calling);
      keepAnswer(this.#room, output);
      // Even if the run was cancelled meanwhile: the effect of the call is known, and must be compensated.
      await this.#save({ ...change, status: "completed", output, triedAtMs }, true);
      return done;
    } catch (error) {
      if (error instanceof StepFailed && error.failure.isUnknown === true && !isRepeatable(action)) {
        return this.#ask(path, { code: error.code, message: error.message });
      }
      return this.#tryAgain(step, path, error, { seen, attempts: change.attempts, triedAtMs });
    }
  }

  /** Only a person can find out whether the call had its effect. */
  async #ask(path: string, error: StepError): Promise<Outcome> {
    await this.#save({ ...this.#change(path), status: "started", error });
    return { kind: "attention", error };
  }

  async #performInside(
    step: BundleStep,
    path: string,
    { seen, isLast = false }: { readonly seen: Seen; readonly isLast?: boolean },
  ): Promise<Outcome> {
    const { claimed, store, actions } = this.#interpreting;
    const held = this.#held();
    const context = this.context(seen);
    const change = { ...this.#change(path), input: inputOf(step.action, context, this.#interpreting.isSecret) };
    const triedAtMs = this.#interpreting.now();
    try {
      const result: ActionResult = await store.commit(held, async ({ transaction, save, end }) => {
        const answer = await actions.perform({
          step,
          path,
          key: change.key,
          row: this.#rows.get(path) ?? null,
          context,
          claimed,
          subject: this.#view.subject(),
          caller: null,
          open: transaction,
          changes: new Set(),
        });
        if (answer.kind === "waiting") {
          await save({ ...change, status: "waiting", nextAtMs: answer.untilMs });
          return answer;
        }
        const { output } = answer;
        this.#room.take(output);
        await save({ ...change, status: "completed", attempts: change.attempts + 1, output, triedAtMs });
        if (isLast) {
          this.#view.outputs[step.id] = output as Value;
          await end({ status: "completed", output: this.#interpreting.output(this.context()), error: null });
        }
        return answer;
      });
      if (result.kind === "waiting") return { kind: "parked", dueAtMs: result.untilMs };
      this.#remember({ ...change, status: "completed", attempts: change.attempts + 1, output: result.output });
      return isLast ? { kind: "ended" } : done;
    } catch (error) {
      if (error instanceof ClaimLost || error instanceof RunCancelled) throw error;
      // A wait continues to wait for the same thing, whatever happens to the database. It isn't restarted.
      if (isWait(step.action) && errorOf(error)?.isFinal === false) throw error;
      return this.#tryAgain(step, path, error, { seen, attempts: change.attempts + 1, triedAtMs });
    }
  }

  async #tryAgain(
    step: BundleStep,
    path: string,
    error: unknown,
    { seen, ...tried }: { readonly seen: Seen; readonly attempts: number; readonly triedAtMs: number },
  ): Promise<Outcome> {
    const failed = errorOf(error);
    const change = { ...this.#change(path), ...tried };
    if (failed === null) throw error;
    const { attempts } = tried;
    if (failed.isFinal || attempts >= step.retry.attempts) {
      await this.#saveFailed({ ...change, error: failed.error });
      return this.#failure(step, path, failed.error, seen);
    }
    const { now, random } = this.#interpreting;
    const nextAtMs = now() + Math.max(failed.retryAfterMs, pauseOf(step.retry, attempts, random()));
    await this.#save({ ...change, status: "retrying", error: failed.error, nextAtMs });
    return { kind: "parked", dueAtMs: nextAtMs };
  }

  async #giveUp(step: BundleStep, path: string, error: StepError, seen: Seen): Promise<Outcome> {
    await this.#saveFailed({ ...this.#change(path), error });
    return this.#failure(step, path, error, seen);
  }

  async #failure({ id, onError }: BundleStep, path: string, error: StepError, seen: Seen): Promise<Outcome> {
    switch (onError.kind) {
      case "continue":
        return done;
      case "fail":
        return { kind: "failed", error };
      case "steps":
        return this.through(onError.steps, `${path}/on_error/`, {
          seen: { ...seen, error: seenError(id, error, this.#rows.get(path)?.attempts ?? 0) },
        });
    }
  }

  #held(): Held {
    const { run, fence } = this.#interpreting.claimed;
    return { runId: run.id, fence, undoing: this.#undoing };
  }

  /** The current row, to be changed. */
  #change(path: string): StepChange {
    const row = this.#rows.get(path);
    return {
      path,
      status: row?.status ?? "started",
      key: row?.key ?? keyOf(this.#interpreting.claimed.run.id, this.#rows, path),
      attempts: row?.attempts ?? 0,
    };
  }

  /** Steps that handled its failure before the run was retried handle this one, too. */
  async #saveFailed(change: StepChange): Promise<void> {
    const handlers = earlierHandlers(this.#rows, change.path);
    await this.#save({ ...change, status: "failed", anew: handlers.map(({ path }) => path) });
    for (const row of handlers) this.#rows.set(row.path, begunAnew(row));
  }

  async #save(change: StepChange, undoing = this.#undoing): Promise<void> {
    const held = { ...this.#held(), undoing };
    // Otherwise each of the simultaneous members would hold a connection while it waits for the claim's lock.
    await this.#saves.inTurn(() => this.#interpreting.store.commit(held, ({ save }) => save(change)));
    this.#remember(change);
  }

  #remember(change: StepChange): void {
    const { path, status, key, attempts, output = null, error = null, nextAtMs = null } = change;
    const nextAt = nextAtMs === null ? null : new Date(nextAtMs).toISOString();
    this.#rows.set(path, { path, status, key, attempts, output, error, nextAt });
  }
}
