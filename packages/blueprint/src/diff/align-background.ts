// Translates background work. In: the work, and the new names of entities and fields. Out: the work in the new words:
// entities, their events, fields that steps write, and expressions over the record. Members of step outputs keep their
// names.
import type { Expression } from "@plinth/expression";
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
}

export function alignBackground(background: Background, names: Names, rename: Rename): Background {
  const declared = new Set(background.events.map((event) => event.name));
  const workflow = (one: Workflow): Workflow => alignWorkflow(one, { names, rename, declared, entity: one.entity });
  const words: Words = { names, rename, declared, entity: null };
  const part = (one: BackgroundPart): BackgroundPart => ({ ...one, egress: alignEgress(one.egress, names) });
  const { outboundWebhooks } = background;
  return {
    ...background,
    workers: background.workers.map(workflow),
    workflows: background.workflows.map(workflow),
    actions: background.actions.map((one): Action => {
      const steps = one.steps.map((step) => alignStep(step, words));
      return { ...one, steps, egress: alignEgress(one.egress, names) };
    }),
    inboundWebhooks: background.inboundWebhooks.map(part),
    outboundWebhooks: outboundWebhooks === null ? null : alignOutbound(part(outboundWebhooks), words),
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

function alignStep(step: Step, words: Words): Step {
  const within = (one: Step): Step => alignStep(one, words);
  return {
    ...step,
    action: alignAction(step.action, words),
    if: step.if === null ? null : alignExpression(step.if, words),
    ...(step.delayUntil === undefined ? {} : { delayUntil: alignMoment(step.delayUntil, words) }),
    forEach: step.forEach === null ? null : { ...step.forEach, items: alignTemplate(step.forEach.items, words) },
    onError: step.onError.kind === "steps" ? { kind: "steps", steps: step.onError.steps.map(within) } : step.onError,
    compensate: step.compensate.map(within),
  };
}

function alignMoment({ time, shiftMs }: Moment, words: Words): Moment {
  return { time: alignExpression(time, words), shiftMs };
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

function alignExpression(expression: Expression, { entity, rename }: Words): Expression {
  return rename(expression, entity ?? "");
}
