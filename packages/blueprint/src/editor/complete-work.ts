// Completes an expression of background work: its roots, and the members of each. In: the text of the expression around
// the position, and the work. Out: suggestions.
import { stepErrorCodes } from "@plinth/expression";
import { ruleFunctions } from "../language/expressions.ts";
import { roleNames, userMembers } from "./complete-rule.ts";
import { type ExpressionText, fitting, isInQuotes, isOneOf } from "./expression-text.ts";
import { moduleData } from "./module-outline.ts";
import type { Fields, Outline } from "./outline.ts";
import { recordOf } from "./record-outline.ts";
import type { Suggestion } from "./suggestion.ts";
import { calls, fieldSuggestion, operators, plain } from "./words.ts";
import type { StepOutline, WorkOutline } from "./work-outline.ts";

export function completeWork(text: ExpressionText, work: WorkOutline, outline: Outline): readonly Suggestion[] {
  const { lead, rest } = text;
  if (isInQuotes(lead)) return [];
  const values = comparedValues(lead, work, outline);
  if (values !== null && isOneOf(values, text)) return values;
  return fitting(suggest(lead, work, outline), rest, (name) =>
    isOpen(name, work) ? null : suggest(`${lead}${name}.`, work, outline),
  );
}

/** Whether its members are not known. */
function isOpen(name: string, { section, steps }: WorkOutline): boolean {
  if (name === "input") return section !== "actions";
  return name === "each" || name === "data" || steps.some((one) => one.id === name);
}

function suggest(lead: string, work: WorkOutline, outline: Outline): Suggestion[] {
  const path = /((?:\w+\.)+)$/.exec(lead)?.[1]?.split(".").slice(0, -1);
  if (path === undefined) {
    if (lead.endsWith(".")) return [];
    if (/\bcurrent_user\.is\(\s*$/.test(lead)) return roleNames(outline);
    if (/[\w\])"']\s+$/.test(lead) && !/\bin\s+$/.test(lead)) return operators();
    return roots(work, outline);
  }
  return members(path, work, outline);
}

/** `record.status == `: the values of that enum. */
function comparedValues(lead: string, work: WorkOutline, outline: Outline): Suggestion[] | null {
  const path = /((?:\w+\.)+)(\w+)\s*(?:==|!=|in\s*\[(?:\s*\w+\s*,)*)\s*$/.exec(lead);
  const owner = path?.[1]?.split(".").slice(0, -1) ?? [];
  const field = members(owner, work, outline).find((one) => one.label === path?.[2]);
  const values = /^enum\[([^\]]*)\]/.exec(field?.detail ?? "")?.[1];
  if (values === undefined) return null;
  return values.split(",").map((value) => plain(value.trim(), "value", `A value of \`${path?.[2]}\`.`));
}

function roots(work: WorkOutline, outline: Outline): Suggestion[] {
  const { section, steps } = work;
  const hasRecord = entityOf(work, outline) !== null;
  const named: readonly (readonly [string, boolean, string])[] = [
    ["record", hasRecord, "The record that the work is about."],
    ["old", hasRecord && work.lookup === null, "The record before the change."],
    ["event", eventsOf(work).length > 0, "The event that started the work."],
    ["input", section !== "workflows" && !work.isStart, "The input from the caller."],
    ["steps", steps.length > 0, "The results of earlier steps."],
    ["each", work.inEach, "The current member of `for_each`."],
    ["error", work.onError, "Why the step with this `on_error` failed."],
    ["run", !work.isStart, "This run of the work."],
    ["current_user", section === "actions", "The caller of the action."],
    ["now", true, "The current time."],
  ];
  return [
    ...named.flatMap(([name, isThere, help]) => (isThere ? [plain(name, "name", help)] : [])),
    ...calls(ruleFunctions, ["has", "size", "duration"]),
  ];
}

function members([root, ...path]: readonly string[], work: WorkOutline, outline: Outline): Suggestion[] {
  const own = { ...work, inWait: false };
  switch (root) {
    case "record":
    case "old":
      return path.length > 0 ? [] : recordMembers(entityOf(work, outline), outline);
    case "event":
      return eventMembers(path, dataOf(eventsOf(work), outline), carriedBy(work, outline), outline);
    case "input":
      return path.length > 0 ? [] : fieldMembers(outline.inputs.get(work.name));
    case "each": {
      const source = work.steps.find((one) => one.id === work.at?.each);
      return path.length > 0 || source === undefined
        ? []
        : recordMembers(source.entity ?? entityOf(work, outline), outline);
    }
    case "current_user":
      return path.length > 0 ? [] : userMembers(outline);
    case "error":
      return path.length > 0 || !work.onError
        ? []
        : typed({
            step: "text",
            code: `enum[${stepErrorCodes.join(", ")}]`,
            message: "text",
            status: "int",
            body: "text?",
            attempts: "int",
          });
    case "run": {
      const [first] = path;
      if (work.inWait && (first === "record" || first === "event")) return members(path, own, outline);
      const more = work.inWait ? { event: "", record: entityOf(own, outline) ?? "" } : {};
      return path.length > 0 ? [] : typed({ id: "uuid", workflow: "text", request_id: "text?", ...more });
    }
    case "steps": {
      const [id, ...rest] = path;
      if (id === undefined) return work.steps.map((step) => ({ ...plain(step.id, "name", ""), detail: step.action }));
      const step = work.steps.find((one) => one.id === id);
      return step === undefined ? [] : stepMembers(step, rest, work, outline);
    }
    default:
      return [];
  }
}

function stepMembers(
  step: StepOutline,
  [first, ...rest]: readonly string[],
  work: WorkOutline,
  outline: Outline,
): Suggestion[] {
  if (step.forEach || step.many) return [];
  if (step.action === "wait_for" && step.event !== null) {
    const entity = step.event.split(".")[0] ?? "";
    if (first === "record") return rest.length > 0 ? [] : recordMembers(entity, outline);
    if (first === "data") return rest.length > 0 ? [] : dataOf([step.event], outline);
    return first === undefined ? typed({ id: "uuid", name: "text", at: "datetime", data: "", record: entity }) : [];
  }
  if (first !== undefined) return [];
  if (step.action === "approve") return typed({ approved: "bool", by: "text", at: "datetime", note: "text" });
  if (step.action === "event.emit") return dataOf(step.event === null ? [] : [step.event], outline);
  if (step.action === "record.delete") return typed({ id: "uuid" });
  if (step.action.startsWith("record.")) return recordMembers(step.entity ?? entityOf(work, outline), outline);
  return step.action.startsWith("subscription.") ? recordMembers("subscription", outline) : [];
}

/** @param carried The entity of the record in the event; null for none. */
function eventMembers(
  [first, ...rest]: readonly string[],
  data: Suggestion[],
  carried: string | null,
  outline: Outline,
): Suggestion[] {
  if (first === "record") return rest.length > 0 ? [] : recordMembers(carried, outline);
  if (first === "actor") return rest.length > 0 ? [] : typed({ kind: "text", id: "text" });
  if (first === "data") return rest.length > 0 ? [] : data;
  if (first !== undefined) return [];
  return typed({
    id: "uuid",
    name: "text",
    at: "datetime",
    entity: "text?",
    record_id: "uuid?",
    organization_id: "uuid?",
    actor: "",
    request_id: "text?",
    data: "",
    ...(carried === null ? {} : { record: carried }),
  });
}

function dataOf([only, second]: readonly string[], outline: Outline): Suggestion[] {
  return only === undefined || second !== undefined
    ? []
    : fieldMembers(outline.payloads.get(only) ?? moduleData(only, outline));
}

function eventsOf({ on, at, inWait }: WorkOutline): readonly string[] {
  if (inWait) return at?.event == null ? [] : [at.event];
  return on.filter((one) => one.includes("."));
}

/** The one entity whose records the events carry, or that is looked up. */
export function entityOf(work: WorkOutline, outline: Outline): string | null {
  return work.lookup !== null && !work.inWait ? work.lookup : carriedBy(work, outline);
}

function carriedBy(work: WorkOutline, outline: Outline): string | null {
  const carried = new Set(eventsOf(work).map((event) => (outline.payloads.has(event) ? "" : event.split(".")[0])));
  const [only] = carried;
  const isEntity = only !== undefined && (outline.entities.has(only) || recordOf(only, outline) !== undefined);
  return carried.size === 1 && isEntity ? only : null;
}

function recordMembers(entity: string | null, outline: Outline): Suggestion[] {
  const fields = recordOf(entity, outline)?.fields ?? [];
  return fields.filter(({ type }) => type !== "secret" && type !== "refs").map(fieldSuggestion);
}

function fieldMembers(fields: Fields | undefined): Suggestion[] {
  return [...(fields ?? [])].map(([name, notation]) => ({ ...plain(name, "field", ""), detail: notation }));
}

function typed(types: Readonly<Record<string, string>>): Suggestion[] {
  return Object.entries(types).map(([name, detail]) => ({ ...plain(name, "field", ""), detail }));
}
