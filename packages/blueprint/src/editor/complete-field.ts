// Completes a field's notation: its type, arguments, modifiers, default. In: the text of the notation around the
// position, and the blueprint's names. Out: suggestions that fit the type.
import { notForUsers, type TypeName, typesNotServed, typeTraits } from "../field-types/type-traits.ts";
import { modifierHelp, typeHelp } from "../language/field-types.ts";
import { completeRule } from "./complete-rule.ts";
import type { ExpressionText } from "./expression-text.ts";
import { excludes, takes } from "./modifier-fit.ts";
import { type Notation, readNotation } from "./notation.ts";
import { type EntityOutline, hasModule, type Outline } from "./outline.ts";
import { fieldsOf, recordOf } from "./record-outline.ts";
import { valueScope } from "./rule-scope.ts";
import type { Suggestion } from "./suggestion.ts";
import { plain } from "./words.ts";

export interface FieldPlace {
  readonly outline: Outline;
  readonly entity: EntityOutline | undefined;
  /** The name of the field. */
  readonly name: string;
  /** `profile`: a field of users; `data`: of an input, a payload, or a mail; `member`: a type in another type. */
  readonly role: "entity" | "profile" | "data" | "member";
  /** Whether only the type can be written, as after `type:`. */
  readonly onlyType: boolean;
  /** The type that contains a member. */
  readonly inside?: "list" | "object" | "i18n";
}

export function completeField(text: ExpressionText, place: FieldPlace): readonly Suggestion[] {
  const { lead, rest } = text;
  const inside = openBrackets(lead);
  if (inside !== null) return inBrackets(inside, text, place);
  if (/=\s*$/.test(lead)) return defaultsOf(readNotation(lead));
  if (/^\s*$/.test(lead)) return types(rest, place);
  if (!/\s$/.test(lead)) return [];
  if (place.onlyType || place.role === "member") return [];
  return modifiers(lead, rest, place);
}

interface Brackets {
  readonly name: string;
  readonly content: string;
}

/** The outermost brackets that are not closed. */
function openBrackets(lead: string): Brackets | null {
  const open: number[] = [];
  for (let at = 0; at < lead.length; at++) {
    const one = lead.charAt(at);
    if (/[([{<]/.test(one) && !(one === "<" && open.length > 0 && lead.charAt(open[0] ?? 0) === "(")) open.push(at);
    else if (/[)\]}]/.test(one) || (one === ">" && lead.charAt(open.at(-1) ?? 0) === "<")) open.pop();
  }
  const [first] = open;
  if (first === undefined) return null;
  return { name: /(\w*)$/.exec(lead.slice(0, first))?.[1] ?? "", content: lead.slice(first + 1) };
}

function inBrackets(
  { name, content }: Brackets,
  { lead, word, rest }: ExpressionText,
  place: FieldPlace,
): readonly Suggestion[] {
  const { outline, entity } = place;
  const isFirst = /^\s*$/.test(content);
  const record = place.role === "profile" ? recordOf("user", outline) : recordOf(entity?.name ?? null, outline);
  const own = (record?.fields ?? []).filter(
    (one) => one.name !== place.name && (place.role !== "profile" || outline.userFields.has(one.name)),
  );
  const fields = (fits: (field: (typeof own)[number]) => boolean): Suggestion[] =>
    own.filter(fits).map((one) => ({ ...plain(one.name, "field", ""), detail: one.notation }));
  switch (name) {
    case "computed":
    case "fill":
      return completeRule(
        { lead: content, word, rest },
        valueScope(entity?.name ?? null, name === "fill" ? "references" : "records"),
        outline,
      ).filter((one) => one.label !== place.name || /(?<!\brecord)\.\s*$/.test(content));
    case "ref":
    case "refs":
      return isFirst
        ? [...outline.entities.keys()].map((one) => plain(one, "entity", "An entity of this blueprint."))
        : [];
    case "list":
    case "i18n":
      return completeField({ lead: content, word, rest }, { ...place, role: "member", inside: name });
    case "object": {
      const member = /(?:^|,)\s*\w+\s*:\s*([^,]*)$/.exec(content)?.[1];
      if (member === undefined) return [];
      return completeField({ lead: member, word, rest }, { ...place, role: "member", inside: "object" });
    }
    case "on_delete": {
      const optional = readNotation(lead).optional;
      const known = [
        plain("cascade", "value", "The records that refer to it are deleted too."),
        plain("restrict", "value", "The delete is refused (the default)."),
        plain("set_null", "value", "The reference is emptied. It must be optional."),
      ];
      return isFirst ? known.filter((one) => optional || one.label !== "set_null") : [];
    }
    case "slug":
      return isFirst ? fields(({ type, implicit }) => !implicit && type !== null && writings.has(type)) : [];
    case "unique": {
      const used = new Set(content.split(",").map((one) => one.trim()));
      const others = fields((one) => one.type !== null && typeTraits[one.type].keyed && !used.has(one.name));
      const perOrganization = own.filter((one) => one.type === "org_ref").length === 1 && isFirst;
      return [...(perOrganization ? [plain("org", "value", "Unique within an organization.")] : []), ...others];
    }
    case "searchable":
      return isFirst
        ? ["A", "B", "C", "D"].map((one) => plain(one, "value", "The weight of a match in this field."))
        : [plain("fuzzy", "value", "Also finds mistyped words.")];
    case "money":
      return isFirst
        ? ["EUR", "USD", "GBP", "CHF", "JPY"].map((one) => plain(one, "value", "A currency (ISO 4217)."))
        : [];
    case "":
      return /=\s*\[[^\]]*$/.test(lead)
        ? readNotation(lead)
            .values.filter((one) => !content.includes(one))
            .map((one) => plain(one, "value", "One of its values."))
        : [];
    case "per":
      return isFirst ? [plain("org", "value", "Each organization has its own numbers.")] : [];
    case "writable":
      return isFirst ? [plain("admin", "value", "Only admins write it.")] : [];
    case "at":
      return isFirst
        ? (entity?.transitions ?? []).map((one) =>
            plain(`transition:${one}`, "value", "The transition that gives the number."),
          )
        : /^\s*transition:$/.test(content)
          ? (entity?.transitions ?? []).map((one) => plain(one, "value", "The transition that gives the number."))
          : [];
    default:
      return [];
  }
}

const writings: ReadonlySet<TypeName> = new Set(["string", "text"]);

function fitsIn(container: "list" | "i18n" | "object", name: TypeName): boolean {
  const traits = typeTraits[name];
  if (container === "i18n") return ["string", "text", "markdown"].includes(name);
  return container === "list" ? traits.inList : traits.inObject;
}

/** The order in which blueprints use them. */
const usual: readonly TypeName[] = [
  "string",
  "text",
  "int",
  "bool",
  "enum",
  "ref",
  "user_ref",
  "datetime",
  "date",
  "money",
  "decimal",
  "email",
  "computed",
];

/** Types whose arguments can't be left out, with an example of them. */
const needed: Readonly<Record<string, string>> = {
  enum: "draft, active",
  enum_set: "mon, tue",
  decimal: "10,2",
  money: "EUR",
  object: "name: string",
  list: "string",
  i18n: "string",
  vector: "384",
  computed: "",
};
const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

function types(rest: string, place: FieldPlace): Suggestion[] {
  const written = /^[([{<]/.test(rest) ? rest : null;
  const more = readNotation(`string${rest.replace(/^[([{<][^)\]}>]*[)\]}>]?/, "")}`);
  const known = Object.keys(typeHelp) as TypeName[];
  const names = [...new Set([...usual, ...known.filter((name) => !typesNotServed.includes(name)), ...known])];
  return names.filter((name) => isOffered(name, place, more)).flatMap((name) => typeOffer(name, written, place) ?? []);
}

function isOffered(name: TypeName, { outline, role, entity, inside }: FieldPlace, rest: Notation): boolean {
  const traits = typeTraits[name];
  if (inside !== undefined && !fitsIn(inside, name)) return false;
  if (traits.module !== null && !hasModule(outline, traits.module)) return false;
  const isGenerated = name === "computed" || name === "sequence";
  if (role === "profile" && notForUsers.includes(name)) return false;
  if (role === "data" && (isGenerated || name === "refs" || name === "secret" || name === "slug")) return false;
  if (role === "entity" && isGenerated && entity === undefined) return false;
  if (rest.optional && (isGenerated || name === "refs")) return false;
  return [...rest.modifiers].every((modifier) => !(modifier in modifierHelp) || takes(name, modifier));
}

/** Types that can have these arguments. */
function typesWith(written: string, { outline, entity }: FieldPlace): readonly string[] {
  const content = /^[([{<]([^)\]}>]*)/.exec(written)?.[1]?.trim() ?? "";
  if (written.startsWith("[")) return ["enum", "enum_set"];
  if (written.startsWith("<")) return ["list", "i18n"];
  if (written.startsWith("{")) return ["object"];
  if (outline.entities.has(content)) return ["ref", "refs"];
  if (/^[A-Z]{3}$/.test(content)) return ["money"];
  if (/^\d+$/.test(content)) return ["string", "vector"];
  const [digits, places] = content.split(",").map(Number);
  if (/^\d*\s*,/.test(content)) return (digits ?? 0) >= Math.max(1, places ?? 0) ? ["string", "decimal"] : ["string"];
  if (entity?.fields.has(content) === true) return ["slug", "computed"];
  return ["sequence", "computed"];
}

function typeOffer(name: TypeName, written: string | null, place: FieldPlace): Suggestion | null {
  const type = typeHelp[name];
  if (type === undefined) return null;
  const help = `${type.help}\n\nJSON: ${type.json}. Postgres: ${type.postgres}.`;
  const offer = { ...plain(name, "type", help), detail: type.notation };
  const opens = /^\w+([([{<])/.exec(type.notation)?.[1] ?? null;
  if (written !== null) return typesWith(written, place).includes(name) ? offer : null;
  const { outline, entity } = place;
  const [first] = outline.entities.keys();
  const example = name === "ref" || name === "refs" ? (entity?.name ?? first ?? "") : needed[name];
  if (example === undefined || opens === null) return offer;
  return withPart(offer, `${name}${opens}`, example, closing[opens]);
}

/** Inserts an example, which is selected. */
function withPart(offer: Suggestion, before: string, example: string, after = ""): Suggestion {
  const select = { from: before.length, to: before.length + example.length };
  return { ...offer, insert: `${before}${example}${after}`, select };
}

/** Modifiers with arguments that can't be left out. */
const withArguments: Readonly<Record<string, string>> = {
  was: "old_name",
  deprecated: '"why"',
  on_delete: "cascade",
  per: "org",
  at: "transition:name",
  writable: "admin",
  as: "name",
  fill: "",
};

function modifiers(lead: string, rest: string, place: FieldPlace): Suggestion[] {
  const read = readNotation(lead);
  const all = readNotation(`${lead}${rest}`);
  const { type } = read;
  if (type === null) return [];
  const hasDefault = lead.includes("=") || /=/.test(rest);
  const isEmpty = read.optional || hasDefault || ["computed", "sequence", "refs", "slug"].includes(type);
  const used = all.modifiers;
  const [firstDefault] = typeTraits[type].default ? defaultsOf(read) : [];
  const fits = (name: string): boolean => {
    if (used.has(name) || !takes(type, name)) return false;
    if ((excludes[name] ?? []).some((other) => used.has(other))) return false;
    if ((name === "readonly" || name === "internal") && !isEmpty && firstDefault === undefined) return false;
    if (name === "at" && (place.entity?.transitions.length ?? 0) === 0) return false;
    if (name === "per" && !belongsToOrganization(place)) return false;
    if (place.role === "data") return false;
    if (name === "writable") return place.role === "profile";
    return !(place.role === "profile" && ["as", "fill"].includes(name));
  };
  const open = rest.startsWith("(");
  const known = Object.entries(modifierHelp).filter(([name]) => fits(name));
  const offers = known.map(([name, { notation, help }]): Suggestion => {
    const offer = { ...plain(name, "modifier", help), detail: notation === name ? "" : notation };
    // Without a caller who writes it, the field needs a value.
    if ((name === "readonly" || name === "internal") && !isEmpty && firstDefault !== undefined)
      return withPart(offer, `${name} = `, firstDefault.insert);
    const example = name === "at" ? `transition:${place.entity?.transitions[0] ?? ""}` : withArguments[name];
    if (example === undefined || open) return offer;
    return withPart(offer, `${name}(`, example, ")");
  });
  const takesDefault = typeTraits[type].default && !hasDefault && /^\s*$/.test(rest);
  const given = (takesDefault ? defaultsOf(read) : [])
    .slice(0, 1)
    .map(({ insert }) => withPart(plain("=", "modifier", "The value if none is sent."), "= ", insert));
  return [...given, ...offers].filter(
    (one) => !open || withArguments[one.label] !== undefined || ["unique", "searchable"].includes(one.label),
  );
}

function belongsToOrganization({ entity }: FieldPlace): boolean {
  return entity !== undefined && fieldsOf(entity).some((field) => field.type === "org_ref");
}

export function defaultsOf({ type, values }: Pick<Notation, "type" | "values">): Suggestion[] {
  if (type === "enum") return values.map((value) => plain(value, "value", "One of its values."));
  switch (type) {
    case "bool":
      return [plain("false", "value", "The default is false."), plain("true", "value", "The default is true.")];
    case "int":
    case "bigint":
    case "float":
    case "decimal":
    case "money":
    case "percent":
      return [plain("0", "value", "The default is zero.")];
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
