// Infers the type of an action's result. In: an action's output. Out: its schema, an example, and its TypeScript type.
// Any value can be null: a step is skipped, or a field is hidden from the caller.
import type { Action, FieldType, Model, Step } from "@plinth/blueprint";
import type { Expression, Operator, Type } from "@plinth/expression";

type Template = NonNullable<Action["output"]>;
type JsonValue = Extract<Template, { readonly kind: "literal" }>["value"];

/** A JSON type, as far as it is known before the action runs. */
export type OutputType =
  | { readonly kind: "any" | "null" | "bool" | "int" | "digits" | "float" | "text" }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly of: OutputType }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, OutputType>> }
  | { readonly kind: "maybe"; readonly of: OutputType };

export function outputTypeOf(action: Action, model: Model): OutputType {
  return action.output === null ? { kind: "null" } : typeOfTemplate(action.output, { action, model });
}

interface Around {
  readonly action: Action;
  readonly model: Model;
}

function typeOfTemplate(template: Template, around: Around): OutputType {
  switch (template.kind) {
    case "literal":
      return typeOfJson(template.value);
    case "text":
      return { kind: "text" };
    case "value":
      return maybe(typeOfExpression(template.expression, around));
    case "list":
      return { kind: "list", of: joined(template.items.map((item) => typeOfTemplate(item, around))) };
    case "object":
      return objectOf(template.members, (member) => typeOfTemplate(member, around));
  }
}

function typeOfJson(value: JsonValue): OutputType {
  if (value === null) return { kind: "null" };
  if (typeof value === "boolean") return { kind: "bool" };
  if (typeof value === "string") return { kind: "text" };
  if (typeof value === "number") return { kind: Number.isInteger(value) ? "int" : "float" };
  if (Array.isArray(value)) return { kind: "list", of: joined(value.map(typeOfJson)) };
  return objectOf(value as Readonly<Record<string, JsonValue>>, typeOfJson);
}

function objectOf<Member>(
  members: Readonly<Record<string, Member>>,
  typeOf: (member: Member) => OutputType,
): OutputType {
  return {
    kind: "object",
    members: Object.fromEntries(Object.entries(members).map(([name, one]) => [name, typeOf(one)])),
  };
}

function maybe(type: OutputType): OutputType {
  return type.kind === "any" || type.kind === "null" ? type : { kind: "maybe", of: type };
}

function joined([first, ...others]: readonly OutputType[]): OutputType {
  if (first === undefined) return { kind: "any" };
  return others.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : { kind: "any" };
}

function typeOfExpression(expression: Expression, around: Around): OutputType {
  const type = typeOfRules(expression.type);
  return type.kind === "digits" && isSmall(expression, around) ? { kind: "int" } : type;
}

function typeOfRules(type: Type): OutputType {
  switch (type.kind) {
    case "bool":
    case "float":
      return { kind: type.kind };
    case "int":
      return { kind: "digits" };
    case "enum":
      return { kind: "enum", values: type.values };
    case "list":
      return { kind: "list", of: maybe(typeOfRules(type.of)) };
    case "opaque":
      return { kind: "any" };
    case "null":
      return { kind: "null" };
    default:
      return { kind: "text" };
  }
}

const smallResults: ReadonlySet<Operator> = new Set(["size", "year", "month", "day", "weekday", "hour", "minute"]);

/** Whether JSON parsers can represent the whole number; larger ones are digits in a text. */
function isSmall(expression: Expression, around: Around): boolean {
  switch (expression.kind) {
    case "literal":
      return typeof expression.value === "number";
    case "operation":
      return smallResults.has(expression.operator);
    case "each":
      return expression.quantifier === "count";
    case "value":
      return fieldTypeAt(expression.root, expression.path, around)?.kind === "int";
    default:
      return false;
  }
}

/** The field behind `input.<name>` or `steps.<id>.<name>`; undefined if there is none. */
function fieldTypeAt(root: string, path: readonly string[], { action, model }: Around): FieldType | undefined {
  const name = path.at(-1);
  if (root === "input" && path.length === 1) return action.input.find((field) => field.name === name)?.type;
  if (root !== "steps" || path.length !== 2) return undefined;
  const step = action.steps.find((one: Step) => one.id === path[0]);
  const entity = step !== undefined && "entity" in step.action ? step.action.entity : null;
  const found = model.entities.find((one) => one.name === entity);
  return found?.fields.find((field) => field.name === name)?.type;
}

export function outputSchema(type: OutputType): Readonly<Record<string, unknown>> {
  switch (type.kind) {
    case "any":
      return {};
    case "null":
      return { type: "null" };
    case "bool":
      return { type: "boolean" };
    case "int":
      return { type: "integer" };
    case "digits":
      return { type: ["integer", "string"], description: "A number above 2^53 is returned as a text of digits." };
    case "float":
      return { type: "number" };
    case "text":
      return { type: "string" };
    case "enum":
      return { type: "string", enum: type.values };
    case "list":
      return { type: "array", items: outputSchema(type.of) };
    case "object": {
      const properties = Object.fromEntries(
        Object.entries(type.members).map(([name, member]) => [name, outputSchema(member)]),
      );
      return { type: "object", properties, required: Object.keys(properties) };
    }
    case "maybe":
      return orNull(outputSchema(type.of));
  }
}

function orNull({ type, enum: values, ...rest }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const types = Array.isArray(type) ? type : [type];
  return { type: [...types, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}), ...rest };
}

export function outputExample(type: OutputType): unknown {
  switch (type.kind) {
    case "any":
    case "null":
      return null;
    case "bool":
      return true;
    case "int":
    case "digits":
      return 1;
    case "float":
      return 1.5;
    case "text":
      return "text";
    case "enum":
      return type.values[0] ?? null;
    case "list":
      return [outputExample(type.of)];
    case "object":
      return Object.fromEntries(Object.entries(type.members).map(([name, member]) => [name, outputExample(member)]));
    case "maybe":
      return outputExample(type.of);
  }
}

export function outputTypescript(type: OutputType): string {
  switch (type.kind) {
    case "any":
      return "unknown";
    case "null":
      return "null";
    case "bool":
      return "boolean";
    case "int":
    case "float":
      return "number";
    case "digits":
      return "number | string";
    case "text":
      return "string";
    case "enum":
      return type.values.length === 0 ? "never" : type.values.map((value) => JSON.stringify(value)).join(" | ");
    case "list":
      return `(${outputTypescript(type.of)})[]`;
    case "object": {
      const members = Object.entries(type.members).map(
        ([name, member]) => `${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}: ${outputTypescript(member)}`,
      );
      return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
    }
    case "maybe":
      return `${outputTypescript(type.of)} | null`;
  }
}
