// Generated fields of every type for property tests: the same field in the short notation and in the long form.
import fc from "fast-check";
import { type TypeName, typeTraits } from "../field-types/type-traits.ts";

export interface SampleField {
  readonly type: string;
  readonly optional: boolean;
  readonly modifiers: readonly Modifier[];
  /** In the short notation, and as YAML. */
  readonly default: readonly [string, string] | null;
}

/** A mark or `unique` has no argument. */
interface Modifier {
  readonly name: string;
  readonly argument: string | null;
}

type Sample = readonly [type: string, ...defaults: (string | readonly [string, string])[]];

/** Types with valid defaults, in texts that are the same in both forms. */
const samples: readonly Sample[] = [
  ["string", ['"a b"', "a b"], ['"x: # y"', "'x: # y'"], ['"now"', "now"], ['""', "''"], ['"true"', "'true'"]],
  ["string(1,80)", ['"abc"', "abc"]],
  ["string( , 80 )", ['"it\'s"', '"it\'s"']],
  ['string(1,9,"^[a-z]{1,9}$")', ['"abc"', "abc"]],
  ["text", ['"é \\"ü\\""', "'é \"ü\"'"]],
  ["markdown", ['"# a"', "'# a'"]],
  ["slug"],
  ["slug(title)"],
  ["email", ['"a@example.org"', "a@example.org"]],
  ["url", ['"https://example.org/?a=b"', "https://example.org/?a=b"]],
  ["phone", ['"+4930123456"', "'+4930123456'"]],
  ["color", ['"#1a2b3c"', "'#1a2b3c'"]],
  ["int", "-4", "0"],
  ["bigint", "9007199254740993"],
  ["float", "1.5e3", "-0"],
  ["decimal(10,2)", "12.5"],
  ["money( EUR )", "12"],
  ["percent", "12.5"],
  ["date", "today", "2026-01-31"],
  ["time", ['"09:30"', "'09:30'"]],
  ["datetime", "now", ['"2026-01-31T00:00:00Z"', "'2026-01-31T00:00:00Z'"]],
  ["duration", "PT90M", "P1W"],
  ["timezone", "Europe/Berlin"],
  ["bool", "true", "false"],
  ["enum[a,b]", "b"],
  ["enum_set[ a, b ]", "[a, b]", "[]"],
  ["country", "DE"],
  ["currency", "EUR"],
  ["locale", "de-AT"],
  ["json", "{}", ['{"a": [1, "x", null]}', "{ a: [1, x, null] }"], "[]"],
  ["object{street:string,zip:string(4,10)?}", ['{"street": "Main"}', "{ street: Main }"]],
  ["list<int>", "[1, 2]"],
  ["list< enum[a, b] >", "[a]"],
  ["list<object{ a: int, b: list<text> }>", ['[{"a": 1, "b": []}]', "[{ a: 1, b: [] }]"]],
  ["i18n<string>", ['{"en": "Hello"}', "{ en: Hello }"]],
  ["point", ['{"lat": 52.5, "lng": 13.4}', "{ lat: 52.5, lng: 13.4 }"]],
  ["vector(3)"],
  ["uuid", "018f0000-0000-7000-8000-000000000000"],
  ["user_ref", "current_user.id"],
  ["org_ref", "current_org"],
  ["ref( seller )"],
  ["refs(seller)"],
  ["secret"],
  ["sequence"],
  ["sequence(INV-)"],
  ['sequence("A/")'],
  ["computed(price * 2 )"],
  ['computed(title == "a, b" ? price : 0)'],
];

/** One field of every sample, without modifiers. */
export const everyField: readonly SampleField[] = samples.map(([type, fallback]) => ({
  type,
  optional: false,
  modifiers: [],
  default: fallback === undefined ? null : typeof fallback === "string" ? [fallback, fallback] : fallback,
}));

const kindOf = (type: string): TypeName => /^\w+/.exec(type)?.[0] as TypeName;

function modifiersOf(kind: TypeName, optional: boolean): fc.Arbitrary<readonly Modifier[]> {
  const { keyed, searchable } = typeTraits[kind];
  const made = kind === "computed" || kind === "sequence";
  const target = kind === "ref" || kind === "user_ref" || kind === "org_ref";
  const possible: Modifier[] = [
    ...["pii", ...(keyed ? ["unique"] : []), ...(searchable ? ["searchable"] : [])].map(bare),
    ...(made ? [] : ["immutable"].map(bare)),
    ...(optional ? ["internal"].map(bare) : []),
    ...(keyed ? [{ name: "unique", argument: "price" }] : []),
    ...(kind === "computed" ? [] : [{ name: "was", argument: "former" }]),
    { name: "deprecated", argument: 'Use "title", not (this).' },
    ...(target ? [{ name: "on_delete", argument: optional ? "set_null" : "cascade" }] : []),
    ...(kind === "ref" || kind === "refs" ? [{ name: "as", argument: "others" }] : []),
  ];
  // Only one of `searchable` and `internal` is useful, and the long form only has one kind of `unique`.
  return fc
    .subarray(possible, { maxLength: Math.min(4, possible.length) })
    .map((chosen) =>
      chosen.filter((one) => one.name !== "internal" || !chosen.some(({ name }) => name === "searchable")),
    )
    .map((chosen) => chosen.filter((one, index) => chosen.findIndex(({ name }) => name === one.name) === index));
}

function bare(name: string): Modifier {
  return { name, argument: null };
}

export const sampleField: fc.Arbitrary<SampleField> = fc
  .tuple(fc.constantFrom(...samples), fc.boolean())
  .chain(([[type, ...defaults], wanted]) => {
    const kind = kindOf(type);
    const optional = wanted && !["computed", "sequence", "refs"].includes(kind);
    const pairs = defaults.map((one) => (typeof one === "string" ? ([one, one] as const) : one));
    return fc.record({
      type: fc.constant(type),
      optional: fc.constant(optional),
      modifiers: modifiersOf(kind, optional),
      default: pairs.length === 0 ? fc.constant(null) : fc.option(fc.constantFrom(...pairs)),
    });
  });

/** In single quotes, as a blueprint must write values that YAML would read differently. */
export function shortForm({ type, optional, modifiers, default: fallback }: SampleField): string {
  const words = modifiers.map(({ name, argument }) => {
    if (argument === null) return ` ${name}`;
    return ` ${name}(${name === "deprecated" ? JSON.stringify(argument) : argument})`;
  });
  const text = `${type}${optional ? "?" : ""}${words.join("")}${fallback === null ? "" : ` = ${fallback[0]}`}`;
  return `'${text.replaceAll("'", "''")}'`;
}

/** YAML braces; `optional` is in the type or next to it. */
export function longForm({ type, optional, modifiers, default: fallback }: SampleField, beside: boolean): string {
  const typeText = `${type}${optional && !beside ? "?" : ""}`;
  const entries = [
    `type: '${typeText.replaceAll("'", "''")}'`,
    ...(optional && beside ? ["optional: true"] : []),
    ...modifiers.map(({ name, argument }) => `${name}: ${argument === null ? "true" : longArgument(name, argument)}`),
    ...(fallback === null ? [] : [`default: ${fallback[1]}`]),
  ];
  return `{ ${entries.join(", ")} }`;
}

function longArgument(name: string, argument: string): string {
  return name === "unique" ? `[${argument}]` : `'${argument}'`;
}
