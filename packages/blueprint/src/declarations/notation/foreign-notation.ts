// Recognizes fields in the notation of another system. In: the field. Out: one diagnostic with our notation, instead of
// one for each unknown word. It reports nothing that it can't translate.
import pluralize from "pluralize";
import { type TypeName, typeNames } from "../../field-types/type-traits.ts";
import type { DiagnosticCode } from "../../text/diagnostic.ts";
import type { ScalarNode } from "../../text/syntax.ts";
import type { Reader } from "../expect.ts";
import { parseFieldNotation, type TypeNotation } from "./parse-notation.ts";
import { meantNotation } from "./translate-notation.ts";

type Brackets = TypeNotation["brackets"];

/** Types with arguments in brackets; those that are marked need them. */
const bracketsOf: Partial<Readonly<Record<TypeName, { readonly brackets: Brackets; readonly needed?: true }>>> = {
  string: { brackets: "()" },
  slug: { brackets: "()" },
  enum: { brackets: "[]", needed: true },
  enum_set: { brackets: "[]", needed: true },
  decimal: { brackets: "()", needed: true },
  money: { brackets: "()" },
  vector: { brackets: "()" },
  sequence: { brackets: "()" },
  object: { brackets: "{}", needed: true },
  list: { brackets: "<>", needed: true },
  i18n: { brackets: "<>", needed: true },
  ref: { brackets: "()", needed: true },
  refs: { brackets: "()", needed: true },
  file: { brackets: "()" },
  image: { brackets: "()" },
  computed: { brackets: "()" },
};

/** Reports a foreign notation; false if the notation is ours, or if there is no translation. */
export function refuseForeign(reader: Reader, scalar: ScalarNode, modifiers: readonly string[]): boolean {
  if (scalar.broken || isOurs(scalar.text, modifiers)) return false;
  const entityNamed = (word: string): string | null => entityMeant(word, reader.entityNames ?? new Set());
  const many = manyOf(scalar.text, entityNamed);
  if (many !== null) {
    const message = `A field can't contain records. Those of \`${many}\` refer to this entity.`;
    const hint = `Declare a \`ref(...)\` to this entity in \`${many}\`. For many to many, write \`refs(${many})\` here.`;
    reader.report.add("invalid_field", scalar.range, message, hint);
    return true;
  }
  const meant = meantNotation(scalar.text, entityNamed);
  if (meant === null || !(meant.startsWith("{") || isOurs(meant, modifiers))) return false;
  const foreign = unknownTypeIn(scalar.text);
  const message = foreign === null ? "This notation is from another tool." : `There is no field type \`${foreign}\`.`;
  reader.report.add(codeFor(scalar.text, foreign), scalar.range, message, `Write \`${meant}\`.`);
  return true;
}

function codeFor(text: string, unknownType: string | null): DiagnosticCode {
  if (unknownType !== null) return "unknown_type";
  if (/^enum(?:_set)?\b/.test(text)) return "invalid_enum";
  return /=\s*null\s*$/.test(text) ? "invalid_default" : "invalid_field";
}

/** The first word, if it is not one of our types. */
function unknownTypeIn(text: string): string | null {
  const word = /^\w+/.exec(text)?.[0] ?? null;
  return word === null || typeNames.some((one) => one === word) ? null : word;
}

function isOurs(text: string, modifiers: readonly string[]): boolean {
  if (/[“”„‘’]/.test(text)) return false;
  const result = parseFieldNotation(text);
  if (!("notation" in result)) return false;
  const { notation } = result;
  const hasNull = notation.default?.form === "word" && notation.default.value === "null";
  return typeIsOurs(notation.type) && !hasNull && notation.modifiers.every(({ name }) => modifiers.includes(name.text));
}

function typeIsOurs({ name, brackets, args, of }: TypeNotation): boolean {
  const kind = typeNames.find((one) => one === name.text);
  if (kind === undefined) return false;
  const taken = bracketsOf[kind];
  if (brackets === null ? taken?.needed === true : brackets !== taken?.brackets) return false;
  if (kind === "string" && args.slice(0, 2).some((arg) => !arg.quoted && !/^\d*$/.test(arg.text))) return false;
  if (kind === "ref" && (args.length !== 1 || /\W/.test(args[0]?.text ?? ""))) return false;
  return of === null || typeIsOurs(of);
}

/** The declared entity for `posts`, `Post` or `BlogPost`. */
function entityMeant(word: string, entities: ReadonlySet<string>): string | null {
  const snake = word.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return [word, snake, pluralize.singular(snake)].find((one) => entities.has(one)) ?? null;
}

/** The entity of the records in a field such as `Post[]` or `has_many(post)`. */
function manyOf(text: string, entityNamed: (word: string) => string | null): string | null {
  const word =
    /^(\w+)\s*\[\s*\]/.exec(text) ??
    /^(?:list|array|set)\s*[<(]\s*(?:ref\s*\(\s*)?(\w+)/i.exec(text) ??
    /^(?:has_?many|one_?to_?many|many)\s*[(<]\s*(\w+)/i.exec(text);
  return word === null ? null : entityNamed(word[1] ?? "");
}
