// Reads what a step waits for: an event, or an approval. In: its syntax. Out: the typed wait, and the shape of its
// result.
import { type Expression, someNode, type ValueShape } from "@plinth/expression";
import { checkRole } from "../check/permissions/permissions.ts";
import { expectBoolean, expectMap, expectText, expectWords, refuseKey } from "../declarations/expect.ts";
import type { StepAction, Template } from "../model/background.ts";
import { entryOf, type MapEntry, type Node, type Word, wordOf } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { readDuration, readWord, waitBounds } from "./durations.ts";
import { checkEvent, dataShape } from "./events.ts";
import type { ReadAction } from "./step-scope.ts";
import { readTemplate } from "./templates.ts";
import { readCondition } from "./work-expression.ts";
import { carriedRecord, eventShape, json, objectOf, typed, type WorkPlace } from "./work-scope.ts";

/** `wait_for: shipment.delivered`, or `{ event, if, timeout }`. */
export function readWaitFor(
  context: BackgroundContext,
  { key, value: node }: Pick<MapEntry, "key" | "value">,
  place: WorkPlace,
): ReadAction | null {
  const { reader } = context;
  const map = node.kind === "map" ? node : null;
  const named = map === null ? node : entryOf(map, "event")?.value;
  if (named === undefined) {
    reader.report.add("missing_key", key.range, "`wait_for` has no `event`.", "Write `event: payment.succeeded`.");
    return null;
  }
  const scalar = expectText(reader, named, map === null ? "`wait_for`" : "`event`");
  const event: Word | null = scalar === null ? null : wordOf(scalar);
  if (event === null || !checkEvent(event, context)) return null;
  const entity = context.events.get(event.text) ?? null;
  const came: WorkPlace = {
    ...place,
    entity,
    rows: ["record", "old"],
    roots: new Map([
      ...place.roots,
      ["event", eventShape(dataShape(event.text, context), carriedRecord(entity, context.entities))],
      ["run", ownShape(place, context)],
    ]),
  };
  let condition: Extract<StepAction, { kind: "wait_for" }>["if"] = null;
  let timeoutMs: number | null = null;
  for (const one of map?.entries ?? []) {
    if (one.key.text === "timeout") timeoutMs = readDuration(reader, one, waitBounds);
    else if (one.key.text === "if") condition = readWhich(context, one, came);
    else if (one.key.text !== "event") refuseKey(reader, one, "`wait_for`", ["event", "timeout", "if"], []);
  }
  return {
    action: { kind: "wait_for", event: event.text, if: condition, timeoutMs },
    output: objectOf({
      id: typed({ kind: "uuid" }),
      name: typed({ kind: "text" }),
      at: typed({ kind: "datetime" }),
      data: dataShape(event.text, context),
      record: recordOf(entity, context),
    }),
  };
}

/**
 * The run, with the meaning that `event` and `record` have elsewhere: here they are the event that the step waits for.
 */
function ownShape({ roots, entity }: WorkPlace, context: BackgroundContext): ValueShape {
  const run = roots.get("run");
  const event = roots.get("event");
  const members = new Map(run?.kind === "object" ? run.members : []);
  if (event !== undefined) members.set("event", event);
  if (entity !== null) members.set("record", recordOf(entity, context));
  return { kind: "object", members };
}

function readWhich(context: BackgroundContext, option: MapEntry, came: WorkPlace): Expression | null {
  const condition = readCondition(context, option, came);
  if (condition !== null && someNode(condition, comparesWithItself))
    context.reader.report.add(
      "wait_compares_itself",
      option.value.range,
      "This condition compares the event with itself, so it is always true.",
      "Use `run.record` and `run.event` for the record and event of the run: `record.id == run.record.id`.",
    );
  return condition;
}

function comparesWithItself(node: Expression): boolean {
  if (node.kind !== "operation" || node.operator !== "==") return false;
  const [one, other] = node.args.map(partOfEvent);
  return one != null && one === other;
}

/** The member of the event that it names, in any notation; null for anything else. */
function partOfEvent(expression: Expression): string | null {
  if (expression.kind === "value") return expression.root === "event" ? expression.path.join(".") : null;
  if (expression.kind !== "field" || expression.path.length !== 1) return null;
  const [name = ""] = expression.path;
  return name === "id" ? "record_id" : `${expression.row}/${name}`;
}

function recordOf(entity: string | null, { entities }: BackgroundContext): ValueShape {
  return carriedRecord(entity, entities) ?? json;
}

const approvalKeys: readonly string[] = ["roles", "by_self", "timeout", "on_reject", "message"];

const approvalHint = "For example `approval: { roles: [admin], timeout: 2d }`.";

/** Without `roles`, admins can approve. */
export function readApproval(context: BackgroundContext, node: Node | null, place: WorkPlace): ReadAction | null {
  const { reader } = context;
  const map = node === null ? null : expectMap(reader, node, "`approval`", approvalHint);
  if (node !== null && map === null) return null;
  let roles: readonly string[] = ["admin"];
  let bySelf = false;
  let onReject: "fail" | "continue" = "fail";
  let message: Template | null = null;
  let timeoutMs: number | null = null;
  for (const one of map?.entries ?? []) {
    if (one.key.text === "roles") {
      const words = expectWords(reader, one.value, "`roles`");
      const known = words.filter((role) => checkRole(role, context.roles, reader.report));
      roles = [...new Set(known.map((role) => role.text))].sort();
    } else if (one.key.text === "by_self") bySelf = expectBoolean(reader, one.value, "`by_self`") ?? false;
    else if (one.key.text === "timeout") timeoutMs = readDuration(reader, one, waitBounds);
    else if (one.key.text === "on_reject")
      onReject = readWord(reader, one, ["fail", "continue"]) === "continue" ? "continue" : "fail";
    else if (one.key.text === "message") {
      const text = expectText(reader, one.value, "`message`");
      message = text === null ? null : readTemplate(context, text, place);
    } else refuseKey(reader, one, "`approval`", approvalKeys, []);
  }
  return {
    action: { kind: "approve", roles, bySelf, onReject, message, timeoutMs },
    output: objectOf({
      approved: typed({ kind: "bool" }),
      by: typed({ kind: "text" }),
      at: typed({ kind: "datetime" }),
      note: typed({ kind: "text" }),
    }),
  };
}
