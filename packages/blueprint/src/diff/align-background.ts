// Translates background work. In: the work, and the new names of entities and fields. Out: the work in the new words:
// entities, their events, fields that steps write, and expressions over records: the run's own, the event's, and those
// that steps found or wrote.
import { type Expression, rewrite } from "@plinth/expression";
import type {
  Action,
  Background,
  BackgroundPart,
  Egress,
  Moment,
  Step,
  StepAction,
  Template,
  Values,
  Workflow,
} from "../model/background.ts";
import type { JsonValue } from "../model/json-value.ts";
import type { Names, Rename } from "./names.ts";

interface Words {
  readonly names: Names;
  readonly rename: Rename;
  /** Declared events keep their names. */
  readonly declared: ReadonlySet<string>;
  /** The entity of `record`, by its old name. */
  readonly entity: string | null;
  /** The entity of `event.record`, by its old name. */
  readonly carries: string | null;
  /** Step > the entity of the records in its output, by its old name. */
  readonly outputs: Map<string, string>;
  /** The entity of `each`, by its old name. */
  readonly each: string | null;
}

export function alignBackground(background: Background, names: Names, rename: Rename): Background {
  const declared = new Set(background.events.map((event) => event.name));
  const wordsOf = (entity: string | null, carries: string | null): Words => {
    return { names, rename, declared, entity, carries, outputs: new Map(), each: null };
  };
  const workflow = (one: Workflow): Workflow =>
    alignWorkflow(one, wordsOf(one.entity, one.lookup === null ? one.entity : null));
  const part = (one: BackgroundPart): BackgroundPart => ({ ...one, egress: alignEgress(one.egress, names) });
  const { outboundWebhooks } = background;
  return {
    ...background,
    workers: background.workers.map(workflow),
    workflows: background.workflows.map(workflow),
    actions: background.actions.map((one): Action => {
      const words = wordsOf(null, null);
      const steps = one.steps.map((step) => alignStep(step, words));
      const output = one.output === null ? null : alignTemplate(one.output, words);
      return { ...one, steps, output, egress: alignEgress(one.egress, names) };
    }),
    inboundWebhooks: background.inboundWebhooks.map(part),
    outboundWebhooks: outboundWebhooks === null ? null : alignOutbound(part(outboundWebhooks), wordsOf(null, null)),
    integrations: background.integrations.map(part),
  };
}

function alignOutbound(part: BackgroundPart, words: Words): BackgroundPart {
  const { events, ...others } = part.declaration as { readonly [name: string]: JsonValue };
  if (!Array.isArray(events)) return part;
  return {
    ...part,
    declaration: { ...others, events: events.map((event) => alignEvent(String(event), words)).sort() },
  };
}

function alignEgress(egress: readonly Egress[], names: Names): readonly Egress[] {
  return egress.map((one) => ({ ...one, entity: one.entity === null ? null : names.entity(one.entity) }));
}

function alignWorkflow(workflow: Workflow, words: Words): Workflow {
  const { names, entity } = words;
  return {
    ...workflow,
    on: workflow.on.map((event) => alignEvent(event, words)).sort(),
    when: workflow.when === null ? null : alignExpression(workflow.when, words),
    entity: entity === null ? null : names.entity(entity),
    lookup: workflow.lookup === null || entity === null ? workflow.lookup : alignValues(workflow.lookup, entity, words),
    steps: workflow.steps.map((step) => alignStep(step, words)),
    egress: alignEgress(workflow.egress, names),
  };
}

/** `<entity>.created` follows its entity's name. */
function alignEvent(event: string, { names, declared }: Words): string {
  if (declared.has(event)) return event;
  const [noun = "", ...verb] = event.split(".");
  return [names.entity(noun), ...verb].join(".");
}

function alignStep(step: Step, outer: Words): Step {
  const words = { ...outer, each: step.forEach === null ? outer.each : entityOfItems(step.forEach.items, outer) };
  const output = entityOfOutput(step.action);
  if (output !== null) words.outputs.set(step.id, output);
  const within = (one: Step): Step => alignStep(one, words);
  return {
    ...step,
    action: alignAction(step.action, words),
    if: step.if === null ? null : alignExpression(step.if, words),
    ...(step.delayUntil === undefined ? {} : { delayUntil: alignMoment(step.delayUntil, words) }),
    forEach: step.forEach === null ? null : { ...step.forEach, items: alignTemplate(step.forEach.items, outer) },
    onError: step.onError.kind === "steps" ? { kind: "steps", steps: step.onError.steps.map(within) } : step.onError,
    compensate: step.compensate.map(within),
  };
}

function alignMoment({ time, shiftMs }: Moment, words: Words): Moment {
  return { time: alignExpression(time, words), shiftMs };
}

function entityOfOutput(action: StepAction): string | null {
  return action.kind.startsWith("record.") && "entity" in action ? action.entity : null;
}

/** The entity of the records that a step goes through: the output of an earlier one. */
function entityOfItems(items: Template, { outputs }: Words): string | null {
  const list = items.kind === "value" ? items.expression : null;
  const isOutput = list?.kind === "value" && list.root === "steps" && list.path.length === 1;
  return isOutput ? (outputs.get(list.path[0] ?? "") ?? null) : null;
}

function alignAction(action: StepAction, words: Words): StepAction {
  const { names } = words;
  switch (action.kind) {
    case "record.create": {
      const values = alignValues(action.values, action.entity, words);
      return { ...action, entity: names.entity(action.entity), values };
    }
    case "record.update":
    case "record.transition": {
      const values = alignValues(action.values, action.entity, words);
      return { ...action, entity: names.entity(action.entity), id: alignTemplate(action.id, words), values };
    }
    case "record.delete":
      return { ...action, entity: names.entity(action.entity), id: alignTemplate(action.id, words) };
    case "record.find": {
      const where = alignValues(action.where, action.entity, words);
      return { ...action, entity: names.entity(action.entity), where };
    }
    case "event.emit":
      return { ...action, data: alignTemplate(action.data, words) };
    case "audit.write":
      return { ...action, note: alignTemplate(action.note, words) };
    case "worker.run":
      return { ...action, input: alignTemplate(action.input, words) };
    case "http.request": {
      const headers = Object.entries(action.headers).map(
        ([name, value]) => [name, alignTemplate(value, words)] as const,
      );
      const body = action.body === null ? null : alignTemplate(action.body, words);
      return { ...action, url: alignTemplate(action.url, words), headers: Object.fromEntries(headers), body };
    }
    case "email.send": {
      const aligned = (template: Template | null): Template | null =>
        template === null ? null : alignTemplate(template, words);
      return {
        ...action,
        to: aligned(action.to),
        toUser: aligned(action.toUser),
        replyTo: aligned(action.replyTo),
        subject: aligned(action.subject),
        text: aligned(action.text),
        html: aligned(action.html),
        values: aligned(action.values),
        language: aligned(action.language),
      };
    }
    case "wait_for": {
      // The record of its condition is the record of the event that it waits for.
      const noun = action.event.split(".")[0] ?? "";
      const condition = action.if === null ? null : alignExpression(action.if, { ...words, entity: noun });
      return { ...action, event: alignEvent(action.event, words), if: condition };
    }
    case "wait":
      return action.until === undefined ? action : { ...action, until: alignMoment(action.until, words) };
    case "approve":
      return action.message === null ? action : { ...action, message: alignTemplate(action.message, words) };
    case "webhook.emit":
      return action;
  }
}

function alignValues(values: Values, entity: string, words: Words): Values {
  const renamed = Object.entries(values).map(
    ([name, value]) => [words.names.field(entity, name), alignTemplate(value, words)] as const,
  );
  return Object.fromEntries(renamed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function alignTemplate(template: Template, words: Words): Template {
  switch (template.kind) {
    case "literal":
      return template;
    case "value":
      return { kind: "value", expression: alignExpression(template.expression, words) };
    case "text":
      return {
        kind: "text",
        parts: template.parts.map((part) => (typeof part === "string" ? part : alignExpression(part, words))),
      };
    case "list":
      return { kind: "list", items: template.items.map((item) => alignTemplate(item, words)) };
    case "object": {
      const members = Object.entries(template.members).map(
        ([name, value]) => [name, alignTemplate(value, words)] as const,
      );
      return { kind: "object", members: Object.fromEntries(members) };
    }
  }
}

function alignExpression(expression: Expression, words: Words): Expression {
  return rewrite(words.rename(expression, words.entity ?? ""), (node) =>
    node.kind === "value" ? { ...node, path: alignPath(node, words) } : node,
  );
}

/** `steps.find.title`, `each.title` and `event.record.title` follow the names of fields. */
function alignPath(
  { root, path }: Extract<Expression, { kind: "value" }>,
  { names, outputs, each, carries }: Words,
): readonly string[] {
  const [first = "", second = ""] = path;
  const moved = (entity: string | null | undefined, at: number): readonly string[] =>
    entity == null ? path : path.map((name, index) => (index === at ? names.field(entity, name) : name));
  if (root === "steps") return moved(outputs.get(first), 1);
  if (root === "each") return moved(each, 0);
  return root === "event" && (first === "record" || first === "old") && second !== "" ? moved(carries, 1) : path;
}
