// Fills a template. In: JSON that contains expressions, and their context. Out: JSON. The value of an expression is
// never evaluated as an expression again.
import type { JsonValue, StepAction, Template, Values } from "@plinth/bundle";
import { type EvaluationContext, evaluateValue, namedValue } from "@plinth/expression";
import { textOf } from "../project/expression-text.ts";
import { MASK } from "../project/mask.ts";
import { createRoom, type Room } from "../project/room.ts";

/** Whether a field of an entity is a secret. */
export type IsSecret = (entity: string, field: string) => boolean;

/**
 * Maximum characters of one template's result. Each step can use the output of an earlier one several times. Without a
 * limit, a few steps could fill the memory of this process, which all projects share.
 */
const FILLED_MAX = 1_048_576;

/** @throws Fault `conflict` if the result is too large. */
export function fillTemplate(template: Template, context: EvaluationContext): JsonValue {
  return fill(template, context, newRoom());
}

/** Together they have the room of one template. @throws Fault `conflict` if the results are too large. */
export function fillMembers(
  members: Readonly<Record<string, Template>>,
  context: EvaluationContext,
): Readonly<Record<string, JsonValue>> {
  return fillEach(members, context, newRoom());
}

function fill(template: Template, context: EvaluationContext, room: Room): JsonValue {
  switch (template.kind) {
    case "literal":
      return room.take(template.value);
    case "value":
      return room.take(namedValue(template.expression, context) ?? evaluateValue(template.expression, context));
    case "text":
      return template.parts.map((part) => room.take(typeof part === "string" ? part : textOf(part, context))).join("");
    case "list":
      return template.items.map((item) => fill(item, context, room));
    case "object":
      return fillEach(template.members, context, room);
  }
}

function fillEach(
  members: Readonly<Record<string, Template>>,
  context: EvaluationContext,
  room: Room,
): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, fill(member, context, room)]));
}

const newRoom = (): Room => createRoom(FILLED_MAX, "The results of one step's templates have");

/** The input of an action, for people who look at its run. Nothing else reads it, so it contains no secrets. */
export function inputOf(action: StepAction, context: EvaluationContext, isSecret: IsSecret): JsonValue {
  const written = (entity: string, values: Values): Readonly<Record<string, JsonValue>> =>
    Object.fromEntries(
      Object.entries(fillMembers(values, context)).map(([name, value]) => [
        name,
        value !== null && isSecret(entity, name) ? MASK : value,
      ]),
    );
  switch (action.kind) {
    case "record.create":
      return written(action.entity, action.values);
    case "record.update":
    case "record.transition":
      return { id: fillTemplate(action.id, context), ...written(action.entity, action.values) };
    case "record.delete":
      return { id: fillTemplate(action.id, context) };
    case "record.find":
      return fillMembers(action.where, context);
    case "event.emit":
      return fillTemplate(action.data, context);
    case "audit.write":
      return fillTemplate(action.note, context);
    case "email.send":
      // The list of mails has its text, encrypted.
      return {
        template: action.template,
        ...(action.to === null ? {} : { to: fillTemplate(action.to, context) }),
        ...(action.subject === null ? {} : { subject: fillTemplate(action.subject, context) }),
        ...(action.values === null ? {} : { values: fillTemplate(action.values, context) }),
      };
    case "http.request":
      return {
        method: action.method,
        url: fillTemplate(action.url, context),
        body: action.body === null ? null : fillTemplate(action.body, context),
      };
    case "worker.run":
      return fillTemplate(action.input, context);
    case "approve":
      return action.message == null ? null : { message: fillTemplate(action.message, context) };
    case "wait":
    case "wait_for":
    case "webhook.emit":
      return null;
  }
}
