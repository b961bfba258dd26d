// Test-only. In: a world, an operation and a source of random numbers. Out: a rule over one of its records, as the
// checker makes it, with every kind of node. Printed and checked again, it gives the same tree.

import type { RecordSchema } from "../schema.ts";
import { withFreshVariables } from "../substitute.ts";
import type { Aggregate, Arithmetic, Comparison, Expression, Quantifier, TextTest, Type } from "../tree.ts";
import { bool, commonType, isNumber, widerNumber } from "../types.ts";
import { joined, negated, truth } from "../walk.ts";
import { aggregatesOf, generateCall } from "./generate-function.ts";
import { literalFor } from "./generate-literal.ts";
import { memberOf } from "./generate-member.ts";
import { type Draw, patterns, texts } from "./generate-values.ts";
import { organizationRoles, roles, type World } from "./generate-world.ts";

export type GeneratedOperation = "read" | "create" | "update" | "delete";

interface Anchor {
  readonly row: string;
  readonly record: string;
}

interface Place {
  readonly draw: Draw;
  readonly world: World;
  readonly operation: GeneratedOperation;
  /** The record of the rule. */
  readonly record: string;
  /** Rows and variables whose fields can be read. */
  readonly anchors: readonly Anchor[];
  readonly nesting: number;
}

/** The maximum depth of conditions and values. */
const DEPTH_MAX = 4;

export function generateRule(world: World, record: string, operation: GeneratedOperation, draw: Draw): Expression {
  const rows = operation === "create" ? ["new"] : operation === "update" ? ["old", "new"] : ["record"];
  const anchors = rows.map((row) => ({ row, record }));
  const rule = condition({ draw, world, operation, record, anchors, nesting: 0 }, draw.int(1, DEPTH_MAX));
  return withFreshVariables(rule, new Set());
}

function condition(at: Place, depth: number): Expression {
  const { draw } = at;
  if (depth > 0 && draw.chance(55)) {
    switch (draw.int(0, 4)) {
      case 0:
        return negated(condition(at, depth - 1));
      case 1:
        return operation(bool, "?:", condition(at, depth - 1), condition(at, depth - 1), condition(at, depth - 1));
      default: {
        const args = Array.from({ length: draw.int(2, 3) }, () => condition(at, depth - 1));
        return joined(draw.chance(50) ? "&&" : "||", args);
      }
    }
  }
  return test(at, depth);
}

function test(at: Place, depth: number): Expression {
  const { draw } = at;
  const sends = at.operation === "create" || at.operation === "update";
  switch (draw.int(0, 12)) {
    case 0:
      return field(at, ({ kind }) => kind === "bool") ?? truth(draw.chance(50));
    case 1:
      return nullTest(at, depth);
    case 2:
      return membership(at, depth);
    case 3:
      return textTest(at, depth);
    case 4:
      if (draw.chance(20)) return generateCall("bool", draw, (of) => value(at, of, depth)) ?? belongs(at);
      return belongs(at);
    case 5:
    case 6:
    case 7:
      return at.nesting < 2
        ? (each(at, depth, draw.pick(["exists", "all", "exists_one"])) ?? truth(true))
        : comparison(at, depth);
    case 8:
      return sends ? { kind: "sent", type: bool, field: draw.pick(ownFields(at)) } : comparison(at, depth);
    default:
      return comparison(at, depth);
  }
}

function comparison(at: Place, depth: number): Expression {
  const { draw } = at;
  const kind = draw.pick(comparableKinds);
  const a = value(at, kind, depth);
  const literal = draw.chance(45) ? literalFor(a, draw) : null;
  const b = literal ?? value(at, draw.chance(40) ? draw.pick(partnersOf(kind)) : kind, depth);
  const unordered = [a, b].some(({ type }) => type.kind === "bool" || type.kind === "enum" || type.kind === "uuid");
  const operators: readonly Comparison[] = unordered ? ["==", "!="] : ["==", "!=", "<", "<=", ">", ">="];
  return draw.chance(75) ? operation(bool, draw.pick(operators), a, b) : operation(bool, draw.pick(operators), b, a);
}

type Kind = "bool" | "int" | "decimal" | "float" | "text" | "uuid" | "date" | "time" | "datetime" | "duration" | "enum";

const comparableKinds: readonly Kind[] = [
  "bool",
  "int",
  "int",
  "decimal",
  "decimal",
  "float",
  "text",
  "text",
  "uuid",
  "date",
  "time",
  "datetime",
  "duration",
  "enum",
];

function partnersOf(kind: Kind): readonly Kind[] {
  if (kind === "int" || kind === "decimal" || kind === "float") return ["int", "decimal", "float"];
  return kind === "text" || kind === "enum" ? ["text", "enum"] : [kind];
}

/** A value with its own type: no literal except durations, whose notation shows the type. */
function value(at: Place, kind: Kind, depth: number): Expression {
  const { draw } = at;
  if (depth > 0 && draw.chance(12)) {
    const yes = value(at, kind, depth - 1);
    const no = draw.chance(50) ? (literalFor(yes, draw) ?? value(at, kind, depth - 1)) : value(at, kind, depth - 1);
    const type = commonType(yes.type, no.type);
    if (type !== null) return operation(type, "?:", condition(at, depth - 1), yes, no);
  }
  if (depth > 0 && draw.chance(35)) {
    const made = calculated(at, kind, depth - 1);
    if (made !== null) return made;
  }
  return special(at, kind) ?? member(at, kind) ?? field(at, (type) => type.kind === kind) ?? fallback(kind, at);
}

/** Values that are not fields: the user, the request, the time. */
function special({ draw, world, record }: Place, kind: Kind): Expression | null {
  if (!draw.chance(25)) return null;
  // A field with this name hides the time.
  if (kind === "datetime" && world.schema.records.get(record)?.fields.has("now") === true) return null;
  switch (kind) {
    case "uuid":
      return draw.chance(60) ? user("id", { kind: "uuid" }) : context("current_org", { kind: "uuid" });
    case "text":
      return draw.pick([user("email", text), user("name", text), user("nick", text), context("request.ip", text)]);
    case "enum":
      return draw.chance(50)
        ? user("plan", { kind: "enum", values: ["free", "pro"] })
        : context("request.key_kind", { kind: "enum", values: ["publishable", "secret"] });
    case "int":
      return user("age", { kind: "int" });
    case "decimal":
      return user("limit_amount", { kind: "decimal" });
    case "date":
      return context("today", { kind: "date" });
    case "datetime":
      return context("now", { kind: "datetime" });
    default:
      return null;
  }
}

/** A field of the first row. Every record has fields of every kind. */
function fallback(kind: Kind, at: Place): Expression {
  const [anchor] = at.anchors;
  const fields = [...(at.world.schema.records.get(anchor?.record ?? "")?.fields ?? [])];
  const found = fields.find(([, one]) => one.type.kind === kind);
  if (anchor === undefined || found === undefined) throw new Error(`no record has a field of kind ${kind}`);
  return { kind: "field", type: found[1].type, row: anchor.row, path: [found[0]] };
}

function calculated(at: Place, kind: Kind, depth: number): Expression | null {
  const { draw } = at;
  if (at.nesting < 2 && draw.chance(18)) return aggregate(at, kind, depth);
  if (draw.chance(25)) return generateCall(kind, draw, (of) => value(at, of, depth));
  switch (kind) {
    case "int":
      if (draw.chance(30)) return size(at, depth);
      if (draw.chance(40) && at.nesting < 2) return each(at, depth, "count");
      return numbers(at, ["int"], depth);
    case "decimal":
      return numbers(at, ["int", "decimal"], depth);
    case "float":
      return numbers(at, ["int", "decimal", "float"], depth);
    case "text": {
      const a = value(at, "text", depth);
      const b = draw.chance(50) ? (literalFor(a, draw) ?? a) : value(at, draw.pick(["text", "enum"]), depth);
      return draw.chance(50) || b.kind === "literal" ? operation(text, "+", a, b) : operation(text, "+", b, a);
    }
    case "datetime":
      return operation({ kind: "datetime" }, draw.pick(["+", "-"]), value(at, "datetime", depth), duration(at, depth));
    case "duration": {
      if (draw.chance(50))
        return operation({ kind: "duration" }, draw.pick(["+", "-"]), duration(at, depth), duration(at, depth));
      const a = value(at, "datetime", depth);
      return operation(
        { kind: "duration" },
        "-",
        a,
        draw.chance(40) ? (literalFor(a, draw) ?? a) : value(at, "datetime", depth),
      );
    }
    default:
      return null;
  }
}

function numbers(at: Place, kinds: readonly Kind[], depth: number): Expression {
  const { draw } = at;
  const a = value(at, draw.pick(kinds), depth);
  const b = draw.chance(40) ? (literalFor(a, draw) ?? a) : value(at, draw.pick(kinds), depth);
  const operator: Arithmetic = draw.pick(["+", "-", "*", "/"]);
  const args = draw.chance(75) ? [a, b] : [b, a];
  return operation(widerNumber(a.type, b.type), operator, ...args);
}

function duration(at: Place, depth: number): Expression {
  const { draw } = at;
  if (draw.chance(50)) return value(at, "duration", depth);
  return {
    kind: "literal",
    type: { kind: "duration" },
    value: draw.pick(["PT0S", "PT1H", "-PT24H", "PT0.000001S", "PT35064000H"]),
  };
}

function size(at: Place, depth: number): Expression {
  const counted = at.draw.chance(50) ? field(at, ({ kind }) => kind === "list") : value(at, "text", depth);
  return operation({ kind: "int" }, "size", counted ?? value(at, "text", depth));
}

function nullTest(at: Place, depth: number): Expression {
  const { draw } = at;
  const asked = draw.chance(60) ? field(at, () => true) : value(at, draw.pick(comparableKinds), depth);
  const nothing: Expression = { kind: "literal", type: { kind: "null" }, value: null };
  const subject = asked === null || asked.kind === "literal" ? fallback("uuid", at) : asked;
  return operation(bool, draw.pick(["==", "!="]), ...(draw.chance(80) ? [subject, nothing] : [nothing, subject]));
}

function membership(at: Place, depth: number): Expression {
  const { draw } = at;
  const rolesHeld = user("roles", { kind: "list", of: text });
  switch (draw.int(0, 3)) {
    case 0:
      return operation(bool, "in", { kind: "literal", type: text, value: draw.pick(roles) }, rolesHeld);
    case 1:
      return operation(bool, "in", value(at, draw.pick(["text", "enum"]), depth), rolesHeld);
    case 2: {
      const list = field(at, ({ kind }) => kind === "list");
      if (list?.type.kind === "list") return inField(at, list, list.type.of, depth);
    }
  }
  const a = value(at, draw.pick(comparableKinds), depth);
  const items = Array.from({ length: draw.int(1, 3) }, () => {
    if (draw.chance(60)) return literalFor(a, draw) ?? a;
    return value(at, draw.pick(partnersOf(a.type.kind as Kind)), depth);
  });
  const of = isNumber(a.type) ? items.map(({ type }) => type).reduce(widerNumber) : a.type;
  return operation(bool, "in", a, { kind: "list", type: { kind: "list", of }, items });
}

function inField(at: Place, list: Expression, of: Type, depth: number): Expression {
  const sought = literalFor({ kind: "user", type: of, name: "" }, at.draw);
  if (sought !== null && at.draw.chance(50)) return operation(bool, "in", sought, list);
  return operation(bool, "in", value(at, at.draw.pick(partnersOf(of.kind as Kind)), depth), list);
}

function textTest(at: Place, depth: number): Expression {
  const { draw } = at;
  const subject = value(at, draw.pick(["text", "text", "enum"]), depth);
  const operator: TextTest = draw.pick(["startsWith", "endsWith", "contains", "matches"]);
  const literal = (from: readonly string[]): Expression => ({ kind: "literal", type: text, value: draw.pick(from) });
  if (operator === "matches") return operation(bool, operator, subject, literal(patterns));
  return operation(bool, operator, subject, draw.chance(60) ? literal(texts) : value(at, "text", depth));
}

/** A member of a field that contains an object. */
function member(at: Place, kind: Kind): Expression | null {
  if (!at.draw.chance(8)) return null;
  const object = field(at, (type) => type.kind === "opaque" && type.name === "object");
  if (object?.kind !== "field") return null;
  const found = [...at.world.schema.records.values()].map((one) => one.fields.get(object.path.at(-1) ?? "")?.members);
  const members = found.find((one) => one !== undefined);
  return members === undefined ? null : memberOf(object, members, kind, at.draw);
}

function belongs(at: Place): Expression {
  const { draw } = at;
  const organization = draw.chance(80)
    ? (field(at, ({ kind }) => kind === "uuid") ?? context("current_org", { kind: "uuid" }))
    : context("current_org", { kind: "uuid" });
  return { kind: "member", type: bool, organization, role: draw.chance(50) ? null : draw.pick(organizationRoles) };
}

/** `of` is the kind of the values that an aggregate uses. */
function each(at: Place, depth: number, quantifier: Quantifier | Aggregate, of?: Kind): Expression | null {
  const { draw } = at;
  const start = draw.pick(at.anchors);
  const { record, path } = walk(at, start, draw.pick([0, 0, 0, 1, 2]));
  if (record === undefined || record.relations.size === 0) return null;
  const [relation, { record: entity }] = draw.pick([...record.relations]);
  const free = ["c", "one", "other_c", "x"].filter((name) => !at.anchors.some(({ row }) => row === name));
  const variable = draw.pick(free);
  const inner = {
    ...at,
    anchors: [...at.anchors, { row: variable, record: entity }, { row: variable, record: entity }],
    nesting: at.nesting + 1,
  };
  const within = Math.min(depth, 2);
  const judged = draw.chance(of === undefined ? 10 : 60) ? truth(true) : condition(inner, within);
  const every = { kind: "each", quantifier, row: start.row, path, relation, entity, variable } as const;
  if (of === undefined) return { ...every, type: quantifier === "count" ? { kind: "int" } : bool, condition: judged };
  const made = value(inner, of, within);
  return {
    ...every,
    type: quantifier === "avg" && of === "int" ? { kind: "decimal" } : made.type,
    condition: judged,
    value: made,
  };
}

/** For kinds that some aggregate returns; null for the others. */
function aggregate(at: Place, kind: Kind, depth: number): Expression | null {
  const names = aggregatesOf[kind];
  if (names === undefined) return null;
  const quantifier = at.draw.pick(names);
  const of = quantifier === "avg" && kind === "decimal" ? at.draw.pick(["int", "decimal"] as const) : kind;
  return each(at, depth, quantifier, of);
}

/** A field of a row, of a referenced record, or of the sent values. */
function field(at: Place, is: (type: Type) => boolean): Expression | null {
  const { draw, operation: of } = at;
  const sends = of === "create" || of === "update";
  if (sends && draw.chance(15)) {
    const fields = [...(at.world.schema.records.get(at.record)?.fields ?? [])].filter(
      ([name, one]) => name !== "id" && name !== "version" && is(one.type),
    );
    if (fields.length > 0) {
      const [name, one] = draw.pick(fields);
      return { kind: "field", type: one.type, row: "input", path: [name] };
    }
  }
  const start = draw.pick(at.anchors);
  const { record, path } = walk(at, start, draw.pick([0, 0, 0, 0, 1, 1, 2, 4]));
  const fields = [...(record?.fields ?? [])].filter(
    ([name, one]) => is(one.type) && (path.length === 0 || name !== "id"),
  );
  if (fields.length === 0) return null;
  const [name, { type }] = draw.pick(fields);
  return { kind: "field", type, row: start.row, path: [...path, name] };
}

/** Through this number of references, or fewer if there are fewer. */
function walk(at: Place, start: Anchor, steps: number): { record: RecordSchema | undefined; path: string[] } {
  let record = at.world.schema.records.get(start.record);
  const path: string[] = [];
  for (let step = 0; step < steps; step++) {
    const references = [...(record?.fields ?? [])].filter(([, one]) => one.refersTo !== null);
    if (references.length === 0) break;
    const [name, one] = at.draw.pick(references);
    path.push(name);
    record = at.world.schema.records.get(one.refersTo ?? "");
  }
  return { record, path };
}

function ownFields(at: Place): string[] {
  const names = [...(at.world.schema.records.get(at.record)?.fields.keys() ?? [])];
  return names.filter((name) => name !== "id" && name !== "version");
}

const text: Type = { kind: "text" };

function user(name: string, type: Type): Expression {
  return { kind: "user", type, name };
}

function context(name: Extract<Expression, { kind: "context" }>["name"], type: Type): Expression {
  return { kind: "context", type, name };
}

function operation(
  type: Type,
  operator: Extract<Expression, { kind: "operation" }>["operator"],
  ...args: readonly Expression[]
): Expression {
  return { kind: "operation", type, operator, args };
}
