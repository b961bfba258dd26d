// Brings expressions and templates of steps into a normal form. In: an expression, and what its names mean. Out: the
// same with each step named by what it does, so that equal keys mean equal values whatever the steps are called. It
// also finds the stored values that a template reads.
import { type Expression, keyOfRule, partsOf, rewrite, type Template } from "@plinth/expression";
import type { Source } from "./effect.ts";

/** The output of a step. */
export interface Output {
  /** Equal for steps that do the same. */
  readonly key: string;
  /** The entity of its record or records; null if it is something else. */
  readonly entity: string | null;
  /** `event`: an event that was waited for. */
  readonly kind: "record" | "event" | "other";
  /** Whether an approval was given, as a condition; null for other steps. */
  readonly approved: Expression | null;
}

export interface Naming {
  readonly outputs: ReadonlyMap<string, Output>;
  /** The meaning of `each`; null if there is none. */
  readonly each: Output | null;
  /** The entity of `record`. */
  readonly entity: string | null;
  /** The entity of `event.record`. */
  readonly carries: string | null;
  readonly inAction: boolean;
  /** The fields of an entity that steps can read. */
  readonly fieldsOf: (entity: string) => readonly string[];
}

export function normalExpression(expression: Expression, naming: Naming): Expression {
  return rewrite(expression, (node) => {
    // The input of an action takes the place of a row, as in its permissions.
    if (node.kind === "field" && node.row === "input") return { ...node, row: "new" };
    if (node.kind !== "value") return node;
    const [first = "", ...path] = node.path;
    if (node.root === "steps") {
      const output = naming.outputs.get(first);
      if (output === undefined) return node;
      if (output.approved !== null && path.length === 1 && path[0] === "approved") return output.approved;
      return { ...node, path: [output.key, ...path] };
    }
    if (node.root === "each") return { ...node, path: [naming.each?.key ?? "", ...node.path] };
    if (node.root === "input" && naming.inAction && node.path.length > 0)
      return { kind: "field", type: node.type, row: "new", path: node.path };
    return node;
  });
}

export function normalTemplate(template: Template, naming: Naming): Template {
  const normal = (one: Template): Template => normalTemplate(one, naming);
  switch (template.kind) {
    case "literal":
      return template;
    case "value": {
      const expression = normalExpression(template.expression, naming);
      return expression.kind === "literal"
        ? { kind: "literal", value: expression.value }
        : { kind: "value", expression };
    }
    case "text":
      return {
        kind: "text",
        parts: template.parts.map((part) => (typeof part === "string" ? part : normalExpression(part, naming))),
      };
    case "list":
      return { kind: "list", items: template.items.map(normal) };
    case "object":
      return {
        kind: "object",
        members: Object.fromEntries(Object.entries(template.members).map(([name, value]) => [name, normal(value)])),
      };
  }
}

/** Equal for templates in normal form that always have equal values. */
export function keyOfTemplate(template: Template): string {
  switch (template.kind) {
    case "literal":
      return JSON.stringify(template.value);
    case "value":
      return `\${${keyOfRule(template.expression)}}`;
    case "text":
      return `"${template.parts.map((part) => (typeof part === "string" ? JSON.stringify(part) : `\${${keyOfRule(part)}}`)).join("")}"`;
    case "list":
      return `[${template.items.map(keyOfTemplate).join()}]`;
    case "object":
      return `{${keyOfValues(template.members)}}`;
  }
}

export function keyOfValues(values: Readonly<Record<string, Template>>): string {
  const names = Object.keys(values).sort();
  return names.map((name) => `${name}:${keyOfTemplate(values[name] as Template)}`).join();
}

export function expressionsIn(template: Template): readonly Expression[] {
  switch (template.kind) {
    case "literal":
      return [];
    case "value":
      return [template.expression];
    case "text":
      return template.parts.filter((part) => typeof part !== "string");
    case "list":
      return template.items.flatMap(expressionsIn);
    case "object":
      return Object.values(template.members).flatMap(expressionsIn);
  }
}

/** The values that a template reads, each once. The template is not in normal form. */
export function sourcesOf(template: Template, naming: Naming): readonly Source[] {
  const found = expressionsIn(template).flatMap((expression) => sourcesIn(expression, naming));
  return [...new Map(found.map((one) => [keyOfSource(one), one])).values()];
}

export function keyOfSource({ origin, entity, field }: Source): string {
  return `${origin} ${entity ?? ""}.${field}`;
}

function sourcesIn(expression: Expression, naming: Naming): readonly Source[] {
  switch (expression.kind) {
    case "field": {
      const [field = "id"] = expression.path;
      if (expression.row === "input") return [{ origin: "input", entity: null, field }];
      return [{ origin: "record", entity: naming.entity, field }];
    }
    case "user":
      return [{ origin: "user", entity: "user", field: expression.name }];
    case "value":
      return sourcesOfValue(expression, naming);
    default:
      return partsOf(expression).flatMap((part) => sourcesIn(part, naming));
  }
}

function sourcesOfValue({ root, path }: Extract<Expression, { kind: "value" }>, naming: Naming): readonly Source[] {
  const [first, ...rest] = path;
  switch (root) {
    case "steps": {
      const output = first === undefined ? undefined : naming.outputs.get(first);
      return output === undefined ? [] : sourcesOfOutput(output, rest, naming);
    }
    case "each":
      return naming.each === null ? [] : sourcesOfOutput(naming.each, path, naming);
    case "input":
      return [{ origin: "input", entity: null, field: first ?? "input" }];
    case "event":
      // The record as it was has the same fields as the record as it is.
      if (first === "record" && naming.carries !== null) return fieldsOf(naming.carries, "record", rest, naming);
      if (first === undefined || first === "data")
        return [{ origin: "event", entity: null, field: ["data", ...rest.slice(0, 1)].join(".") }];
      // The rest of an event names what happened, not what is stored.
      return [];
    case "error":
      // What another service or a mail server answered.
      return first === undefined || first === "body" ? [{ origin: "error", entity: null, field: "body" }] : [];
    case "run":
      return [];
    default:
      return [{ origin: root, entity: null, field: path.join(".") }];
  }
}

function sourcesOfOutput(output: Output, path: readonly string[], naming: Naming): readonly Source[] {
  const [first, second] = path;
  const { key: origin, entity } = output;
  const member = output.kind === "event" ? second : first;
  if (output.kind === "event" && first !== undefined && first !== "record")
    return first === "data" ? [{ origin, entity: null, field: path.slice(0, 2).join(".") }] : [];
  if (entity === null) return [{ origin, entity: null, field: path.join(".") }];
  return fieldsOf(entity, origin, member === undefined ? [] : [member], naming);
}

/** One field of a record, or all of them if the whole record is read. */
function fieldsOf(entity: string, origin: string, [field]: readonly string[], naming: Naming): readonly Source[] {
  const fields = field === undefined ? naming.fieldsOf(entity) : [field];
  return fields.map((name) => ({ origin, entity, field: name }));
}
