// Events and runs for people to read. In: an admin's request. Out: a page, newest first, or one of them with its
// details. Values that are masked in logs are masked here: by the names of the fields, by the fields that a step's
// templates have read, and by the values found in this way.
import type { BundleBackground } from "@plinth/bundle";
import { eventColumns, Fault, runColumns } from "@plinth/service";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { createMaskedValues, type EventParts, shownEvent } from "../../project/masked-values.ts";
import { type Mask, maskedNames, masksOf } from "../../project/work-masks.ts";
import { isAnew, keptRecord } from "../../workflows/step-rows.ts";
import { utc, withInstants } from "../instants.ts";
import { jsonReply } from "../json-body.ts";
import { type LogQuery, logName, parseLogQuery } from "../log-query.ts";
import { failedStep } from "./failed-step.ts";
import {
  approversView,
  asEnded,
  callersView,
  hasStarted,
  type RunRow,
  type StepRow,
  type WaitRow,
  wasAsked,
} from "./run-view.ts";

/** The definitions with which a run began, by its release's id; null if they can't be read. */
export type BackgroundOf = (releaseId: string) => Promise<BundleBackground | null>;

export interface Log {
  /** No other list of the project has this name. */
  readonly name: string;
  readonly table: string;
  /** The column of the order, and its type. */
  readonly key: { readonly column: string; readonly sqlType: string };
  readonly columns: readonly string[];
  /** The column with an event's id; its name is shown too. */
  readonly event: string | null;
  /** Columns that a list shows in another form. In: the project's schema. Out: SQL over the row `_p`. */
  readonly instead: Readonly<Record<string, (schema: string) => string>>;
}

export const eventLog: Log = {
  name: "events",
  table: "workers__events",
  key: { column: "seq", sqlType: "bigint" },
  columns: [...eventColumns, "organization_id"],
  event: null,
  instead: {},
};

export const runLog: Log = {
  name: "runs",
  table: "workers__runs",
  key: { column: "id", sqlType: "uuid" },
  columns: [...runColumns],
  event: "event_id",
  // The message may quote masked values. Only the reply for one run contains it, masked by value.
  instead: { error: listedError },
};

export async function readLog(log: Log, context: ModuleContext): Promise<Reply> {
  const { incoming, release, tenant, cursors, filters } = context;
  const query = parseLogQuery(incoming.query, { name: log.name, filters }, release.projectId, cursors);
  const { rows } = await tenant.run({ ...statementOf(log, release, query), lane: "earned" });
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? (shown.at(-1)?.[1] ?? null) : null;
  const next = last === null ? null : cursors.seal([last], logName(log.name, release.projectId, query.filters));
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: `{"data":[${shown.map(([json]) => json ?? "null").join(",")}],"page":{"next_cursor":${JSON.stringify(next)},"has_more":${last !== null}}}`,
  };
}

function statementOf(
  { table, key, columns, event, instead }: Log,
  { schema }: ActiveRelease,
  { limit, filters, before }: LogQuery,
): { readonly text: string; readonly values: readonly string[]; readonly keep: boolean } {
  const values: string[] = [];
  const conditions = [...filters].map(([name, value]) => {
    values.push(value);
    return `_l."${name}" = $${values.length}::${name.endsWith("_id") && name !== "request_id" ? "uuid" : "text"}`;
  });
  if (before !== null) {
    values.push(before);
    conditions.push(`_l."${key.column}" < $${values.length}::${key.sqlType}`);
  }
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  const named = columns.map((name) => `_l."${name}"`).join(", ");
  const page = `select ${named}, _l."${key.column}" as _key from ${schema}."${table}" _l${where} order by _l."${key.column}" desc limit ${limit + 1}`;
  const eventName = `(select _e."name" from ${schema}."workers__events" _e where _e."id" = _p."${event}") as event_name`;
  const shown = [
    ...columns.map((name) => instead[name]?.(schema) ?? shownColumn(name)),
    ...(event === null ? [] : [eventName]),
  ];
  return {
    text: `select (select row_to_json(_x) from (select ${shown.join(", ")}) _x)::text, _p._key::text from (${page}) _p`,
    values,
    keep: filters.size === 0,
  };
}

/** Times of events and runs, and of the parts of a run. */
const TIMES: readonly string[] = ["at", "created_at", "started_at", "ended_at", "next_at", "until"];

function shownColumn(name: string): string {
  const column = `_p."${name}"`;
  if (TIMES.includes(name)) return `${utc(column)} as "${name}"`;
  // An event that no run wrote only has a cause if a chain of runs must know its origin.
  return name === "cause" ? `case when ${column} ? 'run' then ${column} - 'origin' - 'subject' end as "cause"` : column;
}

function shownCause(cause: Row | null): Row | null {
  const { origin: _, subject: __, ...rest } = cause ?? {};
  return "run" in rest ? rest : null;
}

/** Why a run failed, without the text: the code, and the failed step with its attempts, if there is one. */
function listedError(schema: string): string {
  const failure = `json_build_object('code', _p."error"->>'code', 'step', _f."path", 'attempts', _f."attempts")`;
  const step = failedStep(schema, '_p."id"');
  return `case when _p."error" is not null then (select ${failure} from (select) _o left join (${step}) _f on true) end as "error"`;
}

/** The event with its payload, and the runs that it started. */
export async function readEvent(context: ModuleContext, id: string): Promise<Reply> {
  const { release, tenant } = context;
  const { schema } = release;
  const { rows } = await tenant.run({
    lane: "fast",
    text:
      `select to_json(_e)::text, (select coalesce(json_agg(json_build_object('id', _r."id", 'workflow', _r."workflow", ` +
      `'status', _r."status") order by _r."id"), '[]'::json)::text from ${schema}."workers__runs" _r where _r."event_id" = _e."id") ` +
      `from ${schema}."workers__events" _e where _e."id" = $1::uuid`,
    values: [id],
  });
  const [event = null, runs = null] = rows[0] ?? [];
  if (event === null || runs === null) throw new Fault("not_found");
  const row = JSON.parse(event) as Row & EventParts & { readonly cause: Row | null };
  const visible = withInstants({ ...row, cause: shownCause(row.cause) }, TIMES);
  // An event that a step emits contains the step's input. Its release may have been another one, but that is unknown
  // here.
  const masks = masksOf(release.bundle.background, maskedNames(release.bundle.entities));
  const values = createMaskedValues();
  const shown = shownEvent(visible, masks, values);
  return jsonReply(200, { ...visible, ...shown, data: values.apply(shown.data), runs: JSON.parse(runs) });
}

/**
 * The run: for admins with its steps, their attempts, and what it waits for; for its caller, its progress. @throws
 * Fault not_found (also if it is hidden).
 */
export async function readRun(context: ModuleContext, id: string, backgroundOf: BackgroundOf): Promise<Reply> {
  const { release, tenant, principal } = context;
  const { schema } = release;
  const part = (name: string, order: string): string =>
    `(select coalesce(json_agg(to_json(_s) order by ${order}), '[]'::json)::text from ${schema}."workers__${name}" _s where _s."run_id" = _r."id")`;
  const { rows } = await tenant.run({
    lane: "fast",
    text:
      `select to_json(_r)::text, ${part("steps", '_s."started_at", _s."path"')}, ${part("attempts", '_s."started_at"')}, ` +
      `${part("waits", '_s."created_at"')}, ` +
      `(select to_json(_e)::text from ${schema}."workers__events" _e where _e."id" = _r."event_id") from ${schema}."workers__runs" _r where _r."id" = $1::uuid`,
    values: [id],
  });
  const [run = null, steps = null, attempts = null, waits = null, event = null] = rows[0] ?? [];
  if (run === null || steps === null || attempts === null || waits === null) throw new Fault("not_found");
  const row = JSON.parse(run) as RunRow & Row;
  const isOwn = hasStarted(principal, row);
  const itsWaits = JSON.parse(waits) as readonly (WaitRow & Row)[];
  const itsSteps = (JSON.parse(steps) as readonly (StepRow & Row)[]).filter((step) => wasBegun(row, step));
  // Its content is for callers who can read the record. The id alone reveals nothing.
  const heard = event === null ? null : (JSON.parse(event) as EventParts & Row);
  const record = heard?.["record_id"] == null ? null : { entity: heard["entity"], id: heard["record_id"] };
  const shown = callersView(row, itsSteps, itsWaits);
  if (!principal.roles.includes("admin")) {
    if (isOwn) return jsonReply(200, { ...shown, record });
    if (!wasAsked(principal, row, itsWaits)) throw new Fault("not_found");
    return jsonReply(200, { ...approversView(principal, row, itsWaits), record });
  }
  const { fence: _, lease_until: __, caller: ___, ...rest } = row;
  const background = (await backgroundOf(String(rest["definition"]))) ?? release.bundle.background;
  const masks = masksOf(background, maskedNames(release.bundle.entities));
  const of = { kind: String(rest["kind"]), workflow: String(rest["workflow"]) };
  // A value that is masked anywhere in the run is masked wherever it appears again: in another service's answer, in an
  // error.
  const values = createMaskedValues();
  const show = (value: unknown, mask: Mask): unknown => values.learn(value, masks.apply(value, mask));
  if (heard !== null) shownEvent(heard, masks, values);
  const input = show(rest["input"], masks.input(of));
  const output = show(rest["output"], masks.output(of));
  const walked = itsSteps.map((step) => {
    const mask = masks.step(of, String(step["path"]));
    return { ...asEnded(step, row), input: show(step["input"], mask.input), output: show(step["output"], mask.output) };
  });
  const asShown = (one: Row): Row => withInstants({ ...one, error: values.apply(one["error"]) }, TIMES);
  return jsonReply(200, {
    ...asShown(rest),
    input: values.apply(input),
    // The answer of an action is meant for its caller.
    output: isOwn ? row.output : values.apply(output),
    record,
    waits_for: shown.waits_for,
    steps: walked.map((step) => ({
      ...asShown(step),
      input: values.apply(step.input),
      output: values.apply(step.output),
    })),
    attempts: (JSON.parse(attempts) as readonly Row[]).map(asShown),
    waits: itsWaits.map((one) => withInstants({ ...one, answer: values.apply(one.answer) }, TIMES)),
  });
}

/** A step that was reset, but not started again before the run ended, is not shown. */
function wasBegun({ ended_at }: RunRow, { path, status, attempts }: StepRow): boolean {
  // The record that a step keeps is not a step.
  if (path.startsWith(keptRecord(""))) return false;
  return ended_at === null || !isAnew({ status, attempts });
}

type Row = Readonly<Record<string, unknown>>;
