// Completes a rule: names of the record and of the user, functions, values of an enum. In: the position, the
// blueprint's names, and the entity of the rule. Out: suggestions.
import { ruleFunctions, ruleMethods, ruleNames, type WordHelp } from "../language/expressions.ts";
import type { Location } from "./locate.ts";
import type { EntityOutline, Outline } from "./outline.ts";
import type { Completion, Suggestion } from "./suggestion.ts";

export function completeRule(location: Location, outline: Outline, entity: string | null): Completion {
  const { before, start } = location;
  const word = /\w*$/.exec(before)?.[0] ?? "";
  const lead = before.slice(0, before.length - word.length);
  const from = start + lead.length;
  return { from, to: from + word.length, suggestions: suggest(lead, outline, outline.entities.get(entity ?? "")) };
}

/** Words that have no meaning in rules without a user and without input. */
const notComputed: readonly string[] = [...Object.keys(ruleNames).filter((name) => name !== "record"), "member", "can"];

export function completeComputed(location: Location, outline: Outline, entity: string | null): Completion {
  const rule = completeRule(location, outline, entity);
  return { ...rule, suggestions: rule.suggestions.filter((one) => !notComputed.includes(one.label)) };
}

function suggest(lead: string, outline: Outline, entity: EntityOutline | undefined): Suggestion[] {
  const path = /((?:\w+\.)+)$/.exec(lead)?.[1]?.split(".").slice(0, -1);
  if (path !== undefined) return members(path, lead, outline, entity);
  const values = comparedValues(lead, entity);
  if (values.length > 0) return values;
  if (/\b(?:is|member)\(\s*(?:[\w.]+,\s*)?$/.test(lead)) return outline.roles.map((name) => plain(name, "role", ""));
  return [
    ...fieldsOf(entity),
    ...relationsOf(entity, outline),
    ...outline.rules.map((name) => plain(name, "name", "A rule of this blueprint.")),
    ...helped(ruleNames, "name", ""),
    ...helped(ruleFunctions, "function", "("),
    plain("true", "value", "Everybody with the role."),
    plain("false", "value", "Nobody."),
  ];
}

/** `status == `, `status in [`: the values of that enum. */
function comparedValues(lead: string, entity: EntityOutline | undefined): Suggestion[] {
  const name = /(?:^|[\s(!.])(\w+)\s*(?:==|!=|in\s*\[(?:\s*\w+\s*,)*)\s*$/.exec(lead)?.[1];
  const notation = name === undefined ? undefined : entity?.fields.get(name);
  const values = notation === undefined ? undefined : /^enum\[([^\]]*)\]/.exec(notation)?.[1];
  if (values === undefined) return [];
  return values.split(",").map((value) => plain(value.trim(), "value", `A value of \`${name}\`.`));
}

function members(
  path: readonly string[],
  lead: string,
  outline: Outline,
  entity: EntityOutline | undefined,
): Suggestion[] {
  const [first, ...rest] = path;
  if (first === "current_user") return userMembers(outline);
  if (first === "request")
    return [
      plain("ip", "name", "The caller's IP address."),
      plain("key_kind", "name", "The kind of key that the caller uses."),
    ];
  const start = first === "record" || first === "old" || first === "new" || first === "input" ? rest : path;
  const variable = variableEntity(start[0], lead, outline, entity);
  let current = variable ?? entity;
  for (const name of variable === undefined ? start : start.slice(1)) {
    const target = targetOf(name, current, outline);
    const object = /^["']?object\s*\{(.*)\}/.exec(current?.fields.get(name) ?? "")?.[1];
    if (object !== undefined) return memberNames(object);
    if (target === null) return textMethods();
    if (target === "user") return userMembers(outline);
    if (target.many) return helped(ruleMethods, "function", "(", manyMethods);
    current = outline.entities.get(target.entity);
  }
  return [...fieldsOf(current), ...relationsOf(current, outline)];
}

const manyMethods: readonly string[] = ["exists", "all", "exists_one", "filter", "count", "sum", "avg", "min", "max"];

/** A member of an object that is written on one line. */
function memberNames(object: string): Suggestion[] {
  return [...object.matchAll(/(\w+)\s*:\s*([^,]+)/g)].map(([, name = "", notation = ""]) => ({
    ...plain(name, "field", "A member of the object."),
    detail: notation.trim(),
  }));
}

/** `comments.exists(c, c.`: the variable is a comment. */
function variableEntity(
  name: string | undefined,
  lead: string,
  outline: Outline,
  entity: EntityOutline | undefined,
): EntityOutline | undefined {
  const bound = [
    ...lead.matchAll(/(\w+)\.(?:exists|all|exists_one|filter|count|sum|avg|min|max)\(\s*(\w+)\s*,/g),
  ].filter(([, , variable]) => variable === name);
  const relation = bound[bound.length - 1]?.[1];
  if (relation === undefined) return undefined;
  const target = targetOf(relation, entity, outline);
  return target === null || target === "user" ? undefined : outline.entities.get(target.entity);
}

interface Target {
  readonly entity: string;
  readonly many: boolean;
}

function targetOf(name: string, entity: EntityOutline | undefined, outline: Outline): Target | "user" | null {
  const notation = entity?.fields.get(name) ?? entity?.fields.get(`${name}_id`);
  if (notation === undefined) {
    const relation = relationTargets(entity, outline).find((one) => one.name === name);
    return relation === undefined ? null : { entity: relation.entity, many: true };
  }
  if (/^user_ref\b/.test(notation)) return "user";
  const match = /^(refs?)\(\s*(\w+)/.exec(notation);
  return match === null ? null : { entity: match[2] ?? "", many: match[1] === "refs" };
}

/** The back relations: entities that refer to this one, under the plural that most nouns have. */
function relationTargets(entity: EntityOutline | undefined, outline: Outline): { name: string; entity: string }[] {
  if (entity === undefined) return [];
  return [...outline.entities.values()].flatMap((other) =>
    [...other.fields.values()].flatMap((notation) => {
      const target = /^refs?\(\s*(\w+)/.exec(notation)?.[1];
      if (target !== entity.name) return [];
      return [{ name: /\bas\(\s*(\w+)/.exec(notation)?.[1] ?? plural(other.name), entity: other.name }];
    }),
  );
}

function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

function relationsOf(entity: EntityOutline | undefined, outline: Outline): Suggestion[] {
  const one = [...(entity?.fields ?? [])].flatMap(([name, notation]) =>
    /^(?:ref|user_ref)\b/.test(notation) && name.endsWith("_id")
      ? [{ ...plain(name.slice(0, -3), "field", "The record that it refers to."), detail: notation }]
      : [],
  );
  const many = relationTargets(entity, outline).map(({ name, entity: other }) => ({
    ...plain(name, "field", `The \`${other}\` records that refer to this one.`),
    detail: `many ${other}`,
  }));
  return [...one, ...many];
}

export function fieldsOf(entity: EntityOutline | undefined): Suggestion[] {
  if (entity === undefined) return [];
  const own = [...entity.fields].map(([name, notation]) => ({ ...plain(name, "field", ""), detail: notation }));
  const implicit = ["id", "created_at", "updated_at", "created_by"].filter((name) => !entity.fields.has(name));
  return [...own, ...implicit.map((name) => plain(name, "field", "Every record has this field."))];
}

export function userMembers(outline: Outline): Suggestion[] {
  return [
    plain("id", "name", "The user's id. Empty if nobody is signed in."),
    plain("email", "name", "The user's e-mail address."),
    plain("roles", "name", "All roles of the user."),
    ...helped(ruleMethods, "function", "(", ["is"]),
    ...[...outline.userFields].map(([name, notation]) => ({
      ...plain(name, "name", "A profile field."),
      detail: notation,
    })),
  ];
}

function textMethods(): Suggestion[] {
  return helped(ruleMethods, "function", "(", ["startsWith", "endsWith", "contains", "matches"]);
}

export function helped(
  words: Readonly<Record<string, WordHelp>>,
  kind: Suggestion["kind"],
  suffix: string,
  only: readonly string[] | null = null,
): Suggestion[] {
  return Object.entries(words)
    .filter(([name]) => only === null || only.includes(name))
    .map(([name, word]) => ({
      label: name,
      insert: `${name}${suffix}`,
      kind,
      detail: word.notation,
      help: `${word.help}\n\n\`${word.example}\``,
    }));
}

export function plain(label: string, kind: Suggestion["kind"], help: string): Suggestion {
  return { label, insert: label, kind, detail: "", help };
}
