// In: an expression over a record. Out: the other records that it looks at, each with the fields that it reads of them and how they
// hang together with the record. It never says who may read them.
import { type Anchor, type Expression, negated, partsOf, rewrite } from "@plinth/expression";
import type { Entity, Field, Model } from "../model/model.ts";
import { USER_ENTITY, userRelations } from "../modules/users.ts";
import { targetOf } from "./expression-schema.ts";

export interface Look {
  readonly entity: string;
  /** The entities on the way to it, from that of the expression on. */
  readonly way: readonly string[];
  /** The fields that are read; none where only their number counts. */
  readonly fields: ReadonlySet<string>;
  /** A rule over such a record, `record`, as one over the rows of `entities`. */
  readonly place: (rule: Expression) => Expression;
  /** Where any of them is true, nothing is learned of the record. */
  readonly unless: readonly Expression[];
  /** References that lead to it, each with a value. */
  readonly through: readonly Expression[];
  /** The entity of each row: `record`, and of the records of relations `old` and `new`. */
  readonly entities: ReadonlyMap<string, string>;
}

/** A row of the expression under the name that it is compared by. */
interface Standing {
  readonly row: string;
  readonly entity: string;
  /** The entities before it, on the way from the record. */
  readonly way: readonly string[];
  /** The field by which it refers to its owner, in the place of which the owner is read. */
  readonly tie: { readonly field: string; readonly owner: Anchor } | null;
}

type Known = Pick<Model, "entities" | "userFields">;

/** Rows that rules know; of relations within each other there may be one more, which is then called like none. */
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
    // A record of which the condition is false adds nothing, but to whether all are so.
    const passed = node.quantifier === "all" ? [] : [negated(placed(node.condition, within))];
    note(inner, [], null, { rows: within, unless: [...unless, ...passed] });
    for (const part of partsOf(node)) visit(part, within, [...unless, ...passed]);
  }

  /** Notes each record on the way. Out: the entity of the one at the end, and all on the way, that one included. */
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

/** The record at the end of the path, from the owner where the path begins with the reference to it. */
function anchored({ row, tie }: Standing, path: readonly string[]): Anchor {
  if (tie === null || path[0] !== tie.field) return { row, path };
  return { row: tie.owner.row, path: [...tie.owner.path, ...path.slice(1)] };
}

/** Each row of the rule by its standing; `before` stands before every path. */
function placed(rule: Expression, rows: ReadonlyMap<string, Standing>, before: readonly string[] = []): Expression {
  return rewrite(rule, (node) => {
    if (node.kind !== "field" && node.kind !== "each") return node;
    const at = rows.get(node.row);
    if (at === undefined) return node;
    const { row, path } = anchored(at, [...before, ...node.path]);
    if (node.kind === "each") return { ...node, row, path };
    // The id of a record is what the reference to it holds, and the other way round.
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

/** Looks at the same record as one, with all that they read of it. */
function merged(looks: readonly Look[]): readonly Look[] {
  const probe: Expression = { kind: "field", type: { kind: "uuid" }, row: "record", path: ["id"] };
  const keyOf = (look: Look): string =>
    JSON.stringify([look.entity, look.way, look.place(probe), look.unless, look.through]);
  return [...Map.groupBy(looks, keyOf).values()].flatMap((alike) => {
    const [first] = alike;
    return first === undefined ? [] : [{ ...first, fields: new Set(alike.flatMap((one) => [...one.fields])) }];
  });
}
