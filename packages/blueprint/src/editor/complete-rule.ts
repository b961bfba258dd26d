// Completes a rule: names of the record and of the user, functions, values of an enum, operators. In: the text of the
// rule around the position, and what the rule can use. Out: suggestions.
import { ruleFunctions, ruleMethods, ruleNames, type WordHelp } from "../language/expressions.ts";
import { operationHelp } from "../language/sections.ts";
import { hasModule, type Outline } from "./outline.ts";
import { type FieldOutline, type RecordOutline, recordOf } from "./record-outline.ts";
import type { RuleScope } from "./rule-scope.ts";
import type { Suggestion } from "./suggestion.ts";

export interface RuleText {
  /** Up to the word at the position. */
  readonly lead: string;
  /** After the word at the position. */
  readonly rest: string;
}

export function completeRule(text: RuleText, scope: RuleScope, outline: Outline): readonly Suggestion[] {
  const { lead, rest } = text;
  if (isInQuotes(lead)) return [];
  const context: Context = { lead, scope, outline, record: recordOf(scope.entity, outline) };
  const found = suggest(context);
  if (rest.startsWith("("))
    return found
      .filter((one) => one.kind === "function" && one.label !== "filter")
      .map((one) => ({ ...one, insert: one.label, select: undefined }));
  if (rest.startsWith(".")) {
    const next = /^\.(\w+)/.exec(rest)?.[1] ?? "";
    return found.filter(
      (one) =>
        one.kind !== "function" &&
        one.kind !== "value" &&
        suggest({ ...context, lead: `${lead}${one.label}.` }).some((member) => next === "" || member.label === next),
    );
  }
  return found;
}

interface Context {
  readonly lead: string;
  readonly scope: RuleScope;
  readonly outline: Outline;
  readonly record: RecordOutline | undefined;
}

function isInQuotes(lead: string): boolean {
  return (lead.match(/"/g) ?? []).length % 2 === 1;
}

const manyMethods: readonly string[] = ["exists", "all", "exists_one", "filter", "count", "sum", "avg", "min", "max"];
const textMethods: readonly string[] = ["startsWith", "endsWith", "contains", "matches"];
const textTypes: ReadonlySet<string> = new Set([
  "string",
  "text",
  "markdown",
  "slug",
  "email",
  "url",
  "phone",
  "color",
]);

function suggest(context: Context): Suggestion[] {
  const { lead, scope, outline } = context;
  if (/\.\s*$/.test(lead)) return members(context);
  const values = comparedValues(context);
  if (values !== null) return values;
  const call = openCall(lead);
  if (call !== null) {
    const given = argument(call, context);
    if (given !== null) return given;
  }
  if (/(?:[\w\])"']|\.\w+)\s+$/.test(lead) && !/\b(?:in|deny)\s+$/.test(lead)) return operators();
  const isStart = lead.trim() === "";
  const hasOrganizations = hasModule(outline, "organizations");
  return [
    ...(isStart && scope.condition ? [plain("true", "value", "Everybody with the role.")] : []),
    ...(isStart && scope.user ? ownRules(context.record) : []),
    ...variables(context),
    ...namesOf(context),
    ...outline.rules.map((name) => plain(name, "name", "A rule of this blueprint.")),
    ...helped(
      ruleNames,
      "name",
      scope.names.filter((name) => name !== "current_org" || hasOrganizations),
    ),
    ...calls(
      ruleFunctions,
      Object.keys(ruleFunctions).filter((name) =>
        name === "member" ? scope.user && hasOrganizations : scope.user || name !== "can",
      ),
    ),
    ...(isStart && scope.condition ? [] : [plain("true", "value", "True.")]),
    plain("false", "value", isStart && scope.condition ? "Nobody." : "False."),
    plain("null", "value", "No value."),
  ].filter((one) => !isStart || one.label !== "null");
}

/** `author_id == current_user.id`, for each reference to a user. */
function ownRules(record: RecordOutline | undefined): Suggestion[] {
  const own = (record?.fields ?? []).filter((field) => field.type === "user_ref" && !field.implicit);
  return own.map(({ name }) => plain(`${name} == current_user.id`, "value", `The user in \`${name}\`.`));
}

function namesOf({ scope, record, outline }: Context): Suggestion[] {
  if (record !== undefined) return [...fieldNames(record, scope), ...relationNames(record, scope)];
  // A named rule can be used for any entity.
  if (scope.entity !== null) return [];
  return unique([...outline.entities.keys()].flatMap((name) => fieldNames(recordOf(name, outline), scope)));
}

export function fieldNames(record: RecordOutline | undefined, { reach }: Pick<RuleScope, "reach">): Suggestion[] {
  return (record?.fields ?? [])
    .filter((field) => field.type !== "secret" && field.type !== "refs" && !(reach === "row" && isWide(field)))
    .map((field) => fieldName(field));
}

/** A computed field that reads other records. */
function isWide({ type, notation }: FieldOutline): boolean {
  return type === "computed" && /\w\.\w/.test(notation);
}

export function fieldName({ name, notation, implicit }: FieldOutline): Suggestion {
  return { ...plain(name, "field", implicit ? "Every record has this field." : ""), detail: notation };
}

function relationNames(record: RecordOutline, { reach }: RuleScope): Suggestion[] {
  if (reach === "row") return [];
  return record.relations
    .filter(({ many }) => !many || reach !== "references")
    .map(({ name, entity, many }) => ({
      ...plain(
        name,
        "field",
        many ? `The \`${entity}\` records that belong to this one.` : "The record that it refers to.",
      ),
      detail: many ? `many ${entity}` : entity,
    }))
    .filter(({ label }) => !record.fields.some((field) => field.name === label && field.type !== "refs"));
}

/** `status == `, `status in [`: the values of that enum. Null for anything else. */
function comparedValues(context: Context): Suggestion[] | null {
  const path = /(?:^|[^\w.])((?:\w+\.)*\w+)\s*(?:==|!=|\bin\s*\[(?:\s*[\w"]+\s*,)*)\s*$/.exec(context.lead)?.[1];
  if (path === undefined) return null;
  const names = path.split(".");
  if (path === "request.key_kind") return ['"publishable"', '"secret"'].map((one) => plain(one, "value", ""));
  const owner = ownerOf(names.slice(0, -1), context);
  const field = owner?.fields.find((one) => one.name === names.at(-1));
  if (field?.type === "bool") return [plain("true", "value", ""), plain("false", "value", "")];
  if (field?.type !== "enum") return null;
  const listed = new Set(
    /\[([^\]]*)$/
      .exec(context.lead)?.[1]
      ?.split(",")
      .map((one) => one.trim()),
  );
  return field.values
    .filter((value) => !listed.has(value))
    .map((value) => plain(value, "value", `A value of \`${field.name}\`.`));
}

/** The innermost call that is not closed, and the arguments before the position. */
function openCall(lead: string): { readonly name: string; readonly args: readonly string[] } | null {
  let depth = 0;
  let from = lead.length;
  const args: string[] = [];
  for (let at = lead.length - 1; at >= 0; at--) {
    const one = lead.charAt(at);
    if (one === ")" || one === "]") depth++;
    else if (one === "[" && depth === 0) return null;
    else if (one === "[" || (one === "(" && depth > 0)) depth--;
    else if (one === "," && depth === 0) {
      args.unshift(lead.slice(at + 1, from).trim());
      from = at;
    } else if (one === "(") {
      const name = /([\w.]+)$/.exec(lead.slice(0, at))?.[1];
      if (name === undefined) return null;
      return { name, args: [lead.slice(at + 1, from).trim(), ...args] };
    }
  }
  return null;
}

/** Arguments that are not expressions. Null if the argument is one. */
function argument(
  { name, args }: { readonly name: string; readonly args: readonly string[] },
  context: Context,
): Suggestion[] | null {
  const { outline, scope, record } = context;
  const index = args.length - 1;
  const method = name.split(".").at(-1) ?? "";
  if (name === "current_user.is") return roleNames(outline);
  if (name === "member" && index === 0)
    return [
      ...(record?.fields ?? []).filter((field) => field.type === "org_ref").map(fieldName),
      plain("current_org", "name", "The organization in which the request is made."),
    ];
  if (name === "member") return memberRoles.map((role) => plain(role, "role", "A role in an organization."));
  if (name === "can" && index === 0)
    return ["read", "create", "update", "delete"].map((one) => plain(one, "value", operationHelp[one] ?? ""));
  if (name === "can")
    return record === undefined
      ? []
      : relationNames(record, scope).filter((one) =>
          record.relations.some(
            ({ many, name: own, entity }) => !many && own === one.label && outline.entities.has(entity),
          ),
        );
  if (name === "has")
    return record === undefined
      ? null
      : [
          ...fieldNames(record, scope),
          ...helped(
            ruleNames,
            "name",
            ["input"].filter((one) => scope.names.includes(one)),
          ),
        ];
  if (name === "duration") return ['"1h"', '"24h"', '"15m"'].map((one) => plain(one, "value", "A duration."));
  if (name.includes(".") && textMethods.includes(method)) return [];
  if (name.includes(".") && manyMethods.includes(method) && index === 0)
    return [plain(variableFor(name), "name", "A name for each of the records.")];
  return null;
}

/** `comments.exists(` is about `c`. */
function variableFor(call: string): string {
  return call.split(".").at(-2)?.charAt(0) ?? "x";
}

const memberRoles: readonly string[] = ["owner", "admin", "member"];

function roleNames(outline: Outline): Suggestion[] {
  return [...outline.roles, "admin", "user"].map((name) => plain(name, "role", ""));
}

interface Bound {
  readonly name: string;
  readonly relation: string;
}

/** The variables of the calls that are open here: `comments.exists(c, `. */
function boundIn(lead: string): readonly Bound[] {
  return [
    ...lead.matchAll(/((?:\w+\.)*\w+)\.(?:exists|all|exists_one|filter|count|sum|avg|min|max)\(\s*(\w+)\s*,/g),
  ].map(([, relation = "", name = ""]) => ({ name, relation }));
}

function variables({ lead }: Context): Suggestion[] {
  return unique(
    boundIn(lead)
      .filter(({ name }) => openVariables(lead).has(name))
      .map(({ name, relation }) => plain(name, "name", `One of \`${relation}\`.`)),
  );
}

function openVariables(lead: string): ReadonlySet<string> {
  const open: string[] = [];
  for (const one of lead.matchAll(/\(\s*(?:(\w+)\s*,)?|\)/g)) {
    if (one[0] === ")") open.pop();
    else open.push(one[1] ?? "");
  }
  return new Set(open);
}

function members(context: Context): Suggestion[] {
  const { lead, outline, scope } = context;
  const path = /((?:\w+\.)+)\s*$/.exec(lead)?.[1]?.split(".").slice(0, -1);
  if (path === undefined || /[)\]]\s*\.\s*(?:\w+\.)*$/.test(lead))
    return /\.filter\(.*\)\s*\.\s*$/.test(lead)
      ? [
          ...calls({ size: { ...(ruleFunctions["size"] ?? empty), notation: "size()" } }, ["size"]),
          ...calls(ruleMethods, ["sum", "avg", "min", "max"]),
        ]
      : [];
  if (path[0] === "current_user" && path.length === 1) return scope.user ? userMembers(outline) : [];
  if (path[0] === "request" && path.length === 1)
    return scope.names.includes("request")
      ? [
          plain("ip", "name", "The caller's IP address."),
          plain("key_kind", "name", "The kind of key that the caller uses."),
        ]
      : [];
  const last = path.at(-1) ?? "";
  const owner =
    path.length === 1 && ["record", "old", "new", "input"].includes(last)
      ? undefined
      : ownerOf(path.slice(0, -1), context);
  const field = owner?.fields.find((one) => one.name === last);
  if (field !== undefined && field.type === "object")
    return [...field.members].map(([name, notation]) => ({
      ...plain(name, "field", "A member of the object."),
      detail: notation,
    }));
  const relation = owner?.relations.find((one) => one.name === last);
  if (relation?.many === true) return scope.reach === "row" ? [] : calls(ruleMethods, manyMethods);
  const target = ownerOf(path, context);
  if (target !== undefined) {
    const isRow = path.length === 1 && ["old", "new", "input"].includes(last);
    const own = fieldNames(target, scope);
    return isRow
      ? last === "input"
        ? own.filter((one) => target.fields.some((each) => each.name === one.label && each.written))
        : [...own, ...relationNames(target, scope)]
      : [...own, ...relationNames(target, scope)];
  }
  if (field?.type !== undefined && field.type !== null && textTypes.has(field.type))
    return calls(ruleMethods, textMethods);
  return [];
}

const empty: WordHelp = { notation: "", help: "", example: "" };

/** The record at the end of a path; undefined if it is none. */
function ownerOf(path: readonly string[], context: Context): RecordOutline | undefined {
  const { lead, outline, record, scope } = context;
  let rest = path;
  let current = record;
  const [first = ""] = path;
  if (["record", "old", "new", "input"].includes(first) && !isVariable(first, lead)) {
    if (first !== "record" && !scope.names.includes(first)) return undefined;
    rest = path.slice(1);
  } else if (first === "current_user" && scope.user) {
    current = recordOf("user", outline);
    rest = path.slice(1);
  } else {
    const bound = boundIn(lead)
      .filter(({ name }) => name === first)
      .at(-1);
    if (bound !== undefined && bound.relation !== "") {
      const outer = { ...context, lead: lead.slice(0, lead.indexOf(`${bound.relation}.`)) };
      const names = bound.relation.split(".");
      const owner = ownerOf(names.slice(0, -1), outer);
      const relation = owner?.relations.find((one) => one.name === names.at(-1));
      current = relation === undefined ? undefined : recordOf(relation.entity, outline);
      rest = path.slice(1);
    }
  }
  for (const name of rest) {
    const relation = current?.relations.find((one) => one.name === name || one.name === name.replace(/_id$/, ""));
    if (relation === undefined || relation.many || scope.reach === "row") return undefined;
    current = recordOf(relation.entity, outline);
  }
  return current;
}

function isVariable(name: string, lead: string): boolean {
  return boundIn(lead).some((one) => one.name === name);
}

export function userMembers(outline: Outline): Suggestion[] {
  return [
    plain("id", "name", "The user's id. Empty if nobody is signed in."),
    plain("email", "name", "The user's e-mail address."),
    plain("roles", "name", "All roles of the user."),
    ...calls(ruleMethods, ["is"]),
    ...[...outline.userFields].map(([name, notation]) => ({
      ...plain(name, "name", "A profile field."),
      detail: notation,
    })),
  ];
}

export function operators(): Suggestion[] {
  const known: readonly (readonly [string, string])[] = [
    ["==", "Equal."],
    ["!=", "Not equal."],
    ["in", "Whether the value is in the list."],
    ["&&", "Both."],
    ["||", "Either."],
    ["<", "Less."],
    ["<=", "Less or equal."],
    [">", "Greater."],
    [">=", "Greater or equal."],
  ];
  return known.map(([label, help]) => ({ ...plain(label, "operator", help), insert: `${label} ` }));
}

function helped(
  words: Readonly<Record<string, WordHelp>>,
  kind: Suggestion["kind"],
  only: readonly string[],
): Suggestion[] {
  return only.flatMap((name) => {
    const word = words[name];
    return word === undefined
      ? []
      : [{ label: name, insert: name, kind, detail: word.notation, help: `${word.help}\n\n\`${word.example}\`` }];
  });
}

/** With parentheses: the cursor goes between them if there are arguments. */
export function calls(words: Readonly<Record<string, WordHelp>>, only: readonly string[]): Suggestion[] {
  return helped(words, "function", only).map((one) => {
    const hasNone = one.detail.includes("()");
    const inside = one.label.length + 1;
    // The records alone are not a value.
    const after = one.label === "filter" ? ".size()" : "";
    return { ...one, insert: `${one.label}()${after}`, ...(hasNone ? {} : { select: { from: inside, to: inside } }) };
  });
}

export function plain(label: string, kind: Suggestion["kind"], help: string): Suggestion {
  return { label, insert: label, kind, detail: "", help };
}

export function unique(suggestions: readonly Suggestion[]): Suggestion[] {
  return [...new Map([...suggestions].reverse().map((one) => [one.label, one])).values()].reverse();
}
