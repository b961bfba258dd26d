// Reads a step that finds or writes records. In: its syntax. Out: the action with its entity, its record and its typed
// values; null after its problems were reported. Without an id it uses the run's own record.

import { expectMap, expectText, refuseKey } from "../declarations/expect.ts";
import { canonicalScalar } from "../field-types/scalars.ts";
import type { StepAction, Template, Values } from "../model/background.ts";
import type { Edge } from "../model/model.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Word } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { readWhole } from "./durations.ts";
import { readFieldValues } from "./record-values.ts";
import type { ActionScope, ReadAction } from "./step-scope.ts";
import { literal, readTemplate } from "./templates.ts";
import { objectOf, recordShape, typed } from "./work-scope.ts";

const FIND_MAX = 1_000;

type RecordKind = Extract<StepAction["kind"], `record.${string}`>;
type CheckedEntity = NonNullable<ReturnType<BackgroundContext["entities"]["get"]>>;

/** Keys of `with` that are not values. Values are next to them, or under `values` (`where` for a find). */
const ownKeys: Readonly<Record<RecordKind, readonly string[]>> = {
  "record.create": ["entity"],
  "record.update": ["entity", "id"],
  "record.delete": ["entity", "id"],
  "record.find": ["entity", "limit"],
  "record.transition": ["entity", "id", "edge"],
};

export function readRecordStep(
  context: BackgroundContext,
  action: { readonly text: RecordKind; readonly range: Word["range"] },
  given: MapNode | null,
  scope: ActionScope,
): ReadAction | null {
  const kind = action.text;
  const found = entityOf(context, action, given, scope);
  if (found === null) return null;
  const { entity } = found;
  const record = recordShape(entity.fields);
  const values = valuesOf(context, kind, found, given);
  const written = (as: "create" | "update" | "transition" | "find", edge: Edge | null = null): Values | null =>
    values === null
      ? null
      : readFieldValues(context, found, values, { ...scope, as, edge, at: given?.range ?? action.range });
  switch (kind) {
    case "record.create": {
      const read = written("create");
      return read === null ? null : { action: { kind, entity: entity.name, values: read }, output: record };
    }
    case "record.find": {
      const limit = given === null ? undefined : ownEntry(given, "limit", found);
      const where = written("find");
      const most = limit === undefined ? null : readWhole(context.reader, limit, 1, FIND_MAX);
      if (where === null || (limit !== undefined && most === null)) return null;
      const output = most === null ? record : ({ kind: "list", of: record } as const);
      return { action: { kind, entity: entity.name, where, limit: most }, output };
    }
    default:
      break;
  }
  const id = idOf(context, action, found, given, scope);
  switch (kind) {
    case "record.update": {
      const read = written("update");
      if (id === null || read === null) return null;
      return { action: { kind, entity: entity.name, id, values: read }, output: record };
    }
    case "record.delete": {
      for (const extra of values ?? []) refuseKey(context.reader, extra, "`record.delete`", ownKeys[kind], []);
      const output = objectOf({ id: typed({ kind: "uuid" }) });
      return id === null ? null : { action: { kind, entity: entity.name, id }, output };
    }
    case "record.transition": {
      const edge = edgeOf(context, action, found, given);
      if (edge === null) return null;
      const read = written("transition", edge);
      if (id === null || read === null) return null;
      return { action: { kind, entity: entity.name, id, edge: edge.name, values: read }, output: record };
    }
  }
}

/** The state after `subscription.activate` and `subscription.cancel`, and the transitions that lead to it. */
const subscriptionMoves: Readonly<Record<string, { readonly edge: string; readonly states: readonly string[] }>> = {
  "subscription.activate": { edge: "activate", states: ["active"] },
  "subscription.cancel": { edge: "cancel", states: ["cancelled", "canceled"] },
};

/** Through the transition with that name, or otherwise by writing `status`. */
export function readSubscriptionStep(
  context: BackgroundContext,
  action: Word,
  given: MapNode | null,
  scope: ActionScope,
): ReadAction | null {
  const { report } = context.reader;
  const found = context.entities.get("subscription");
  const move = subscriptionMoves[action.text];
  if (found === undefined || move === undefined) return null;
  const { entity } = found;
  const id = idOf(context, action, found, given, scope);
  const output = recordShape(entity.fields);
  for (const option of given?.entries ?? [])
    if (option.key.text !== "id") refuseKey(context.reader, option, `\`${action.text}\``, ["id"], []);
  const edge = entity.stateMachine?.edges.find((one) => one.name === move.edge);
  if (edge !== undefined) {
    if (id === null) return null;
    return { action: { kind: "record.transition", entity: entity.name, id, edge: edge.name, values: {} }, output };
  }
  const status = entity.fields.find((field) => field.name === "status");
  const states = status?.type.kind === "enum" ? status.type.values : [];
  const state = move.states.find((one) => states.includes(one));
  if (state === undefined || entity.stateMachine?.field === "status") {
    const message = `\`${action.text}\` needs a field \`status\` on \`subscription\` that can be \`${move.states[0]}\`.`;
    report.add("unknown_action", action.range, message, `Or declare a transition \`${move.edge}\`.`);
    return null;
  }
  if (id === null) return null;
  const values = { status: literal(state) };
  return { action: { kind: "record.update", entity: entity.name, id, values }, output };
}

function entityOf(
  { reader, entities }: BackgroundContext,
  action: Word,
  given: MapNode | null,
  { place }: ActionScope,
): CheckedEntity | null {
  const own = place.entity === null ? undefined : entities.get(place.entity);
  const entry = given === null ? undefined : entryOf(given, "entity");
  const isField = own?.entity.fields.some((field) => field.name === "entity") === true;
  if (entry === undefined || (isField && entryOf(given as MapNode, "values") === undefined)) {
    if (own !== undefined) return own;
    if (place.startUnknown === true) return null;
    reader.report.add(
      "missing_key",
      action.range,
      `\`${action.text}\` has no \`entity\`.`,
      `Write \`with: { entity: ${entities.keys().next().value ?? "<entity>"}, ... }\`.`,
    );
    return null;
  }
  const name = expectText(reader, entry.value, "`entity`");
  if (name === null) return null;
  const found = entities.get(name.text);
  if (found !== undefined) return found;
  const hint = suggestFor(name.text, entities.keys(), reader.report);
  reader.report.add("unknown_entity", name.range, `There is no entity \`${name.text}\`.`, hint);
  return null;
}

/** A key of the action, unless it is a field whose value is next to the keys. */
function ownEntry(given: MapNode, key: string, { entity }: CheckedEntity): MapEntry | undefined {
  const isField = key !== "id" && entity.fields.some((field) => field.name === key);
  const apart = entryOf(given, "values") !== undefined || entryOf(given, "where") !== undefined;
  return isField && !apart ? undefined : entryOf(given, key);
}

/** The entries that are values of fields; null if they are wrong as a whole. */
function valuesOf(
  { reader }: BackgroundContext,
  kind: RecordKind,
  found: CheckedEntity,
  given: MapNode | null,
): readonly MapEntry[] | null {
  if (given === null) return [];
  const key = kind === "record.find" ? "where" : "values";
  const isField = found.entity.fields.some((field) => field.name === key);
  const apart = isField ? undefined : entryOf(given, key);
  const own = new Set(ownKeys[kind].filter((name) => ownEntry(given, name, found) !== undefined));
  // A find can also look up by the id.
  if (apart === undefined) return given.entries.filter((entry) => !own.has(entry.key.text));
  for (const entry of given.entries)
    if (!own.has(entry.key.text) && entry !== apart)
      refuseKey(reader, entry, `\`${kind}\``, [...ownKeys[kind], key], []);
  return expectMap(reader, apart.value, `\`${key}\``)?.entries ?? null;
}

function idOf(
  context: BackgroundContext,
  action: Word,
  { entity }: CheckedEntity,
  given: MapNode | null,
  { place }: ActionScope,
): Template | null {
  const entry = given === null ? undefined : entryOf(given, "id");
  if (entry !== undefined) {
    const id = readTemplate(context, entry.value, place, { kind: "uuid" });
    if (
      id?.kind !== "literal" ||
      (typeof id.value === "string" && canonicalScalar({ kind: "uuid" }, id.value) !== null)
    )
      return id;
    const hint = "Write `id: ${{ steps.find.id }}`.";
    context.reader.report.add("invalid_step_value", entry.value.range, "This is not a valid id (a UUID).", hint);
    return null;
  }
  if (place.entity === entity.name && place.rows.includes("record"))
    return { kind: "value", expression: { kind: "field", type: { kind: "uuid" }, row: "record", path: ["id"] } };
  context.reader.report.add(
    "missing_key",
    action.range,
    `\`${action.text}\` doesn't say which \`${entity.name}\` it changes.`,
    "Write `with: { id: ${{ steps.find.id }}, ... }`.",
  );
  return null;
}

function edgeOf({ reader }: BackgroundContext, action: Word, found: CheckedEntity, given: MapNode | null): Edge | null {
  const { report } = reader;
  const { entity } = found;
  const entry = given === null ? undefined : ownEntry(given, "edge", found);
  if (entry === undefined) {
    const hint = "Write `with: { edge: publish }`.";
    report.add("missing_key", action.range, "`record.transition` has no `edge`.", hint);
    return null;
  }
  const name = expectText(reader, entry.value, "`edge`");
  if (name === null) return null;
  const edges = entity.stateMachine?.edges ?? [];
  const edge = edges.find((one) => one.name === name.text);
  if (edge !== undefined) return edge;
  const known = edges.map((one) => one.name);
  const hint = suggestFor(name.text, known, report) ?? "Declare it under `transitions`.";
  report.add("unknown_transition", name.range, `\`${entity.name}\` has no transition \`${name.text}\`.`, hint);
  return null;
}
