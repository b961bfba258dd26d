// Reduces background work to its effects. In: a model. Out: everything that its workers, workflows, schedules and
// actions do with the rights of the service, each effect with its start and its guard. Steps with the rights of their
// caller have no effect of their own. The names of parts and steps, retries, delays and time limits don't count. It
// never decides whether an effect is harmless.
import { type Expression, joined, keyOfRule, type Template, type Values } from "@plinth/expression";
import type { Step, StepAction } from "../../model/background.ts";
import type { Entity, Field, FieldDefault, Model } from "../../model/model.ts";
import { printWork } from "../../model/print-background.ts";
import type { Act, Effect, Start } from "./effect.ts";
import { exactly, fact, unless } from "./facts.ts";
import { createLeaving } from "./leaving.ts";
import {
  expressionsIn,
  keyOfSource,
  keyOfTemplate,
  keyOfValues,
  type Naming,
  normalExpression,
  normalTemplate,
  type Output,
  sourcesOf,
} from "./normal-form.ts";
import { type StartedPart, startedParts } from "./starts.ts";

export interface Reduction {
  readonly effects: readonly Effect[];
  /** Every event that a step causes and every worker that it starts, as the key of a start > how they are caused. */
  readonly caused: ReadonlyMap<string, readonly Start[]>;
}

/** @param intern A short text for a long one, the same on both sides of a comparison. */
export function reduceModel(model: Model, intern: (text: string) => string): Reduction {
  const effects: Effect[] = [];
  const caused = new Map<string, Start[]>();
  for (const part of startedParts(model))
    for (const start of part.starts) {
      const walk = new Walk({ model, part, start, intern });
      walk.run();
      effects.push(...walk.effects);
      for (const event of walk.caused) caused.set(event, [...(caused.get(event) ?? []), start]);
    }
  return { effects, caused };
}

interface Walking {
  readonly model: Model;
  readonly part: StartedPart;
  readonly start: Start;
  readonly intern: (text: string) => string;
}

type Guard = readonly Expression[];

class Walk {
  readonly effects: Effect[] = [];
  readonly caused = new Set<string>();
  readonly #outputs = new Map<string, Output>();
  /** How often each role was asked for its approval so far. */
  readonly #asked = new Map<string, number>();
  #hasWaited = false;
  readonly #walking: Walking;
  readonly #leaving: ReturnType<typeof createLeaving>;

  constructor(walking: Walking) {
    this.#walking = walking;
    this.#leaving = createLeaving(walking.model);
  }

  run(): void {
    const { part, start } = this.#walking;
    const when = start.kind === "event" && part.when !== null ? [normalExpression(part.when, this.#naming(null))] : [];
    const guard = this.#steps(part.steps, when);
    if (part.output !== null) this.#show("caller", part.output, guard, this.#naming(null));
  }

  #naming(each: Output | null): Naming {
    const { model, start } = this.#walking;
    return {
      outputs: this.#outputs,
      each,
      entity: start.entity,
      carries: start.carries,
      inAction: start.kind === "action",
      fieldsOf: (name) => readableBySteps(entityOf(model, name)),
    };
  }

  /** Out: what is true after the steps, in addition to what was true before. */
  #steps(steps: readonly Step[], before: Guard): Guard {
    let guard = before;
    for (const step of steps) guard = [...guard, ...this.#step(step, guard)];
    return guard;
  }

  #step(step: Step, before: Guard): Guard {
    const each = step.forEach === null ? null : this.#eachOf(step.forEach.items);
    const naming = this.#naming(each);
    const conditions = step.if === null ? [] : [normalExpression(step.if, naming)];
    const guard = [...before, ...conditions];
    const { action } = step;
    this.#hasWaited ||= waits(step);
    const key = this.#walking.intern(`${each?.key ?? ""} ${keyOfAction(action, naming)}`);
    const approved = action.kind === "approve" ? this.#approval(action, each !== null, key) : null;
    if (step.as === "service") this.#act(action, { guard, naming, each });
    else this.#causeOf(action);
    this.#outputs.set(step.id, {
      key,
      ...outputOf(action, this.#walking.model),
      approved: approved === null ? null : joined("&&", [...conditions, approved]),
    });
    if (step.onError.kind === "steps") this.#steps(step.onError.steps, [...guard, fact("failed", key)]);
    this.#steps(step.compensate, [...guard, fact("undone", key)]);
    return this.#passed(step, { conditions, key, approved });
  }

  /** What must have happened for the steps after this one: an approval was given, or an event has come. */
  #passed(
    { action, onError }: Step,
    { conditions, key, approved }: { conditions: Guard; key: string; approved: Expression | null },
  ): Guard {
    if (onError.kind !== "fail") return [];
    const passed =
      action.kind === "wait_for"
        ? fact("came", key)
        : action.kind === "approve" && action.onReject === "fail"
          ? approved
          : null;
    return passed === null ? [] : [unless(conditions, passed)];
  }

  /** Anybody with one of the roles can give it. Further approvals by the same role are approvals of their own. */
  #approval({ roles, bySelf }: Extract<StepAction, { kind: "approve" }>, isRepeated: boolean, key: string): Expression {
    if (isRepeated) return fact("approved", key);
    const given = roles.flatMap((role) => {
      const time = (this.#asked.get(role) ?? 0) + 1;
      this.#asked.set(role, time);
      return [
        fact("approval", `${role} ${time}`),
        ...(bySelf ? [fact("approval", `${role} ${time} by the person who caused it`)] : []),
      ];
    });
    return given.length === 0 ? exactly(false) : joined("||", given);
  }

  #eachOf(items: Template): Output {
    const naming = this.#naming(null);
    const key = this.#walking.intern(`each ${keyOfTemplate(normalTemplate(items, naming))}`);
    const [only] = expressionsIn(items);
    const [id, second] = only?.kind === "value" && only.root === "steps" ? only.path : [];
    const listed = id === undefined || second !== undefined ? undefined : this.#outputs.get(id);
    return { ...(listed ?? { entity: null, kind: "other", approved: null }), key, approved: null };
  }

  #act(action: StepAction, at: { guard: Guard; naming: Naming; each: Output | null }): void {
    const { guard, naming } = at;
    this.#causeOf(action);
    switch (action.kind) {
      case "record.create": {
        const values = this.#written(action.values, naming);
        const given = withoutDefaults(values, entityOf(this.#walking.model, action.entity));
        const act: Act = { kind: "create", entity: action.entity, values: given };
        this.#add(act, `${action.entity} {${keyOfValues(given)}}`, at, action.values);
        return;
      }
      case "record.update":
      case "record.transition": {
        const { entity } = action;
        const target = normalTemplate(action.id, naming);
        const values = this.#written(action.values, naming);
        const of = `${entity} ${keyOfTemplate(target)}`;
        const edge = action.kind === "record.transition" ? action.edge : null;
        if (edge !== null) this.#add({ kind: "transition", entity, target, edge, values }, `${of} ${edge}`, at, {});
        for (const [field, value] of Object.entries(values)) {
          const act: Act = { kind: "update", entity, target, edge, field, values };
          const own = action.values[field] as Template;
          this.#add(act, `${of} ${edge ?? ""}.${field}=${keyOfTemplate(value)}`, at, { [field]: own });
        }
        return;
      }
      case "record.delete": {
        const target = normalTemplate(action.id, naming);
        const act: Act = { kind: "delete", entity: action.entity, target };
        this.#add(act, `${action.entity} ${keyOfTemplate(target)}`, at, {});
        return;
      }
      case "event.emit":
        this.#add({ kind: "emit", name: action.event }, keyOfAction(action, naming), at, {});
        break;
      case "worker.run":
        this.#add({ kind: "run", name: action.worker }, keyOfAction(action, naming), at, {});
        return;
      case "approve":
        if (action.message !== null) this.#show(action.roles, action.message, guard, naming);
        return;
      default:
        break;
    }
    for (const { receiver, sources } of this.#leaving(action, naming, this.#walking.start))
      for (const source of [null, ...sources]) {
        const key = `${receiver.key} ${source === null ? "" : keyOfSource(source)}`;
        this.#effect({ kind: "leave", receiver }, key, guard, { source });
      }
  }

  #written(values: Values, naming: Naming): Values {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, normalTemplate(value, naming)]));
  }

  #show(to: "caller" | readonly string[], template: Template, guard: Guard, naming: Naming): void {
    const readers = to === "caller" ? to : to.join();
    for (const source of sourcesOf(template, naming))
      if (source.origin !== "input")
        this.#effect({ kind: "show", to }, `${readers} ${keyOfSource(source)}`, guard, { source });
  }

  #add(
    act: Act,
    key: string,
    { guard, naming, each }: { guard: Guard; naming: Naming; each: Output | null },
    written: Values,
  ): void {
    const reads = Object.entries(written).map(([field, value]) => [field, sourcesOf(value, naming)] as const);
    const texts = Object.entries(written).map(([name, value]) => [name, shortened(templateText(value))] as const);
    const words =
      act.kind === "create"
        ? texts.map(([name, value]) => `\`${name}\` as \`${value}\``).join(", ")
        : texts.map(([, value]) => `\`${value}\``).join();
    this.#effect(act, `${each?.key ?? ""} ${key}`, guard, { reads: Object.fromEntries(reads), words });
  }

  #effect(
    act: Act,
    key: string,
    guard: Guard,
    { source = null, reads = {}, words = "" }: Partial<Pick<Effect, "source" | "reads" | "words">>,
  ): void {
    const { part, start, intern } = this.#walking;
    const isLater = this.#hasWaited;
    const all = { path: part.path, start, act, guard, isLater, source, reads, words };
    this.effects.push({ ...all, key: intern(`${act.kind} ${key}`) });
  }

  #causeOf(action: StepAction): void {
    for (const key of startsCausedBy(action, this.#walking.model)) this.caused.add(key);
  }
}

function waits({ action, delayMs, delayUntil }: Step): boolean {
  return (
    delayMs !== null || delayUntil !== undefined || ["wait", "wait_for", "approve", "worker.run"].includes(action.kind)
  );
}

function keyOfAction(action: StepAction, naming: Naming): string {
  return JSON.stringify(action, (_, part: unknown) => {
    if (part === null || typeof part !== "object" || !("kind" in part)) return part;
    if ("type" in part) return keyOfRule(normalExpression(part as Expression, naming));
    const { kind } = part as { kind: string };
    return ["literal", "value", "text", "list", "object"].includes(kind)
      ? keyOfTemplate(normalTemplate(part as Template, naming))
      : part;
  });
}

function outputOf(action: StepAction, model: Model): Pick<Output, "entity" | "kind"> {
  switch (action.kind) {
    case "record.create":
    case "record.update":
    case "record.transition":
    case "record.find":
      return { entity: action.entity, kind: "record" };
    case "wait_for":
      return { entity: entityOfEvent(action.event, model), kind: "event" };
    default:
      return { entity: null, kind: "other" };
  }
}

/** The entity whose record an event carries; null if it is none of the blueprint's. */
export function entityOfEvent(event: string, { entities, background }: Model): string | null {
  if (background.events.some(({ name }) => name === event)) return null;
  const [noun = ""] = event.split(".");
  if (entities.some(({ name }) => name === noun)) return noun;
  return entities.find((one) => one.stateMachine?.edges.some(({ emit }) => emit === event))?.name ?? null;
}

/** The keys of the starts that a step brings about, without the look-up of a record. */
export function startsCausedBy(action: StepAction, model: Model): readonly string[] {
  switch (action.kind) {
    case "record.create":
      return [`event ${action.entity}.created`];
    case "record.update":
      return [`event ${action.entity}.updated`];
    case "record.delete":
      return [`event ${action.entity}.deleted`];
    case "record.transition": {
      const edges = entityOf(model, action.entity)?.stateMachine?.edges ?? [];
      return edges.filter(({ name }) => name === action.edge).map(({ emit }) => `event ${emit}`);
    }
    case "event.emit":
      return [`event ${action.event}`];
    case "worker.run":
      return [`worker ${action.worker}`];
    default:
      return [];
  }
}

function entityOf({ entities }: Model, name: string): Entity | undefined {
  return entities.find((one) => one.name === name);
}

/** Secrets never leave the database. */
function readableBySteps(entity: Entity | undefined): readonly string[] {
  return (entity?.fields ?? []).filter(({ type }) => type.kind !== "secret").map(({ name }) => name);
}

/** A value that a record gets anyway says nothing. */
function withoutDefaults(values: Values, entity: Entity | undefined): Values {
  const isDefault = (field: Field | undefined, value: Template): boolean =>
    field !== undefined &&
    value.kind === "literal" &&
    JSON.stringify(value.value) === JSON.stringify(literalOf(field.default));
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        !isDefault(
          entity?.fields.find((one) => one.name === name),
          value,
        ),
    ),
  );
}

function literalOf(value: FieldDefault | null): unknown {
  return value === null ? null : value.kind === "literal" ? value.value : undefined;
}

const WORDS_MAX = 80;

function shortened(text: string): string {
  return text.length <= WORDS_MAX ? text : `${text.slice(0, WORDS_MAX)}...`;
}

function templateText(template: Template): string {
  switch (template.kind) {
    case "literal":
      return JSON.stringify(template.value);
    case "value":
      return printWork(template.expression);
    case "text":
      return template.parts.map((part) => (typeof part === "string" ? part : `\${{ ${printWork(part)} }}`)).join("");
    case "list":
      return `[${template.items.map(templateText).join(", ")}]`;
    case "object":
      return `{${Object.entries(template.members)
        .map(([name, value]) => `${name}: ${templateText(value)}`)
        .join(", ")}}`;
  }
}
