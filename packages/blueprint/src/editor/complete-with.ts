// Completes the input of a step: its keys and their values. In: the place in `with`. Out: suggestions; null if the place
// is not in the input of a step.

import { entityNames, isSought, namesOf, valuesOfField } from "./complete-names.ts";
import { entityOf } from "./complete-work.ts";
import type { Location } from "./locate.ts";
import { readNotation } from "./notation.ts";
import type { Fields, Outline } from "./outline.ts";
import { type FieldOutline, recordOf } from "./record-outline.ts";
import type { Suggestion } from "./suggestion.ts";
import { fieldSuggestion, named, plain } from "./words.ts";
import { type StepOutline, stepAt, workOutline } from "./work-outline.ts";

/** Keys of actions that are not fields of a record. */
const keysOfActions: Readonly<Record<string, readonly string[]>> = {
  "record.create": ["entity", "values"],
  "record.update": ["entity", "id", "values"],
  "record.delete": ["entity", "id"],
  "record.find": ["entity", "where", "limit"],
  "record.transition": ["entity", "id", "edge", "values"],
  "event.emit": ["name", "payload"],
  "webhook.emit": ["name", "payload"],
  "audit.write": ["note"],
  "worker.run": ["worker", "input"],
  "subscription.activate": ["id"],
  "subscription.cancel": ["id"],
  "email.send": ["to", "to_user", "reply_to", "subject", "text", "html", "template", "values", "language"],
  "email.send_receipt": ["to", "to_user", "reply_to", "subject", "text", "html", "template", "values", "language"],
  "http.request": ["url", "method", "headers", "body", "repeat"],
  wait: ["for"],
  wait_for: ["event", "timeout", "if"],
  approve: ["roles", "by_self", "timeout", "message", "on_reject"],
};

const helpOfKeys: Readonly<Record<string, string>> = {
  entity: "The entity of the record. By default that of the record that the work is about.",
  id: "The record. By default the one that the work is about.",
  edge: "The transition to take.",
  where: "The values to look for.",
  limit: "With a limit, the result is a list.",
  values: "The values of the fields. They can also be next to the other keys.",
  name: "The event, as it is declared under `events`.",
  payload: "The data of the event.",
  note: "The text of the line.",
  worker: "The worker to start.",
  input: "The input of the worker.",
  to: "The address of the receiver.",
  to_user: "The id of the user who receives it.",
  reply_to: "The address for replies.",
  subject: "The subject of the mail.",
  text: "The mail as plain text.",
  html: "The mail as HTML.",
  template: "A template of the section `emails`.",
  language: "The language of the mail.",
  url: "The address of the service.",
  method: "The method of the request.",
  headers: "The headers of the request.",
  body: "The body of the request.",
  repeat: "Whether the service can get the request again.",
  for: "How long it waits, such as `5m`.",
  event: "The event to wait for.",
  timeout: "The maximum time to wait.",
  if: "The condition that the event must meet.",
  roles: "The roles that can approve.",
  by_self: "Whether the person who caused the run can approve it.",
  message: "The text that the approvers read.",
  on_reject: "What happens after a refusal.",
};

interface Input {
  readonly keys: readonly Suggestion[];
  values(key: string): readonly Suggestion[];
}

export function completeWith(
  location: Location,
  outline: Outline,
  what: "key" | "value",
): readonly Suggestion[] | null {
  const found = inputAt(location, outline);
  if (found === null) return null;
  return what === "key" ? found.input.keys : found.input.values(found.key);
}

function inputAt(location: Location, outline: Outline): { readonly input: Input; readonly key: string } | null {
  const found = stepAt(location.root, location.spot);
  if (found === null) return null;
  const names = found.rest.filter((one) => typeof one === "string");
  const at = names.indexOf("with");
  if (at === -1 || at > 1) return null;
  const inside = names.slice(at + 1);
  const work = workOutline(location);
  const entity = found.step.entity ?? (work === null ? null : entityOf(work, outline));
  const nested = location.place === "value" ? inside.slice(0, -1) : inside;
  const input = inputOf(found.step, nested, entity, { outline, location });
  return input === null ? null : { input, key: inside.at(-1) ?? "" };
}

function inputOf(
  step: StepOutline,
  nested: readonly string[],
  entity: string | null,
  { outline, location }: { readonly outline: Outline; readonly location: Location },
): Input | null {
  const { action } = step;
  const [first, second] = nested;
  if (second !== undefined) return nothing;
  const fields = fieldsFor(step, entity, outline);
  const asKeys = (list: readonly FieldOutline[]): Suggestion[] => list.map(fieldSuggestion);
  const ofFields: Input = {
    keys: asKeys(fields),
    values: (key) =>
      valuesOfField(
        fields.find((one) => one.name === key),
        outline,
        "step",
      ),
  };
  if (first !== undefined) {
    if (first === "where" || (first === "values" && action.startsWith("record."))) return ofFields;
    if (first === "payload") return ofData(outline.payloads.get(step.event ?? ""), outline);
    if (first === "values") return ofData(outline.templates.get(step.template ?? ""), outline);
    return nothing;
  }
  const keys = keysOfActions[action];
  if (keys === undefined) return nothing;
  const own = keys.map((key) => plain(key, "key", helpOfKeys[key] ?? ""));
  const isRecord = action.startsWith("record.") && action !== "record.delete" && !step.apart;
  return {
    keys: isRecord ? [...own, ...ofFields.keys.filter((one) => !keys.includes(one.label))] : own,
    values: (key) => {
      switch (key) {
        case "entity":
          return action.startsWith("record.") ? entityNames(outline) : [];
        case "edge":
          return named(outline.entities.get(entity ?? "")?.transitions ?? [], "name", `A transition of \`${entity}\`.`);
        case "worker":
          return named(outline.onlyWorkers, "name", "A worker of this blueprint.");
        case "template":
          return named([...outline.templates.keys()], "name", "An e-mail template of this blueprint.");
        case "method":
          return named(["POST", "PUT", "PATCH", "GET", "DELETE"], "value", "The method of the request.");
        case "event":
          return action === "wait_for" ? namesOf("event", outline, location) : [];
        case "roles":
          return action === "approve" ? namesOf("role", outline, location) : [];
        case "on_reject":
          return named(["fail", "continue"], "value", "What happens after a refusal.");
        case "name":
          return action === "event.emit" || action === "webhook.emit"
            ? named([...outline.payloads.keys()], "name", "An event that this blueprint declares.")
            : [];
        default:
          return isRecord ? ofFields.values(key) : [];
      }
    },
  };
}

const nothing: Input = { keys: [], values: () => [] };

function ofData(data: Fields | undefined, outline: Outline): Input {
  const fields = [...(data ?? [])].map(
    ([name, notation]): FieldOutline => ({ ...readNotation(notation), name, notation, implicit: false, written: true }),
  );
  return {
    keys: fields.map(fieldSuggestion),
    values: (key) =>
      valuesOfField(
        fields.find((one) => one.name === key),
        outline,
        "step",
      ),
  };
}

/** The fields that the step can write, or look up by. */
function fieldsFor({ action, edge }: StepOutline, name: string | null, outline: Outline): readonly FieldOutline[] {
  const fields = recordOf(name, outline)?.fields ?? [];
  if (action === "record.find") return fields.filter(isSought);
  const state = outline.entities.get(name ?? "")?.stateField;
  return fields.filter((one) => {
    if (!one.written) return false;
    if (action === "record.create") return true;
    return (
      !one.modifiers.has("immutable") && !(action === "record.transition" && (one.name === state || edge === null))
    );
  });
}
