// Completes the input of a step: its keys and their values. In: the place in `with`. Out: suggestions; null if the place
// is not in the input of a step.

import { fieldSuggestion, named, valuesOfField } from "./complete-names.ts";
import { plain } from "./complete-rule.ts";
import { entityOf } from "./complete-work.ts";
import type { Location } from "./locate.ts";
import { readNotation } from "./notation.ts";
import type { Fields, Outline } from "./outline.ts";
import { type FieldOutline, recordOf } from "./record-outline.ts";
import type { Suggestion } from "./suggestion.ts";
import { type StepOutline, stepAt, workOutline } from "./work-outline.ts";

/** Keys of actions that are not fields of a record. */
const keysOfActions: Readonly<Record<string, readonly string[]>> = {
  "record.create": ["entity"],
  "record.update": ["entity", "id"],
  "record.delete": ["entity", "id"],
  "record.find": ["entity", "where", "limit"],
  "record.transition": ["entity", "id", "edge"],
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
  const input = inputOf(found.step, nested, entity, outline);
  return input === null ? null : { input, key: inside.at(-1) ?? "" };
}

function inputOf(step: StepOutline, nested: readonly string[], entity: string | null, outline: Outline): Input | null {
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
          return action.startsWith("record.") ? named([...outline.entities.keys()], "entity") : [];
        case "edge":
          return named(outline.entities.get(entity ?? "")?.transitions ?? []);
        case "worker":
          return named(outline.onlyWorkers);
        case "template":
          return named([...outline.templates.keys()]);
        case "name":
          return action === "event.emit" || action === "webhook.emit" ? named([...outline.payloads.keys()]) : [];
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
  if (action === "record.find")
    return fields.filter((one) => one.type !== "computed" && one.type !== "secret" && one.type !== "refs");
  const state = outline.entities.get(name ?? "")?.stateField;
  return fields.filter((one) => {
    if (!one.written) return false;
    if (action === "record.create") return true;
    return (
      !one.modifiers.has("immutable") && !(action === "record.transition" && (one.name === state || edge === null))
    );
  });
}
