// Explains what is at a position. In: the text and an offset. Out: Markdown, and its range; null if there is nothing to
// explain.
import { roleHelp, ruleFunctions, ruleMethods, ruleNames } from "../language/expressions.ts";
import { modifierHelp, typeHelp } from "../language/field-types.ts";
import { moduleHelp, operationHelp } from "../language/sections.ts";
import { completeAt } from "./complete.ts";
import { locate } from "./locate.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { keyAt, shapesAt } from "./shape-at.ts";
import { workOutline } from "./work-outline.ts";

export interface Hover {
  readonly from: number;
  readonly to: number;
  /** Markdown. */
  readonly text: string;
}

export function hoverAt(text: string, offset: number): Hover | null {
  const word = wordAt(text, offset);
  if (word === null) return null;
  const location = locate(text, word.from);
  if (location === null) return null;
  const outline = outlineOf(location.root);
  const said =
    location.place === "key"
      ? aboutKey([...location.path, word.text], outline)
      : ((workOutline(location) === null ? null : asSuggested(text, word)) ??
        aboutValue(location.path, word.text, outline));
  const help = said ?? asSuggested(text, word);
  return help === null ? null : { from: word.from, to: word.to, text: help };
}

/** The text that completion shows for the word at this place. */
function asSuggested(text: string, word: Word): string | null {
  const cut = text.slice(0, word.from) + text.slice(word.to);
  const found = completeAt(cut, word.from)?.suggestions.find((one) => one.label === word.text);
  if (found === undefined || (found.detail === "" && found.help === "")) return null;
  return [`**${found.label}**`, ...(found.detail === "" ? [] : [`\`${found.detail}\``]), found.help]
    .filter((part) => part !== "")
    .join("\n\n");
}

interface Word {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function wordAt(text: string, offset: number): Word | null {
  let from = offset;
  let to = offset;
  while (from > 0 && /\w/.test(text.charAt(from - 1))) from--;
  while (to < text.length && /\w/.test(text.charAt(to))) to++;
  return from === to ? null : { from, to, text: text.slice(from, to) };
}

function aboutKey(path: readonly string[], outline: Outline): string | null {
  const key = keyAt(path);
  const name = path[path.length - 1] ?? "";
  if (key !== null) return `**${name}**\n\n${key.help}`;
  const shapes = shapesAt(path.slice(0, -1));
  if (shapes.some((shape) => shape.kind === "names" && shape.key === "role") && roleHelp[name] !== undefined)
    return `**${name}** (role)\n\n${roleHelp[name]}`;
  if (shapes.some((shape) => shape.kind === "names" && shape.key === "operation") && operationHelp[name] !== undefined)
    return `**${name}**\n\n${operationHelp[name]}`;
  const entity = path[0] === "entities" && path.length === 2 ? outline.entities.get(name) : undefined;
  if (entity === undefined) return null;
  const fields = [...entity.fields].map(([field, notation]) => `${field}: ${notation}`);
  return `**${name}** (entity)\n\n\`\`\`yaml\n${fields.join("\n")}\n\`\`\``;
}

function aboutValue(path: readonly string[], word: string, outline: Outline): string | null {
  const shapes = shapesAt(path);
  const isField = shapes.some((shape) => shape.kind === "field") || path[path.length - 1] === "type";
  if (isField && Object.hasOwn(typeHelp, word)) {
    const type = typeHelp[word];
    if (type !== undefined)
      return `\`${type.notation}\`\n\n${type.help}\n\nJSON: ${type.json}. Postgres: ${type.postgres}.`;
  }
  if (isField && Object.hasOwn(modifierHelp, word)) {
    const modifier = modifierHelp[word];
    if (modifier !== undefined) return `\`${modifier.notation}\`\n\n${modifier.help}`;
  }
  if (shapes.some((shape) => shape.kind === "rule")) return aboutRuleWord(path, word, outline);
  if (Object.hasOwn(moduleHelp, word) && path[0] === "modules") return `**${word}** (module)\n\n${moduleHelp[word]}`;
  if (Object.hasOwn(roleHelp, word)) return `**${word}** (role)\n\n${roleHelp[word]}`;
  return null;
}

function aboutRuleWord(path: readonly string[], word: string, outline: Outline): string | null {
  const entity = outline.entities.get(path[1] ?? "");
  const notation = entity?.fields.get(word) ?? entity?.fields.get(`${word}_id`);
  if (notation !== undefined) return `**${word}** (field of \`${entity?.name}\`)\n\n\`${notation}\``;
  for (const words of [ruleNames, ruleFunctions, ruleMethods]) {
    const found = Object.hasOwn(words, word) ? words[word] : undefined;
    if (found !== undefined) return `\`${found.notation}\`\n\n${found.help}\n\n\`${found.example}\``;
  }
  const holder = [...(entity?.fields ?? [])].find(([, each]) => new RegExp(`^enum\\[[^\\]]*\\b${word}\\b`).test(each));
  return holder === undefined ? null : `A value of \`${holder[0]}\`.`;
}
