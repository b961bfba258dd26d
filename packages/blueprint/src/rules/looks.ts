// Finds which other records an expression reads. In: an expression over a record. Out: these records, each with the
// fields that are read and its connection to the record. It never says who can read them.
import { type Anchor, type Expression, negated, partsOf, rewrite } from "@plinth/expression";
import type { Entity, Field, Model } from "../model/model.ts";
import { USER_ENTITY, userRelations } from "../modules/users.ts";
import { targetOf } from "./expression-schema.ts";

export interface Look {
  readonly entity: string;
  /** The entities on the path to it, from the entity of the expression on. */
  readonly way: readonly string[];
  /** The fields that are read; empty if only the number of records counts. */
  readonly fields: ReadonlySet<string>;
  /** A rule over such a record, `record`, as a rule over the rows of `entities`. */
  readonly place: (rule: Expression) => Expression;
  /** If any of them is true, the result reveals nothing about the record. */
  readonly unless: readonly Expression[];
  /** References to it, each with a value. */
  readonly through: readonly Expression[];
  /** The entity of each row: `record`, and of the records of relations `old` and `new`. */
  readonly entities: ReadonlyMap<string, string>;
}

/** A row of the expression, under the name for comparisons. */
interface Standing {
  readonly row: string;
  readonly entity: string;
  /** The entities before it, on the path from the record. */
  readonly way: readonly string[];
  /** The field with the reference to its owner. The owner is read instead of it. */
  readonly tie: { readonly field: string; readonly owner: Anchor } | null;
}

type Known = Pick<Model, "entities" | "userFields">;

/** Rows of rules. In nested relations there can be one more, which gets a name that no row has. */
const rowNames: readonly string[] = ["old", "new"];

export function looksOf(expression: Expression, entity: string, model: Known): readonly Look[] {
  const found: Look[] = [];
  const fieldOf = (owner: string, name: string): Field | undefined =>
    entityOf(model, owner)?.fields.find((one) => one.name === name);
  visit(expression, new Map([["record", { row: "record", entity, way: [], tie: null }]]), []);
  return merged(found);

  function visit(node: Expression, rows: ReadonlyMap<string, Standing>, unless: readonly Expression[]): void {
    if (node.kind === "field") {
      const at = rows.get(node.row);
      if (at !== undefined) follow(at, node.path, { rows, unless });
      return;
    }
    if (node.kind !== "each") {
      for (const part of partsOf(node)) visit(part, rows, unless);
      return;
    }
    const owner = rows.get(node.row);
    if (owner === undefined) return;
    const at = follow(owner, node.path, { rows, unless });
    const relation = entityOf(model, at.entity)?.relations.find(({ name }) => name === node.relation);
    const anchor = anchored(owner, node.path);
    const inner: Standing = {
      row: rowNames[rows.size - 1] ?? `row ${rows.size}`,
      entity: node.entity,
      way: at.way,
      tie: relation?.by.kind === "referrer" ? { field: relation.by.field, owner: anchor } : null,
    };
    const within = new Map(rows).set(node.variable, inner);
    // A record for which the condition is false adds nothing, except for whether all of them satisfy it.
    const passed = node.quantifier === "all" ? [] : [negated(placed(node.condition, within))];
    note(inner, [], null, { rows: within, unless: [...unless, ...passed] });
    for (const part of partsOf(node)) visit(part, within, [...unless, ...passed]);
  }

  /** Collects each record on the path. Out: the entity of the last one, and all on the path including it. */
  function follow(
    at: Standing,
    path: readonly string[],
    around: { readonly rows: ReadonlyMap<string, Standing>; readonly unless: readonly Expression[] },
  ): Pick<Standing, "entity" | "way"> {
    let owner = at.entity;
    let way = at.way;
    for (const [index, name] of path.entries()) {
      if (index > 0 || at.row !== "record") note({ ...at, entity: owner, way }, path.slice(0, index), name, around);
      const type = fieldOf(owner, name)?.type;
      way = [...way, owner];
      owner = (type && targetOf(type)) ?? "";
    }
    return { entity: owner, way: [...way, owner] };
  }

  function note(
    at: Standing,
    path: readonly string[],
    field: string | null,
    { rows, unless }: { readonly rows: ReadonlyMap<string, Standing>; readonly unless: readonly Expression[] },
  ): void {
    const anchor = anchored(at, path);
    const direct = path.length === 0 ? at : { ...at, row: anchor.row, tie: null };
    found.push({
      entity: at.entity,
      way: at.way,
      fields: new Set(field === null ? [] : [field]),
      place: (rule) => placed(rule, new Map([["record", direct]]), path.length === 0 ? [] : anchor.path),
      unless,
      through: path.length === 0 ? [] : [isThere(anchor)],
      entities: new Map([...rows.values()].map((one) => [one.row, one.entity])),
    });
  }
}

function entityOf({ entities, userFields }: Known, name: string): Pick<Entity, "fields" | "relations"> | undefined {
  return name === USER_ENTITY
    ? { fields: userFields, relations: userRelations(entities) }
    : entities.find((one) => one.name === name);
}

/** The record at the end of the path; it starts from the owner if the path starts with the reference to it. */
function anchored({ row, tie }: Standing, path: readonly string[]): Anchor {
  if (tie === null || path[0] !== tie.field) return { row, path };
  return { row: tie.owner.row, path: [...tie.owner.path, ...path.slice(1)] };
}

/** Renames each row of the rule; `before` is added before every path. */
function placed(rule: Expression, rows: ReadonlyMap<string, Standing>, before: readonly string[] = []): Expression {
  return rewrite(rule, (node) => {
    if (node.kind !== "field" && node.kind !== "each") return node;
    const at = rows.get(node.row);
    if (at === undefined) return node;
    const { row, path } = anchored(at, [...before, ...node.path]);
    if (node.kind === "each") return { ...node, row, path };
    // The id of a record and the value of the reference to it are the same.
    if (path.length === 0) return { ...node, row, path: ["id"] };
    return { ...node, row, path: path.length > 1 && path.at(-1) === "id" ? path.slice(0, -1) : path };
  });
}

function isThere({ row, path }: Anchor): Expression {
  const uuid = { kind: "uuid" } as const;
  const reference: Expression = { kind: "field", type: uuid, row, path: path.length === 0 ? ["id"] : path };
  const nothing: Expression = { kind: "literal", type: { kind: "null" }, value: null };
  return { kind: "operation", type: { kind: "bool" }, operator: "!=", args: [reference, nothing] };
}

/** Combines looks at the same record, with all fields that they read. */
function merged(looks: readonly Look[]): readonly Look[] {
  const probe: Expression = { kind: "field", type: { kind: "uuid" }, row: "record", path: ["id"] };
  const keyOf = (look: Look): string =>
    JSON.stringify([look.entity, look.way, look.place(probe), look.unless, look.through]);
  return [...Map.groupBy(looks, keyOf).values()].flatMap((alike) => {
    const [first] = alike;
    return first === undefined ? [] : [{ ...first, fields: new Set(alike.flatMap((one) => [...one.fields])) }];
  });
}
