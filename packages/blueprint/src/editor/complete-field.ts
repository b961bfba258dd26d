// Completes a field's notation: its type, arguments, modifiers, default. In: the position and the blueprint's names.
// Out: suggestions.
import { modifierHelp, typeHelp } from "../language/field-types.ts";
import type { Location } from "./locate.ts";
import type { Outline } from "./outline.ts";
import type { Completion, Suggestion } from "./suggestion.ts";

export function completeField(location: Location, outline: Outline): Completion {
  const { before, start, end } = location;
  const word = /[\w.]*$/.exec(before)?.[0] ?? "";
  const lead = before.slice(0, before.length - word.length);
  const from = start + lead.length;
  const to = Math.max(from + word.length, Math.min(end, from + word.length));
  return { from, to, suggestions: suggest(lead, outline) };
}

function suggest(lead: string, outline: Outline): Suggestion[] {
  const call = /([a-z_]+)[([<]\s*(?:[^()[\]<>]*,\s*)?$/.exec(lead)?.[1];
  if (call === "ref" || call === "refs")
    return [...outline.entities.keys()].map((name) => plain(name, "entity", "An entity of this blueprint."));
  if (call === "on_delete")
    return [
      plain("restrict", "value", "The delete is refused (the default)."),
      plain("cascade", "value", "The records that refer to it are deleted too."),
      plain("set_null", "value", "The reference is emptied. It must be optional."),
    ];
  if (call === "list" || call === "i18n") return types();
  if (call !== undefined) return [];
  if (/=\s*$/.test(lead)) return defaultsOf(lead);
  if (/^\s*["']?$/.test(lead)) return types();
  const used = new Set(lead.split(/[\s(]+/));
  return [
    ...Object.entries(modifierHelp)
      .filter(([name]) => !used.has(name) && (isReference(lead) || (name !== "on_delete" && name !== "as")))
      .map(([name, { notation, help }]) => ({
        ...plain(name, "modifier", help),
        detail: notation === name ? "" : notation,
      })),
    ...(used.has("=") ? [] : [{ ...plain("=", "modifier", "The value if none is sent."), insert: "= " }]),
  ];
}

function isReference(lead: string): boolean {
  return /^\s*["']?(?:ref|user_ref|org_ref)\b/.test(lead);
}

function types(): Suggestion[] {
  return Object.entries(typeHelp).map(([name, type]) => {
    const opens = /^\w+([([{<])/.exec(type.notation)?.[1] ?? "";
    const needed = [
      "enum",
      "enum_set",
      "decimal",
      "money",
      "object",
      "list",
      "i18n",
      "vector",
      "ref",
      "refs",
      "computed",
    ];
    const insert = needed.includes(name) ? `${name}${opens}` : name;
    const help = `${type.help}\n\nJSON: ${type.json}. Postgres: ${type.postgres}.`;
    return { label: name, insert, kind: "type", detail: type.notation, help };
  });
}

function defaultsOf(lead: string): Suggestion[] {
  const type = /^\s*["']?(\w+)/.exec(lead)?.[1] ?? "";
  const values = /\[([^\]]*)\]/.exec(lead)?.[1];
  if (type === "enum" && values !== undefined)
    return values.split(",").map((value) => plain(value.trim(), "value", "One of its values."));
  switch (type) {
    case "bool":
      return [plain("true", "value", ""), plain("false", "value", "")];
    case "datetime":
      return [plain("now", "value", "The time of the request.")];
    case "date":
      return [plain("today", "value", "The day of the request, in UTC.")];
    case "user_ref":
      return [plain("current_user.id", "value", "The signed-in user. Only an admin can set another user.")];
    case "org_ref":
      return [plain("current_org", "value", "The organization in which the request is made.")];
    default:
      return [];
  }
}

function plain(label: string, kind: Suggestion["kind"], help: string): Suggestion {
  return { label, insert: label, kind, detail: "", help };
}
