// Valid and invalid values of a schema. In: a schema and choices. Out: JSON.
import type { ApiDocument, Json, JsonObject } from "@plinth/testkit";
import type { Random } from "./random.ts";

const words = [
  "a",
  "Oak table",
  "x".repeat(40),
  "Zoë 🦄",
  "1",
  "true",
  "null",
  "' or 1=1 --",
  "<b>",
  "..",
  "%00",
  "a,b",
];

const byFormat: Readonly<Record<string, readonly string[]>> = {
  uuid: ["018f0000-0000-7000-8000-000000000001", "018F0000-0000-7000-8000-00000000ABCD"],
  date: ["2024-02-29", "0001-01-01", "9999-12-31"],
  "date-time": ["2024-02-29T12:00:00Z", "2024-06-30T23:59:59.123456+02:00"],
  "time-local": ["00:00:00", "23:59:59.999999"],
  duration: ["P1D", "PT1H30M", "PT0S"],
  email: ["ana@example.com", "o'hara+x@example.co.uk"],
  uri: ["https://example.com/a?b=c#d"],
};

/** The position of a value. */
export interface Place {
  /** The name of the member or parameter; empty if it has none. */
  readonly name: string;
  /** The id of an existing record for a position with this name; null if none is known. */
  readonly idFor: (name: string) => string | null;
}

export function generated(schema: JsonObject, document: ApiDocument, random: Random, place: Place, depth = 0): Json {
  const {
    enum: choices,
    const: fixed,
    anyOf,
    oneOf,
    allOf,
    format,
    pattern,
    default: usual,
    ...rest
  } = document.follow(schema);
  if (fixed !== undefined) return fixed;
  if (Array.isArray(choices)) return random.pick(choices as readonly Json[]);
  const either = (anyOf ?? oneOf) as readonly JsonObject[] | undefined;
  if (either !== undefined) return generated(random.pick(either), document, random, place, depth);
  if (Array.isArray(allOf)) {
    const parts = (allOf as readonly JsonObject[]).map((each) => generated(each, document, random, place, depth));
    return Object.assign({}, ...parts) as Json;
  }
  if (usual !== undefined && random.chance(0.2)) return usual;
  const types = [rest["type"] ?? "string"].flat() as readonly string[];
  switch (random.pick(types)) {
    case "null":
      return null;
    case "boolean":
      return random.chance(0.5);
    case "integer":
      return wholeIn(rest, random);
    case "number":
      return random.chance(0.5) ? wholeIn(rest, random) : Math.min(Number(rest["maximum"] ?? 10), 1.5);
    case "array": {
      const [min, max] = [Number(rest["minItems"] ?? 0), Math.min(Number(rest["maxItems"] ?? 3), 3)];
      const length = min + random.int(Math.max(1, max - min + 1));
      const items = Array.from({ length }, () =>
        generated((rest["items"] ?? {}) as JsonObject, document, random, place, depth + 1),
      );
      return rest["uniqueItems"] === true
        ? [...new Map(items.map((each) => [JSON.stringify(each), each])).values()]
        : items;
    }
    case "object":
      return objectOf(rest as JsonObject, document, random, place, depth);
    default:
      return textOf({ format, pattern, ...rest } as JsonObject, random, place);
  }
}

function objectOf(schema: JsonObject, document: ApiDocument, random: Random, place: Place, depth: number): Json {
  const required = (schema["required"] ?? []) as readonly string[];
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>);
  const sent = properties.filter(([name]) => required.includes(name) || (depth < 3 && random.chance(0.4)));
  return Object.fromEntries(
    sent.map(([name, each]) => [name, generated(each, document, random, { ...place, name }, depth + 1)]),
  );
}

function wholeIn(schema: JsonObject, random: Random): number {
  const min = Number(schema["minimum"] ?? -1_000);
  const max = Number(schema["maximum"] ?? 1_000);
  return random.pick([min, max, Math.max(min, Math.min(max, random.int(100)))]);
}

function textOf(schema: JsonObject, random: Random, { name, idFor }: Place): string {
  const { format, pattern } = schema;
  const min = Number(schema["minLength"] ?? 0);
  const max = Number(schema["maxLength"] ?? 200);
  const id = format === "uuid" && random.chance(0.85) ? idFor(name) : null;
  if (id !== null) return id;
  const formed = typeof format === "string" ? byFormat[format] : undefined;
  const fits = (text: string): boolean =>
    text.length >= min && text.length <= max && (typeof pattern !== "string" || matches(pattern, text));
  const candidates = [...(formed ?? words), ...numbers, "a".repeat(Math.max(1, min)), "A1-b_2".slice(0, max)].filter(
    fits,
  );
  return candidates.length > 0 ? random.pick(candidates) : "a".repeat(Math.max(1, min));
}

const numbers = [
  "0",
  "7",
  "12.50",
  "1.5",
  "-3",
  "100.00",
  "9.9900",
  "+491234567890",
  "DE",
  "EUR",
  "de",
  "Europe/Berlin",
  "#aabbcc",
];
const compiled = new Map<string, RegExp | null>();

function matches(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    try {
      expression = new RegExp(pattern, "u");
    } catch {
      expression = null;
    }
    compiled.set(pattern, expression);
  }
  return expression?.test(text) !== false;
}

/** A body with one mistake, and a description of it; null if no mistake is possible. */
export function spoiled(
  schema: JsonObject,
  value: Json,
  document: ApiDocument,
  random: Random,
): { readonly value: Json; readonly how: string } | null {
  const shape = document.follow(schema);
  if (shape["type"] !== "object" || typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const body = value as JsonObject;
  const required = ((shape["required"] ?? []) as readonly string[]).filter((name) => name in body);
  const typed = Object.entries((shape["properties"] ?? {}) as Readonly<Record<string, JsonObject>>).filter(
    ([, each]) => document.follow(each)["type"] !== undefined,
  );
  const ways: (() => { value: Json; how: string } | null)[] = [
    () =>
      shape["additionalProperties"] === false
        ? { value: { ...body, no_such_field: 1 }, how: "an unknown field" }
        : null,
    () => {
      if (required.length === 0) return null;
      const name = random.pick(required);
      return {
        value: Object.fromEntries(Object.entries(body).filter(([each]) => each !== name)),
        how: `${name} left out`,
      };
    },
    () => {
      if (typed.length === 0) return null;
      const [name, each] = random.pick(typed);
      const types = [document.follow(each)["type"]].flat() as readonly string[];
      const other = (
        [
          ["object", { no: 1 }],
          ["array", [[]]],
          ["boolean", true],
          ["string", "no"],
        ] as const
      ).find(([type]) => !types.includes(type));
      return other === undefined ? null : { value: { ...body, [name]: other[1] }, how: `${name} of another type` };
    },
  ];
  return random.pick(ways)();
}
