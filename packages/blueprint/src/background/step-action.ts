// Reads the action of a step. In: the name of an available action, and its step. Out: the typed action, and the shape
// of its result; null after its problems were reported.
import { expectText, mapEntries, refuseKey } from "../declarations/expect.ts";
import type { Template } from "../model/background.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Node, type Word, wordOf } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { readDelay } from "./delay.ts";
import { readEmailStep } from "./email-step.ts";
import { dataShape, entityEvents, isEventName, refuseEventName } from "./events.ts";
import { readHttpCall } from "./http-step.ts";
import { readPayloadValues } from "./payload.ts";
import { readRecordStep, readSubscriptionStep } from "./record-step.ts";
import type { ActionScope, ReadAction } from "./step-scope.ts";
import { literal, readTemplate } from "./templates.ts";
import { readApproval, readWaitFor } from "./waits.ts";
import { json, type WorkPlace } from "./work-scope.ts";

export function readAction(
  context: BackgroundContext,
  action: Word,
  map: MapNode,
  scope: ActionScope,
): ReadAction | null {
  const given = inputOf(context, map);
  if (given === "wrong") return null;
  switch (action.text) {
    case "record.create":
    case "record.update":
    case "record.delete":
    case "record.find":
    case "record.transition":
      return readRecordStep(context, { text: action.text, range: action.range }, given, scope);
    case "subscription.activate":
    case "subscription.cancel":
      return readSubscriptionStep(context, action, given, scope);
    case "event.emit":
      return readEmit(context, action, given, scope.place);
    case "audit.write":
      return readNote(context, given, scope.place);
    case "webhook.emit":
      return readSend(context, action, given, scope.place);
    case "worker.run":
      return readRun(context, action, given, scope.place);
    case "http.request":
      return readHttpCall(context, action, given, scope.place, { what: "`http.request`", signed: false });
    case "email.send":
    case "email.send_receipt":
      return readEmailStep(context, action, map, given, scope.place);
    case "wait":
      return readWait(context, action, map, given, scope.place);
    case "wait_for": {
      const entry = entryOf(map, "wait_for") ?? entryOf(map, "with");
      return readWaitFor(context, entry ?? { key: scalarOf(action), value: given ?? emptyAt(action) }, scope.place);
    }
    case "approve":
      return readApproval(context, entryOf(map, "approval")?.value ?? given, scope.place);
    default:
      return readCalledWorker(context, action, given, scope.place);
  }
}

function inputOf(context: BackgroundContext, map: MapNode): MapNode | null | "wrong" {
  const entry = entryOf(map, "with");
  if (entry === undefined) return null;
  if (entry.value.kind === "map") return entry.value;
  mapEntries(context.reader, entry.value, "`with`");
  return "wrong";
}

function scalarOf({ text, range }: Word): MapEntry["key"] {
  return { kind: "scalar", value: text, text, style: "plain", broken: false, range };
}

function emptyAt({ range }: Word): MapNode {
  return { kind: "map", entries: [], range };
}

/** `{ name: shipment.label_created, payload: {...} }`: a declared event. */
function readEmit(
  context: BackgroundContext,
  action: Word,
  given: MapNode | null,
  place: WorkPlace,
): ReadAction | null {
  const { reader, payloads } = context;
  const named = given === null ? undefined : entryOf(given, "name");
  if (given === null || named === undefined) {
    const hint = "Write `with: { name: shipment.label_created }`.";
    reader.report.add("missing_key", given?.range ?? action.range, `\`${action.text}\` has no \`name\`.`, hint);
    return null;
  }
  for (const option of given.entries)
    if (option.key.text !== "name" && option.key.text !== "payload")
      refuseKey(reader, option, `\`${action.text}\``, ["name", "payload"], []);
  const scalar = expectText(reader, named.value, "`name`");
  if (scalar === null) return null;
  const event = wordOf(scalar);
  if (!isEventName(event.text)) {
    refuseEventName(reader, event);
    return null;
  }
  const payload = payloads.get(event.text);
  if (payload === undefined) {
    const owner = entityEvents(context).get(event.text);
    const message =
      owner === undefined
        ? `The event \`${event.text}\` is not declared.`
        : `\`${event.text}\` can't be emitted by a step: ${owner === null ? "a module" : `\`${owner}\``} emits it.`;
    const hint = suggestFor(event.text, payloads.keys(), reader.report) ?? "Declare one under `events`.";
    reader.report.add("unknown_event", event.range, message, hint);
    return null;
  }
  const at = entryOf(given, "payload");
  const data = readPayloadValues(
    context,
    payload,
    at ?? { key: { ...named.key, text: "payload" }, value: emptyAt(event) },
    place,
  );
  return data === null
    ? null
    : { action: { kind: "event.emit", event: event.text, data }, output: dataShape(event.text, context) };
}

/**
 * Sends the event of the run to the endpoints that subscribe to it; with a name, sends a declared event as `event.emit`
 * does.
 */
function readSend(
  context: BackgroundContext,
  action: Word,
  given: MapNode | null,
  place: WorkPlace,
): ReadAction | null {
  if (given !== null && given.entries.length > 0) return readEmit(context, action, given, place);
  if (!place.roots.has("event")) {
    const hint = "Start the work with an event (`on: order.paid`), or name one: `with: { name: order.packed }`.";
    context.reader.report.add(
      "invalid_step",
      action.range,
      "`webhook.emit` sends the event that started the run, but no event starts this run.",
      hint,
    );
    return null;
  }
  return { action: { kind: "webhook.emit" }, output: json };
}

/** `note`, or the whole input. */
function readNote(context: BackgroundContext, given: MapNode | null, place: WorkPlace): ReadAction | null {
  const [only, second] = given?.entries ?? [];
  const note = only?.key.text === "note" && second === undefined ? only.value : given;
  const read = note === null ? literal(null) : readTemplate(context, note, place);
  return read === null ? null : { action: { kind: "audit.write", note: read }, output: json };
}

/** A worker that is called by its plain name gets the whole input. */
function readCalledWorker(
  context: BackgroundContext,
  { text }: Word,
  given: MapNode | null,
  place: WorkPlace,
): ReadAction | null {
  const input = inputTemplate(context, given, place);
  return input === null ? null : { action: { kind: "worker.run", worker: text, input }, output: json };
}

function readRun(context: BackgroundContext, action: Word, given: MapNode | null, place: WorkPlace): ReadAction | null {
  const { reader, workers } = context;
  const named = given === null ? undefined : (entryOf(given, "worker") ?? entryOf(given, "name"));
  if (given === null || named === undefined) {
    const hint = "Write `with: { worker: greet }`, or use the worker's name as the action.";
    reader.report.add("missing_key", given?.range ?? action.range, "`worker.run` has no `worker`.", hint);
    return null;
  }
  for (const option of given.entries)
    if (!["worker", "name", "input"].includes(option.key.text))
      refuseKey(reader, option, "`worker.run`", ["worker", "input"], []);
  const scalar = expectText(reader, named.value, "`worker`");
  if (scalar === null) return null;
  if (!workers.has(scalar.text)) {
    const hint = suggestFor(scalar.text, workers, reader.report) ?? "Declare it under `workers`.";
    reader.report.add("unknown_worker", scalar.range, `There is no worker \`${scalar.text}\`.`, hint);
    return null;
  }
  const input = inputTemplate(context, entryOf(given, "input")?.value ?? null, place);
  return input === null ? null : { action: { kind: "worker.run", worker: scalar.text, input }, output: json };
}

function inputTemplate(context: BackgroundContext, node: Node | null, place: WorkPlace): Template | null {
  return node === null ? literal({}) : readTemplate(context, node, place);
}

/** `with: { for: 5m }`, or the step's own `delay`. */
function readWait(
  context: BackgroundContext,
  action: Word,
  map: MapNode,
  given: MapNode | null,
  place: WorkPlace,
): ReadAction | null {
  const { reader } = context;
  for (const option of given?.entries ?? [])
    if (option.key.text !== "for") refuseKey(reader, option, "`wait`", ["for"], []);
  const entry = (given === null ? undefined : entryOf(given, "for")) ?? entryOf(map, "delay");
  if (entry === undefined) {
    reader.report.add("missing_key", action.range, "`wait` has no duration.", "Write `with: { for: 5m }`.");
    return null;
  }
  const delay = readDelay(context, entry, place);
  if (delay === null) return null;
  const time = "delayMs" in delay ? { forMs: delay.delayMs } : { forMs: 0, until: delay.delayUntil };
  return { action: { kind: "wait", ...time }, output: json };
}
