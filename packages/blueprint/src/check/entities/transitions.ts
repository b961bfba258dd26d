// Checks transitions. In: the declared transitions of an entity. Out: its state machine, and the roles of each
// transition. It checks states and transitions against the entity's fields; rules are checked with the other
// permissions.
import type { EdgeDeclaration, EntityDeclaration, TransitionsDeclaration } from "../../declarations/declarations.ts";
import type { Edge, Field, StateMachine } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";
import type { CheckedEntity } from "./entity-draft.ts";
import { checkNumbered, keptForGood } from "./numbered.ts";

const EDGES_MAX = 100;

/** Each entity emits these events itself, so a transition can't use these names. */
const entityEvents: readonly string[] = ["created", "updated", "deleted", "restored"];
const wordShape = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const eventShape = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*\.[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** The entities with their state machines. The field with the state starts with the initial one. */
export function checkTransitions(
  declared: readonly EntityDeclaration[],
  checked: readonly CheckedEntity[],
  report: Report,
): readonly CheckedEntity[] {
  const byName = new Map(declared.map((one) => [one.name.text, one]));
  const kept = keptForGood(checked.map(({ entity }) => entity));
  const moving = checked.map((one) => withMachine(one, byName, report));
  for (const { entity } of moving) {
    const { fields = [], transitions = [] } = byName.get(entity.name) ?? {};
    checkNumbered(fields, entity, kept, transitions.length > 0 && entity.stateMachine === null, report);
  }
  return moving;
}

function withMachine(
  one: CheckedEntity,
  byName: ReadonlyMap<string, EntityDeclaration>,
  report: Report,
): CheckedEntity {
  const declaration = byName.get(one.entity.name);
  const [first, second] = declaration?.transitions ?? [];
  if (first === undefined) return one;
  if (second !== undefined)
    report.add(
      "invalid_transition",
      second.field.range,
      `\`${one.entity.name}\` already has transitions for \`${first.field.text}\`.`,
      "An entity can have only one state machine.",
    );
  const stateMachine = checkMachine(first, one, report);
  if (stateMachine === null) return one;
  const fields = one.entity.fields.map((field) =>
    field.name === stateMachine.field ? atFirst(field, stateMachine) : field,
  );
  return { ...one, entity: { ...one.entity, fields, stateMachine } };
}

function atFirst(field: Field, { initial }: StateMachine): Field {
  return { ...field, default: { kind: "literal", value: initial } };
}

function checkMachine(
  declared: TransitionsDeclaration,
  { entity, brokenFields }: CheckedEntity,
  report: Report,
): StateMachine | null {
  const field = entity.fields.find((one) => one.name === declared.field.text);
  if (field === undefined) {
    if (!brokenFields.has(declared.field.text)) unknownField(declared.field, entity, report);
    return null;
  }
  if (field.type.kind !== "enum" || field.optional) {
    const problem = field.type.kind === "enum" ? "can be empty" : `has the type \`${field.type.kind}\``;
    report.add(
      "invalid_transition",
      declared.field.range,
      `Transitions need an enum that is never empty, but \`${field.name}\` ${problem}.`,
      `For example \`${field.name}: enum[draft, active]\`.`,
    );
    return null;
  }
  const { values } = field.type;
  const initial = checkInitial(declared, field, values, report);
  const over = declared.edges[EDGES_MAX];
  if (over !== undefined)
    report.add("too_many", over.name.range, `An entity can have at most ${EDGES_MAX} transitions.`);
  if (declared.edges.length === 0 && declared.complete)
    report.add(
      "invalid_transition",
      declared.field.range,
      `\`${field.name}\` has no transition, so its value could never change.`,
      "For example `publish: { from: draft, to: active }`.",
    );
  const edges = declared.edges
    .slice(0, EDGES_MAX)
    .map((edge) => checkEdge(edge, field, values, { entity, brokenFields }, report));
  if (initial === null || !edges.every((edge) => edge !== null)) return null;
  const machine: StateMachine = { field: field.name, initial, edges };
  if (declared.complete && machine.edges.length > 0) warnOfUnreachable(machine, values, declared.field, report);
  return machine;
}

function checkInitial(
  { initial, field: word }: TransitionsDeclaration,
  field: Field,
  values: readonly string[],
  report: Report,
): string | null {
  if (initial === null) {
    report.add(
      "missing_key",
      word.range,
      `The transitions of \`${field.name}\` have no \`initial\`.`,
      `Add the state of a new record: \`initial: ${values[0] ?? ""}\`.`,
    );
    return null;
  }
  if (!checkState(initial, values, report)) return null;
  const { default: given } = field;
  if (given?.kind === "literal" && given.value !== initial.text) {
    report.add(
      "invalid_transition",
      initial.range,
      `\`initial\` of \`${field.name}\` is \`${initial.text}\`, but its default is \`${given.value}\`.`,
      "Remove the default, or use the same value for both.",
    );
    return null;
  }
  return initial.text;
}

function checkState(word: Word, values: readonly string[], report: Report): boolean {
  if (values.includes(word.text)) return true;
  const hint = suggestFor(word.text, values, report) ?? `Use one of: ${values.slice(0, 12).join(", ")}.`;
  report.add("unknown_enum_value", word.range, `\`${word.text}\` is not a value of this enum.`, hint);
  return false;
}

function checkEdge(
  edge: EdgeDeclaration,
  field: Field,
  values: readonly string[],
  checked: CheckedEntity,
  report: Report,
): Edge | null {
  const { entity } = checked;
  const name = edge.name.text;
  let fine = checkEdgeName(edge.name, report);
  for (const key of ["from", "to"]) {
    if (edge.keys.includes(key)) continue;
    report.add(
      "missing_key",
      edge.name.range,
      `The transition \`${name}\` has no \`${key}\`.`,
      "Write `{ from: draft, to: active }`.",
    );
    fine = false;
  }
  for (const word of edge.to === null ? edge.from : [...edge.from, edge.to])
    fine = checkState(word, values, report) && fine;
  const loop = edge.from.find((word) => word.text === edge.to?.text);
  if (loop !== undefined) {
    report.add(
      "invalid_transition",
      loop.range,
      `The transition \`${name}\` goes from \`${loop.text}\` to the same state.`,
      "A transition must change the state.",
    );
    fine = false;
  }
  fine = refuseTwice(edge.from, report) && refuseTwice(edge.require, report) && fine;
  for (const word of edge.require) fine = checkRequired(word, field, checked, report) && fine;
  const emit = edge.emit?.text ?? `${entity.name}.${name}`;
  if (edge.emit !== null) fine = checkEvent(edge.emit, entity, report) && fine;
  if (!fine || edge.to === null || edge.from.length === 0) return null;
  return {
    name,
    from: edge.from.map((word) => word.text),
    to: edge.to.text,
    require: edge.require.map((word) => word.text),
    emit,
  };
}

function checkEdgeName({ text, range }: Word, report: Report): boolean {
  if (!wordShape.test(text) || text.length > 48) {
    report.add(
      "invalid_name",
      range,
      `\`${text.slice(0, 60)}\` is not a valid name for a transition.`,
      "Use lower-case words joined by `_`, at most 48 characters.",
    );
    return false;
  }
  if (entityEvents.includes(text)) {
    report.add(
      "reserved_name",
      range,
      `\`${text}\` is a reserved name.`,
      "Every entity already has an event with this name.",
    );
    return false;
  }
  return true;
}

/** The event of a transition is `noun.verb`, and not an event that an entity emits itself. */
function checkEvent({ text, range }: Word, entity: CheckedEntity["entity"], report: Report): boolean {
  const [, verb] = text.split(".");
  if (eventShape.test(text) && !entityEvents.includes(verb ?? "")) return true;
  const hint = `Use a noun and a verb in the past tense, such as \`${entity.name}.delivered\`, but none of \`${entityEvents.join("`, `")}\`.`;
  report.add("invalid_event_name", range, `\`${text.slice(0, 120)}\` is not a valid event for a transition.`, hint);
  return false;
}

function refuseTwice(words: readonly Word[], report: Report): boolean {
  const seen = new Set<string>();
  const twice = words.find(({ text }) => seen.size === seen.add(text).size);
  if (twice === undefined) return true;
  report.add("duplicate_value", twice.range, `\`${twice.text}\` is listed twice.`, "Remove one of them.");
  return false;
}

/** The fields of `require` can be sent with the transition, so callers must be able to write them. */
function checkRequired(word: Word, state: Field, { entity, brokenFields }: CheckedEntity, report: Report): boolean {
  const field = entity.fields.find((one) => one.name === word.text);
  if (field === undefined) return !brokenFields.has(word.text) && unknownField(word, entity, report);
  if (field.name !== state.name && isWrittenByCallers(field) && !field.immutable) return true;
  const why =
    field.name === state.name ? "The transition writes this field itself." : "No caller can write this field.";
  report.add("field_not_writable", word.range, `A transition can't require \`${field.name}\`.`, why);
  return false;
}

export function isWrittenByCallers(field: Field): boolean {
  return field.writer === "caller" && field.type.kind !== "computed" && field.type.kind !== "sequence";
}

export function unknownField(word: Word, entity: CheckedEntity["entity"], report: Report): false {
  const names = entity.fields.map((field) => field.name);
  report.add(
    "unknown_field",
    word.range,
    `\`${entity.name}\` has no field \`${word.text}\`.`,
    suggestFor(word.text, names, report),
  );
  return false;
}

function warnOfUnreachable(machine: StateMachine, values: readonly string[], word: Word, report: Report): void {
  const reached = new Set([machine.initial]);
  // Each pass reaches at least one more state, or is the last.
  for (let size = 0; size < reached.size; ) {
    size = reached.size;
    for (const edge of machine.edges) if (edge.from.some((state) => reached.has(state))) reached.add(edge.to);
  }
  const lost = values.filter((value) => !reached.has(value));
  if (lost.length > 0)
    report.add(
      "unreachable_state",
      word.range,
      `No transition leads to ${lost.map((value) => `\`${value}\``).join(", ")}.`,
      "Add a transition, or remove the value.",
    );
}
