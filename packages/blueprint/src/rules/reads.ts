// Finds which other records a rule reads, and how it reaches them from its own record: by their ids, along references,
// or as all records of a relation. In: a rule and its entity. Out: the reads, with the fields that are read. It only says
// what is read; `looks.ts` says what that reveals.
import { type Expression, partsOf } from "@plinth/expression";
import type { Entity, Field, Model, Relation } from "../model/model.ts";
import { USER_ENTITY, userRelations } from "../modules/users.ts";
import { targetOf } from "./expression-schema.ts";

export interface Read {
  /** The entity of the records that are read. */
  readonly entity: string;
  readonly fields: ReadonlySet<string>;
  /** The relation whose records are read; null if one record is read, by its id. */
  readonly by: Relation["by"] | null;
  /**
   * The references that lead from the rule's own record to the record that is read, or to the one with the relation.
   * Null if they start at another record of a relation.
   */
  readonly path: readonly string[] | null;
  /** Whether one more record in the relation could make a true rule no longer true; whether one fewer could. */
  readonly isHarmedBy: { readonly more: boolean; readonly fewer: boolean };
}

/** What happens to the rule if this part of it becomes true: at best it does too, at worst it no longer is. */
type Effect = "raises" | "lowers" | "unknown";

const OPPOSITE = { raises: "lowers", lowers: "raises", unknown: "unknown" } as const;

/** A row that the rule names. */
interface Standing {
  readonly entity: string;
  readonly path: readonly string[] | null;
  /** For a record of a relation: its read, and the reference to its owner. */
  readonly read: { readonly fields: Set<string> } | null;
  readonly tie: { readonly field: string; readonly owner: readonly string[] | null } | null;
}

type Rows = ReadonlyMap<string, Standing>;
type Known = Pick<Model, "entities" | "userFields">;

const OWN_ROWS: readonly string[] = ["record", "old", "new", "input"];

export function readsOf(rule: Expression, entity: string, model: Known): readonly Read[] {
  const found: (Read & { readonly fields: Set<string> })[] = [];
  const own: Standing = { entity, path: [], read: null, tie: null };
  visit(rule, new Map(OWN_ROWS.map((row) => [row, own])), "raises");
  return found;

  function visit(node: Expression, rows: Rows, effect: Effect): void {
    if (node.kind === "field") {
      const at = rows.get(node.row);
      if (at !== undefined) readField(at, node.path, effect);
      return;
    }
    if (node.kind !== "each") {
      for (const part of partsOf(node)) visit(part, rows, effectOfPart(node, effect));
      return;
    }
    const at = rows.get(node.row);
    if (at === undefined) return;
    const owner = follow(at, node.path);
    const by = entityOf(model, owner.entity)?.relations.find(({ name }) => name === node.relation)?.by ?? null;
    const isHarmedBy = harmTo(node.quantifier, effect);
    const read = { entity: node.entity, fields: new Set<string>(), by, path: owner.path, isHarmedBy };
    found.push(read);
    const tie = by?.kind === "referrer" ? { field: by.field, owner: owner.path } : null;
    const within = new Map(rows).set(node.variable, { entity: node.entity, path: null, read, tie });
    const isMonotone = node.quantifier === "exists" || node.quantifier === "all";
    for (const part of partsOf(node)) visit(part, within, isMonotone ? effect : "unknown");
  }

  /** Reads the last field of the path, or everything that it is computed from. */
  function readField(at: Standing, path: readonly string[], effect: Effect): void {
    const name = path.at(-1);
    if (name === undefined) return;
    const owner = follow(at, path.slice(0, -1));
    const type = fieldOf(owner.entity, name)?.type;
    if (type?.kind === "computed") visit(type.expression, new Map([["record", owner]]), effect);
    else if (name !== "id") owner.read?.fields.add(name);
  }

  /** The record at the end of the references. */
  function follow(at: Standing, path: readonly string[]): Standing {
    const [name, ...further] = path;
    if (name === undefined) return at;
    const type = fieldOf(at.entity, name)?.type;
    at.read?.fields.add(name);
    const whole = at.tie?.field === name ? at.tie.owner : at.path === null ? null : [...at.path, name];
    const entityThere = (type && targetOf(type)) ?? "";
    // The rule's own record, reached from one of its children.
    if (whole?.length === 0) return follow(own, further);
    const isHarmedBy = { more: false, fewer: false };
    const read = { entity: entityThere, fields: new Set<string>(), by: null, path: whole, isHarmedBy };
    found.push(read);
    return follow({ entity: entityThere, path: whole, read, tie: null }, further);
  }

  function fieldOf(owner: string, name: string): Field | undefined {
    return entityOf(model, owner)?.fields.find((one) => one.name === name);
  }
}

function effectOfPart(node: Expression, effect: Effect): Effect {
  if (node.kind !== "operation") return "unknown";
  if (node.operator === "&&" || node.operator === "||") return effect;
  return node.operator === "!" ? OPPOSITE[effect] : "unknown";
}

/** A record that exists stays, and one that does not satisfy `all` stays, too, whatever is added. */
function harmTo(quantifier: string, effect: Effect): Read["isHarmedBy"] {
  const falls = effect !== "raises";
  const rises = effect !== "lowers";
  if (quantifier === "exists") return { more: falls, fewer: rises };
  if (quantifier === "all") return { more: rises, fewer: falls };
  return { more: true, fewer: true };
}

function entityOf({ entities, userFields }: Known, name: string): Pick<Entity, "fields" | "relations"> | undefined {
  return name === USER_ENTITY
    ? { fields: userFields, relations: userRelations(entities) }
    : entities.find((one) => one.name === name);
}
