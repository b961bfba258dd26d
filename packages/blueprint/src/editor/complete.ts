// Completes at a position. In: the text during typing, and an offset. Out: suggestions with explanations. It works on
// text that is not valid YAML yet, and never suggests something with a wrong form.

import { roleHelp } from "../language/expressions.ts";
import { fieldKeys } from "../language/field-types.ts";
import { moduleHelp, operationHelp } from "../language/sections.ts";
import type { KeyShape, NameOf, Shape } from "../language/shape.ts";
import { completeField } from "./complete-field.ts";
import { completeComputed, completeRule } from "./complete-rule.ts";
import { completeWork } from "./complete-work.ts";
import { type Location, locate } from "./locate.ts";
import { moduleEventsOf } from "./module-outline.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { shapesAt } from "./shape-at.ts";
import type { Completion, Suggestion } from "./suggestion.ts";

/** @returns null if nothing can be suggested (a comment, a free text). */
export function completeAt(text: string, offset: number): Completion | null {
  const location = locate(text, offset);
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  if (/(?:^|\s)#/.test(text.slice(lineStart, offset)) && !/["'].*#/.test(text.slice(lineStart, offset))) return null;
  const outline = outlineOf(text);
  const found =
    location.place === "key" ? completeKey(location, outline, text) : completeValue(location, outline, text, offset);
  if (found === null || found.suggestions.length === 0) return null;
  const wanted = text.slice(found.from, offset).toLowerCase();
  const suggestions = found.suggestions.filter((one) => matches(one.label.toLowerCase(), wanted));
  return suggestions.length === 0 ? null : { ...found, suggestions };
}

/** By its start, or by the start of one of its words. */
function matches(label: string, wanted: string): boolean {
  return wanted === "" || label.startsWith(wanted) || label.includes(`_${wanted}`) || label.includes(`.${wanted}`);
}

function completeKey(location: Location, outline: Outline, text: string): Completion | null {
  const shapes = shapesAt(location.path);
  const present = new Set(siblingsAt(text, location));
  const suggestions = shapes
    .flatMap((shape) => keysOf(shape, outline, location.path))
    .filter((one) => !present.has(one.label));
  const values = shapes.flatMap((shape) => (isListMember(location) ? valuesOf(shape, outline, location) : []));
  const all = unique([...suggestions, ...values]);
  return all.length === 0 ? null : { from: location.start, to: location.end, suggestions: all };
}

function isListMember(location: Location): boolean {
  return location.path[location.path.length - 1] === "[]";
}

function keysOf(shape: Shape, outline: Outline, path: readonly string[]): Suggestion[] {
  switch (shape.kind) {
    case "map":
      return Object.entries(shape.keys).map(([name, key]) => keySuggestion(name, key));
    case "field":
      return Object.entries(fieldKeys).map(([name, key]) => keySuggestion(name, key));
    case "names":
      return namedKeys(shape.key, outline, path, shape.keys ?? []);
    default:
      return [];
  }
}

function keySuggestion(name: string, key: KeyShape): Suggestion {
  const detail = key.required === true ? "required" : "";
  const nested = key.value.kind === "map" || key.value.kind === "names" || key.value.kind === "shape";
  return { label: name, insert: nested ? `${name}:` : `${name}: `, kind: "key", detail, help: key.help };
}

/** Keys that the author names, if the blueprint already knows the possible names. */
function namedKeys(what: string, outline: Outline, path: readonly string[], fixed: readonly string[]): Suggestion[] {
  const known = fixed.map((name) => nameSuggestion(`${name}`, "name", operationHelp[name] ?? "", ": "));
  if (what === "operation") {
    const entity = outline.entities.get(entityIn(path) ?? "");
    const edges = (entity?.transitions ?? []).map((edge) =>
      nameSuggestion(`transition:${edge}`, "name", `Take the transition \`${edge}\`.`, ": "),
    );
    return [...known, ...edges];
  }
  if (what === "role" && path[path.length - 1] === "permissions") return rolesOf(outline, ":");
  if (what === "role" && path.includes("permissions")) return rolesOf(outline, ":");
  if (what === "entity" && path[0] !== "entities")
    return [...outline.entities.keys()].map((name) => nameSuggestion(name, "entity", "", ":"));
  if (what === "field" && entityIn(path) !== null) return fieldsOf(outline, path, ": ");
  return known;
}

function completeValue(location: Location, outline: Outline, text: string, offset: number): Completion | null {
  const shapes = shapesAt(location.path);
  const isRule = shapes.some((shape) => shape.kind === "rule");
  const work = completeWork(location, outline, { text, offset, isRule });
  if (work !== null) return work;
  if (isRule) {
    const rule = completeRule(location, outline, entityIn(location.path));
    const words = shapes.flatMap((shape) => (shape.kind === "word" ? valuesOf(shape, outline, location) : []));
    return { ...rule, suggestions: [...words, ...rule.suggestions] };
  }
  if (shapes.some((shape) => shape.kind === "field") || isTypeKey(location))
    return isComputed(location)
      ? completeComputed(location, outline, entityIn(location.path))
      : completeField(location, outline);
  const suggestions = unique(shapes.flatMap((shape) => valuesOf(shape, outline, location)));
  return suggestions.length === 0 ? null : { from: location.start, to: location.end, suggestions };
}

/** Whether it is in the parentheses of `computed(...)`. */
function isComputed({ before }: Location): boolean {
  const inside = /^\s*["']?computed(\(.*)$/s.exec(before)?.[1] ?? "";
  return [...inside].reduce((depth, one) => depth + (one === "(" ? 1 : one === ")" ? -1 : 0), 0) > 0;
}

function isTypeKey(location: Location): boolean {
  const parent = shapesAt(location.path.slice(0, -1));
  return location.path[location.path.length - 1] === "type" && parent.some((shape) => shape.kind === "field");
}

function valuesOf(shape: Shape, outline: Outline, location: Location): Suggestion[] {
  switch (shape.kind) {
    case "word":
      return shape.words.map((name) => ({ ...nameSuggestion(name, "value", moduleHelp[name] ?? "", "") }));
    case "boolean":
      return ["true", "false"].map((name) => nameSuggestion(name, "value", "", ""));
    case "name":
      return namesOf(shape.of, outline, location.path);
    case "list":
      return location.before.startsWith("[") || location.path[location.path.length - 1] === "[]"
        ? valuesOf(shape.of, outline, location)
        : [];
    default:
      return [];
  }
}

function namesOf(of: NameOf, outline: Outline, path: readonly string[]): Suggestion[] {
  const plain = (names: Iterable<string>, kind: Suggestion["kind"] = "name"): Suggestion[] =>
    [...names].map((name) => nameSuggestion(name, kind, "", ""));
  switch (of) {
    case "entity":
      return plain(outline.entities.keys(), "entity");
    case "field":
      return fieldsOf(outline, path, "");
    case "role":
      return rolesOf(outline, "");
    case "event":
      return plain([...eventsOf(outline), ...moduleEventsOf(outline).keys(), ...outline.events]);
    case "worker":
      return plain(outline.workers);
    case "action":
      return plain(builtinActions);
    case "connection":
      return plain(outline.connections);
    case "test_user":
      return plain(["public", ...outline.testUsers]);
    case "test_row":
      return plain([...outline.testRows.values()].flat());
  }
}

const builtinActions = [
  ...[
    "record.create",
    "record.update",
    "record.delete",
    "record.find",
    "record.transition",
    "event.emit",
    "audit.write",
  ],
  ...[
    "webhook.emit",
    "email.send",
    "email.send_receipt",
    "subscription.activate",
    "subscription.cancel",
    "http.request",
  ],
  ...["worker.run", "wait", "wait_for", "approve"],
];

function eventsOf(outline: Outline): string[] {
  return [...outline.entities.values()].flatMap((entity) => [
    ...["created", "updated", "deleted"].map((what) => `${entity.name}.${what}`),
    ...entity.transitions.map((edge) => `${entity.name}.${edge}`),
  ]);
}

function rolesOf(outline: Outline, suffix: string): Suggestion[] {
  const builtin = Object.entries(roleHelp).map(([name, help]) => nameSuggestion(name, "role", help, suffix));
  return [
    ...builtin,
    ...outline.roles.map((name) => nameSuggestion(name, "role", "A role of this blueprint.", suffix)),
  ];
}

function fieldsOf(outline: Outline, path: readonly string[], suffix: string): Suggestion[] {
  const entity = outline.entities.get(entityIn(path) ?? "");
  return [...(entity?.fields ?? [])].map(([name, notation]) => ({
    ...nameSuggestion(name, "field", "", suffix),
    detail: notation,
  }));
}

/** The entity that a path belongs to: under `entities`, top-level `permissions`, or rows of tests. */
function entityIn(path: readonly string[]): string | null {
  if (path[0] === "entities" || path[0] === "permissions") return path[1] ?? null;
  return path[0] === "tests" && path[1] === "rows" ? (path[2] ?? null) : null;
}

/** Sibling keys: with the same indentation, under the same parent. */
function siblingsAt(text: string, location: Location): string[] {
  const lineStart = text.lastIndexOf("\n", location.start - 1) + 1;
  const column = location.start - lineStart;
  const names: string[] = [];
  const collect = (lines: readonly string[]): void => {
    for (const line of lines) {
      if (/^\s*(?:#|$)/.test(line)) continue;
      const indent = /^\s*(?:- +)*/.exec(line)?.[0].length ?? 0;
      if (indent < column) return;
      const key = indent === column ? /^\s*(?:- +)*([\w-]+)\s*:/.exec(line)?.[1] : undefined;
      if (key !== undefined) names.push(key);
    }
  };
  collect(text.slice(0, lineStart).split("\n").reverse());
  collect(text.slice(lineStart).split("\n").slice(1));
  return names;
}

function nameSuggestion(name: string, kind: Suggestion["kind"], help: string, suffix: string): Suggestion {
  return { label: name, insert: `${name}${suffix}`, kind, detail: "", help };
}

function unique(suggestions: readonly Suggestion[]): Suggestion[] {
  return [...new Map(suggestions.map((one) => [one.label, one])).values()];
}
