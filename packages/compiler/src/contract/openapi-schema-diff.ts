// Compares one level of two JSON Schemas. In: a schema before and after. Out: where it now accepts less, or returns
// more, each with the place and a sentence. It never follows references or properties.
import { storable } from "@plinth/blueprint";
import { portablePattern } from "./portable-patterns.ts";

type Json = Readonly<Record<string, unknown>>;

export interface SchemaChange {
  /** A property, or empty for the schema itself. */
  readonly at: string;
  readonly says: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What a client could send before, and can't now. */
export function narrowedRequest(before: Json, after: Json): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  const [old, now] = [typesOf(before), typesOf(after)];
  const refused = old.filter((type) => !takes(now, type));
  if (refused.length > 0)
    changes.push({
      at: "",
      says: `${refused.map(named).join(" and ")} is no longer accepted.`,
      before: old,
      after: now,
    });
  const lost = lostValues(before, after);
  if (lost !== null) changes.push({ at: "", says: lost, before: before.enum, after: after.enum });
  for (const [key, tighter, text] of bounds) {
    const [a, b] = [before[key] as number | undefined, after[key] as number | undefined];
    if (b !== undefined && (a === undefined || tighter(a, b)))
      changes.push({ at: "", says: `${text} ${b} now.`, before: a ?? null, after: b });
  }
  for (const key of ["pattern", "multipleOf", "uniqueItems", "propertyNames"]) {
    const [a, b] = [before[key], after[key]];
    if (b !== undefined && formOf(a) !== formOf(b) && !(key === "pattern" && isFreeText(b))) {
      changes.push({ at: "", says: "Its form has changed.", before: a ?? null, after: b });
    }
  }
  return [...changes, ...narrowedProperties(before, after)];
}

function narrowedProperties(before: Json, after: Json): readonly SchemaChange[] {
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const gone = after.additionalProperties === false ? [...old.keys()].filter((name) => !now.has(name)) : [];
  const [needed, needs] = [requiredOf(before), requiredOf(after)];
  // A schema that accepted no object before demands no member from those who sent it.
  const types = typesOf(before);
  if (types.length > 0 && !types.includes("object")) return [];
  return [
    ...gone.map((name) => ({ at: name, says: "It is no longer accepted." })),
    ...[...needs].filter((name) => !needed.has(name)).map((name) => ({ at: name, says: "It is now required." })),
  ];
}

/** What a client can now read, and could not before. Clients must expect new enum values. */
export function widenedResponse(before: Json, after: Json): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  const [old, now] = [typesOf(before), typesOf(after)];
  const given = now.filter((type) => !takes(old, type));
  if (given.length > 0)
    changes.push({ at: "", says: `It can now be ${given.map(named).join(" or ")}.`, before: old, after: now });
  if (old.length > 0 && now.length === 0)
    changes.push({ at: "", says: "It can now have any value.", before: old, after: null });
  if (before.enum !== undefined && after.enum === undefined && now.includes("string"))
    changes.push({ at: "", says: "It can now be any text.", before: before.enum, after: null });
  if (before.format !== undefined && before.format !== after.format)
    changes.push({
      at: "",
      says: `It is no longer a ${String(before.format)}.`,
      before: before.format,
      after: after.format ?? null,
    });
  const [there, still] = [propertiesOf(before), propertiesOf(after)];
  const [needed, needs] = [requiredOf(before), requiredOf(after)];
  for (const name of there.keys()) {
    if (!still.has(name)) changes.push({ at: name, says: "It is no longer returned." });
    else if (needed.has(name) && !needs.has(name)) changes.push({ at: name, says: "It can now be absent." });
  }
  return changes;
}

type Bound = readonly [key: string, tighter: (before: number, after: number) => boolean, text: string];

const lower = (before: number, after: number): boolean => after < before;
const higher = (before: number, after: number): boolean => after > before;

const bounds: readonly Bound[] = [
  ["maxLength", lower, "Its maximum length is now"],
  ["minLength", higher, "Its minimum length is now"],
  ["maximum", lower, "Its maximum is now"],
  ["minimum", higher, "Its minimum is now"],
  ["maxItems", lower, "Its maximum number of members is now"],
  ["minItems", higher, "Its minimum number of members is now"],
];

/** Documents of older versions wrote some patterns differently, and had no descriptions. */
function formOf(value: unknown): string | undefined {
  const form = typeof value === "object" && value !== null && "pattern" in value ? value.pattern : value;
  return typeof form === "string" ? portablePattern(form) : JSON.stringify(form);
}

/** The pattern that every text must match. */
function isFreeText(pattern: unknown): boolean {
  return pattern === portablePattern(storable);
}

function lostValues(before: Json, after: Json): string | null {
  if (!Array.isArray(after.enum)) return null;
  if (!Array.isArray(before.enum)) return "Only some values are now accepted.";
  const now = new Set<unknown>(after.enum);
  const lost = before.enum.filter((value) => value !== null && !now.has(value));
  return lost.length === 0 ? null : `${lost.join(", ")} ${lost.length === 1 ? "is" : "are"} no longer accepted.`;
}

function typesOf(schema: Json): readonly string[] {
  if (Array.isArray(schema.type)) return schema.type as readonly string[];
  return typeof schema.type === "string" ? [schema.type] : [];
}

/** Without types, a schema accepts everything; a whole number is a number. */
function takes(types: readonly string[], type: string): boolean {
  return types.length === 0 || types.includes(type) || (type === "integer" && types.includes("number"));
}

function named(type: string): string {
  return type === "null" ? "null" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function propertiesOf(schema: Json): ReadonlyMap<string, unknown> {
  return new Map(Object.entries((schema.properties ?? {}) as Json));
}

function requiredOf(schema: Json): ReadonlySet<string> {
  return new Set((schema.required ?? []) as readonly string[]);
}
