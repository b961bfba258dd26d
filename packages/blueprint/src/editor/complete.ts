// Completes at a position. In: the text during typing, and an offset. Out: suggestions with explanations. It works on
// text that is not valid YAML yet, and only suggests what fits the place.

import { moduleHelp } from "../language/sections.ts";
import type { Shape } from "../language/shape.ts";
import { modulesNotServed } from "../modules/modules.ts";
import { completeField, defaultsOf, type FieldPlace } from "./complete-field.ts";
import { completeKeys } from "./complete-keys.ts";
import { entityOfExpectation, entityOfView, namesOf, valuesOfField } from "./complete-names.ts";
import { completeRule } from "./complete-rule.ts";
import { completeWith } from "./complete-with.ts";
import { completeWork } from "./complete-work.ts";
import type { ExpressionText } from "./expression-text.ts";
import { asValue } from "./insertion.ts";
import { type Location, locate, mapAround, othersInList } from "./locate.ts";
import { readNotation } from "./notation.ts";
import { notationOf, type Outline, outlineOf } from "./outline.ts";
import { recordOf } from "./record-outline.ts";
import { entityIn, ruleScopeAt } from "./rule-scope.ts";
import { keyAt, shapesAt } from "./shape-at.ts";
import { nodeAt, textOf, valueAt } from "./sketch-tree.ts";
import type { Completion, Suggestion } from "./suggestion.ts";
import { plain, unique } from "./words.ts";
import { workOutline } from "./work-outline.ts";

/** @returns null if nothing can be suggested (a comment, a free text). */
export function completeAt(text: string, offset: number): Completion | null {
  const location = locate(text, offset);
  if (location === null) return null;
  const outline = outlineOf(location.root);
  const place: Place = { location, outline, text, offset };
  // What is written below decides whether it is a key or a value.
  const below = location.place === "either" ? nodeAt(location.root, location.spot)?.kind : undefined;
  const keys = location.place === "value" || below === "list" ? null : keysAt(place);
  const values = location.place === "key" || below === "map" || below === "list" ? null : valuesAt(place);
  const found =
    keys === null || keys.suggestions.length === 0
      ? values
      : values === null
        ? keys
        : { ...keys, suggestions: unique([...keys.suggestions, ...values.suggestions]) };
  if (found === null) return null;
  const wanted = text.slice(found.from, offset).toLowerCase();
  const suggestions = found.suggestions.filter((one) => matches(one.label.toLowerCase(), wanted));
  return suggestions.length === 0 ? null : { ...found, suggestions };
}

interface Place {
  readonly location: Location;
  readonly outline: Outline;
  readonly text: string;
  readonly offset: number;
}

/** By its start, or by the start of one of its words. */
function matches(label: string, wanted: string): boolean {
  return (
    wanted === "" || label.startsWith(wanted) || [".", "_", ":", "-"].some((one) => label.includes(`${one}${wanted}`))
  );
}

function keysAt({ location, outline, text }: Place): Completion {
  const { start, end } = location;
  return { from: start, to: end, suggestions: completeKeys(location, outline, text) };
}

/** What is replaced: the word at the position, or the whole value. */
interface Part {
  readonly suggestions: readonly Suggestion[];
  readonly word: RegExp;
}

function valuesAt(place: Place): Completion | null {
  const { location, text, offset } = place;
  const part = partAt(place);
  if (part === null) return null;
  const before = new RegExp(`(?:${part.word.source})$`).exec(location.before)?.[0] ?? "";
  const after =
    new RegExp(`^(?:${part.word.source})`).exec(text.slice(offset, Math.max(location.end, offset)))?.[0] ?? "";
  const from = offset - before.length;
  const to = offset + after.length;
  const suggestions = part.suggestions.flatMap((one) => asValue(one, { from, to }, location, text) ?? []);
  return { from, to, suggestions };
}

const ofWord = /\w*/;
/** An event, a role, a name with dots, an order: the value is one word. */
const ofValue = /[\w.:/@-]*/;

function partAt(place: Place): Part | null {
  const { location, outline } = place;
  const shapes = shapesAt(location.path);
  const given = completeWith(location, outline, "value");
  const template = templateAt(place);
  if (template !== null) return template;
  if (given !== null) return { suggestions: given, word: ofValue };
  if (shapes.some((shape) => shape.kind === "rule")) return rulePart(place, shapes);
  const field = fieldPlaceAt(location, outline, shapes);
  if (field !== null) {
    const isWhole = /(?:[^=!<>]=\s*|\bat\(\s*)[\w.:]*$/.test(location.before);
    const word = isWhole ? ofValue : ofWord;
    return { suggestions: completeField(fieldText(place, word, field), field), word };
  }
  if (!isOneWord(location)) return null;
  const others = new Set(othersInList(location));
  const suggestions = unique(shapes.flatMap((shape) => valuesOf(shape, place))).filter((one) => !others.has(one.label));
  return { suggestions, word: ofValue };
}

/** The notation around the position; after `type:`, what the other keys say belongs to it. */
function fieldText(place: Place, word: RegExp, { onlyType }: FieldPlace): ExpressionText {
  const text = around(place, place.location.before, word);
  const isOptional = onlyType && textOf(valueAt(mapAround(place.location), "optional")) === "true";
  return isOptional ? { ...text, rest: `${text.rest}?` } : text;
}

/** Whether nothing but one word is before the position. */
function isOneWord({ before }: Location): boolean {
  return /^[\w.:/@-]*$/.test(before);
}

/** The text before and after the word at the position. */
function around({ location, text, offset }: Place, before: string, word = ofWord): ExpressionText {
  const written = new RegExp(`(?:${word.source})$`).exec(before)?.[0] ?? "";
  const after = text.slice(offset, Math.max(location.end, offset));
  const left = new RegExp(`^(?:${word.source})`).exec(after)?.[0] ?? "";
  return { lead: before.slice(0, before.length - written.length), word: written, rest: after.slice(left.length) };
}

/** Between `${{` and `}}`. */
function templateAt(place: Place): Part | null {
  const { location, outline } = place;
  const open = location.before.lastIndexOf("${{");
  if (open === -1 || location.before.slice(open).includes("}}")) return null;
  const text = around(place, location.before.slice(open + 3));
  const rest = text.rest.split("}}")[0] ?? "";
  const [section, name] = location.path;
  if (section === "emails") {
    const variables = [...(outline.templates.get(name ?? "") ?? [])];
    return {
      suggestions:
        text.lead.trim() === ""
          ? variables.map(([one, notation]) => ({
              ...plain(one, "name", "A variable of this template."),
              detail: notation,
            }))
          : [],
      word: ofWord,
    };
  }
  const work = workOutline(location);
  return work === null ? null : { suggestions: completeWork({ ...text, rest }, work, outline), word: ofWord };
}

function rulePart(place: Place, shapes: readonly Shape[]): Part {
  const { location, outline } = place;
  const text = around(place, location.before);
  const work = workOutline(location);
  const isWork = work !== null && location.path[2] !== "permissions";
  if (isWork) return { suggestions: completeWork(text, work, outline), word: ofWord };
  const scope = ruleScopeAt(location.path);
  const entity = location.path[0] === "views" ? entityOfView(location) : scope.entity;
  const other = shapes.flatMap((shape) => (shape.kind === "word" ? valuesOf(shape, place) : []));
  if (!scope.condition && text.lead.trim() === "") {
    // A forced value: those that the field can have come first.
    const field = recordOf(entity, outline)?.fields.find((one) => one.name === location.path.at(-1));
    other.push(...valuesOfField(field, outline, "step"));
  }
  return { suggestions: [...other, ...completeRule(text, { ...scope, entity }, outline)], word: ofWord };
}

function fieldPlaceAt({ path }: Location, outline: Outline, shapes: readonly Shape[]): FieldPlace | null {
  const above = shapesAt(path.slice(0, -1));
  const isMember = isMemberPath(path);
  const isType = path.at(-1) === "type" && (above.some((shape) => shape.kind === "field") || isMember);
  if (!isType && !isMember && !shapes.some((shape) => shape.kind === "field")) return null;
  const names = isType ? path.slice(0, -1) : path;
  const section = path[0] ?? "";
  return {
    outline,
    entity: section === "entities" ? outline.entities.get(path[1] ?? "") : undefined,
    name: names.at(-1) ?? "",
    role: isMember ? "member" : section === "entities" ? "entity" : section === "users" ? "profile" : "data",
    onlyType: isType,
    ...(isMember ? { inside: path.includes("of", 3) ? ("list" as const) : ("object" as const) } : {}),
  };
}

/** `fields: { street: string }` in a field of the type `object`, and `of:` in a list. */
function isMemberPath(path: readonly string[]): boolean {
  if (path.includes("permissions")) return false;
  const deep = path[0] === "entities" ? 4 : 3;
  const at = path.lastIndexOf("fields");
  return path.includes("of", deep) || (at >= deep && path.length > at + 1);
}

function valuesOf(shape: Shape, place: Place): Suggestion[] {
  const { location, outline } = place;
  switch (shape.kind) {
    case "boolean":
      return ["true", "false"].map((one) => plain(one, "value", helpAt(location)));
    case "word":
      return wordsOf(shape.words, location);
    case "name":
      return namesOf(shape.of, outline, location);
    case "value":
      return valuesHere(place);
    case "text":
      return textsHere(place);
    default:
      return [];
  }
}

/** The help of the key that has this value. */
function helpAt({ path }: Location): string {
  return keyAt(path.filter((one, index) => one !== "[]" || index < path.length - 1))?.help ?? "";
}

function wordsOf(words: readonly string[], location: Location): Suggestion[] {
  const { path } = location;
  if (path[0] !== "modules") return words.map((word) => plain(word, "value", helpAt(location)));
  const isLater = (word: string): boolean => modulesNotServed.some((one) => one === word);
  return [...words.filter((word) => !isLater(word)), ...words.filter(isLater)].map((word) => ({
    ...plain(word, "value", moduleHelp[word] ?? ""),
    detail: isLater(word) ? "not available yet" : "",
  }));
}

/** Values of records: of rows in tests, of seeds, of defaults. */
function valuesHere({ location, outline }: Place): Suggestion[] {
  const { path } = location;
  const key = path.at(-1) === "[]" ? path.at(-2) : path.at(-1);
  if (path[0] === "tests" && path[1] === "rows") return ofField(path[2], key);
  if (path[0] === "tests" && path.includes("with")) return ofField(entityOfExpectation(location), key);
  if (path[0] === "tests" && path.includes("profile")) return ofField("user", key);
  if (path[0] === "entities" && path[2] === "seed") return ofField(path[1], key, "seed");
  if (key !== "default") return [];
  const field = valueAt(nodeAt(location.root, location.spot.slice(0, -2)), String(location.spot.at(-2)));
  // Limits can exclude a number.
  return defaultsOf(readNotation(notationOf(field))).filter(
    ({ kind, label }) => kind === "value" && !/^\d/.test(label),
  );

  function ofField(
    entity: string | null | undefined,
    name: string | undefined,
    where: "tests" | "seed" = "tests",
  ): Suggestion[] {
    const field = recordOf(entity ?? null, outline)?.fields.find((one) => one.name === name);
    const isInList = path.at(-1) === "[]";
    const hasList = field !== undefined && ["refs", "enum_set", "list"].includes(field.type ?? "");
    return isInList === hasList ? valuesOfField(field, outline, where) : [];
  }
}

/** Texts that name something after all. */
function textsHere({ location, outline }: Place): Suggestion[] {
  const { path } = location;
  const entity = outline.entities.get(entityIn(path) ?? "");
  if (path[0] === "entities" && path[2] === "transitions" && path.at(-1) === "initial")
    return namesOf("state", outline, location);
  if (path[0] === "webhooks" && path[1] === "in" && path[3] === "events" && path.length === 5)
    return namesOf("event", outline, location);
  if (path.at(-1) === "at" && path[0] === "entities")
    return (entity?.transitions ?? []).map((one) => plain(`transition:${one}`, "value", ""));
  return [];
}
