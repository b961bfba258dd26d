// Generates example values for the OpenAPI document and previews of mails. In: fields. Out: a valid object. The same
// fields always give the same values, so that a document never changes by itself.
import type { Field, FieldType, Limits } from "@plinth/blueprint";
import type { Type } from "@plinth/expression";

export const exampleId = "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f";
export const exampleTime = "2026-01-31T09:30:00.000000Z";

export function exampleOf(fields: readonly Field[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map((field) => [field.name, exampleOfField(field)]));
}

function exampleOfField(field: Field): unknown {
  if (field.default?.kind === "literal") return field.default.value;
  return exampleValue(field.type, field.limits, field.name);
}

const words: Readonly<Partial<Record<FieldType["kind"], string>>> = {
  email: "ana@example.com",
  url: "https://example.com/",
  phone: "+4930123456",
  color: "#336699",
  timezone: "Europe/Berlin",
  country: "DE",
  currency: "EUR",
  locale: "en",
  bigint: "9007199254740993",
  date: "2026-01-31",
  time: "09:30:00",
  datetime: exampleTime,
  duration: "PT1H30M",
  uuid: exampleId,
  user_ref: exampleId,
  org_ref: exampleId,
  ref: exampleId,
  secret: "correct horse battery staple",
};

const none: Limits = { min: null, max: null, pattern: null };

function exampleValue(type: FieldType, limits: Limits, name: string): unknown {
  const word = words[type.kind];
  if (word !== undefined) return word;
  switch (type.kind) {
    case "slug":
      return textWithin(name.replaceAll("_", "-"), limits);
    case "int":
      return within(1, limits);
    case "float":
      return within(1.5, limits);
    case "percent":
      return within(12.5, limits);
    case "decimal":
      return `${type.precision > type.scale ? "1" : "0"}${fraction(type.scale)}`;
    case "money":
      return `12${fraction(type.scale)}`;
    case "bool":
      return true;
    case "enum":
      return type.values[0];
    case "enum_set":
      return type.values.slice(0, within(1, limits));
    case "json":
      return { key: "value" };
    case "object":
      return Object.fromEntries(
        type.fields.map((member) => [member.name, exampleValue(member.type, member.limits, member.name)]),
      );
    case "list":
      return Array.from({ length: within(1, limits) }, () => exampleValue(type.of, none, name));
    case "refs":
      return Array.from({ length: within(1, limits) }, (_, at) => exampleId.slice(0, -4) + String(at).padStart(4, "0"));
    case "i18n":
      return { en: exampleValue(type.of, none, name) };
    case "point":
      return { lat: 52.52, lng: 13.405 };
    case "vector":
      return Array.from({ length: type.dimensions }, () => 0.5);
    case "sequence":
      return `${type.prefix}1`;
    case "computed":
      return exampleOfValue(type.expression.type);
    default:
      return textWithin(name.replaceAll("_", " "), limits);
  }
}

function exampleOfValue(type: Type): unknown {
  switch (type.kind) {
    case "bool":
      return true;
    case "int":
      return 1;
    case "float":
      return 1.5;
    case "decimal":
      return "1.5";
    case "enum":
      return type.values[0];
    case "list":
      return [exampleOfValue(type.of)];
    case "opaque":
      return null;
    case "text":
    case "null":
      return "text";
    case "uuid":
    case "date":
    case "time":
    case "datetime":
    case "duration":
      return words[type.kind];
  }
}

function textWithin(text: string, { min, max }: Limits): string {
  return text.padEnd(Number(min ?? 0), "a").slice(0, max === null ? 255 : Number(max));
}

function within(value: number, { min, max }: Limits): number {
  const raised = min === null ? value : Math.max(value, Number(min));
  return max === null ? raised : Math.min(raised, Number(max));
}

function fraction(scale: number): string {
  return scale === 0 ? "" : `.${"50".padEnd(scale, "0").slice(0, scale)}`;
}
