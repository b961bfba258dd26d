// Completes an expression of background work: its roots, and the members of each. In: the position, the text and the
// blueprint's names. Out: suggestions; null if there is no such expression at the position.
import { stepErrorCodes } from "@plinth/expression";
import { ruleFunctions } from "../language/expressions.ts";
import { fieldsOf, helped, plain, userMembers } from "./complete-rule.ts";
import type { Location } from "./locate.ts";
import { moduleData, moduleRecord } from "./module-outline.ts";
import type { Outline } from "./outline.ts";
import type { Completion, Suggestion } from "./suggestion.ts";
import { type StepOutline, type WorkOutline, workOutline } from "./work-outline.ts";

/** @param isRule Whether the whole value is an expression; otherwise only the text between `${{` and `}}` is. */
export function completeWork(
  location: Location,
  outline: Outline,
  { text, offset, isRule }: { readonly text: string; readonly offset: number; readonly isRule: boolean },
): Completion | null {
  const work = workOutline(text, offset, location.path);
  if (work === null || (isRule && location.path[2] === "permissions")) return null;
  const open = location.before.lastIndexOf("${{");
  const isOpen = open !== -1 && !location.before.slice(open).includes("}}");
  if (!isOpen && !isRule) return null;
  const inside = isOpen ? location.before.slice(open + 3) : location.before;
  const word = /\w*$/.exec(inside)?.[0] ?? "";
  const from = offset - word.length;
  const rest = /^\w*/.exec(text.slice(offset))?.[0].length ?? 0;
  return { from, to: offset + rest, suggestions: suggest(inside.slice(0, inside.length - word.length), work, outline) };
}

function suggest(lead: string, work: WorkOutline, outline: Outline): Suggestion[] {
  const path = /((?:\w+\.)+)$/.exec(lead)?.[1]?.split(".").slice(0, -1);
  if (path === undefined) return comparedValues(lead, work, outline) ?? roots(work, outline);
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
  const { section, steps, at } = work;
  const hasRecord = entityOf(work, outline) !== null;
  const named: readonly (readonly [string, boolean, string])[] = [
    ["record", hasRecord, "The record that the work is about."],
    ["old", hasRecord && work.lookup === null, "The record before the change."],
    ["event", eventsOf(work).length > 0, "The event that started the work."],
    ["input", section !== "workflows", "The input from the caller."],
    ["steps", steps.length > 0, "The results of earlier steps."],
    ["each", at?.forEach === true, "The current member of `for_each`."],
    ["error", work.onError, "Why the step with this `on_error` failed."],
    ["run", true, "This run of the work."],
    ["current_user", section === "actions", "The caller of the action."],
    ["now", true, "The current time."],
  ];
  return [
    ...named.flatMap(([name, isThere, help]) => (isThere ? [plain(name, "name", help)] : [])),
    ...helped(ruleFunctions, "function", "(", ["has", "size", "duration"]),
  ];
}

function members([root, ...path]: readonly string[], work: WorkOutline, outline: Outline): Suggestion[] {
  const own = { ...work, inWait: false };
  switch (root) {
    case "record":
    case "old":
      return path.length > 0 ? [] : recordMembers(entityOf(work, outline), outline);
    case "event":
      return eventMembers(path, dataOf(eventsOf(work), outline));
    case "input":
      return path.length > 0 ? [] : fieldMembers(outline.inputs.get(work.name));
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

function eventMembers([first, ...rest]: readonly string[], data: Suggestion[]): Suggestion[] {
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
function entityOf(work: WorkOutline, outline: Outline): string | null {
  if (work.lookup !== null && !work.inWait) return work.lookup;
  const carried = new Set(eventsOf(work).map((event) => (outline.payloads.has(event) ? "" : event.split(".")[0])));
  const [only] = carried;
  const isEntity = only !== undefined && (outline.entities.has(only) || moduleRecord(only, outline) !== undefined);
  return carried.size === 1 && isEntity ? only : null;
}

function recordMembers(entity: string | null, outline: Outline): Suggestion[] {
  const brought = moduleRecord(entity ?? "", outline);
  return brought === undefined ? fieldsOf(outline.entities.get(entity ?? "")) : fieldMembers(brought);
}

function fieldMembers(fields: ReadonlyMap<string, string> | undefined): Suggestion[] {
  return [...(fields ?? [])].map(([name, notation]) => ({ ...plain(name, "field", ""), detail: notation }));
}

function typed(types: Readonly<Record<string, string>>): Suggestion[] {
  return Object.entries(types).map(([name, detail]) => ({ ...plain(name, "field", ""), detail }));
}
