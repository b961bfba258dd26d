// Random inputs of requests. In: the world, random numbers. Out: ids, bodies, filters; most of them can succeed. It
// reports which values of a body every caller is refused.
import type { Entity, Field, JsonValue } from "@plinth/blueprint";
import type { Random } from "@plinth/testkit";
import { isListable, type ListAsked } from "./generated-lists.ts";
import type { Sent } from "./generated-outcomes.ts";
import { plainValue, refusedValue } from "./generated-values.ts";
import { isDeleted, type Rec, recordsOf, targetOf, type Values, type World } from "./generated-world.ts";

/** An id of no record. */
export const NOBODY = "01890000-0000-7000-8000-000000000000";

export class Inputs {
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  listAsked(entity: Entity): ListAsked {
    const random = this.#random;
    const fields = entity.fields.filter(isListable);
    const filters: Record<string, JsonValue> = {};
    for (const field of random.some(fields, 0.06)) {
      const records = recordsOf(this.#world, entity.name);
      const value = records.length > 0 ? (random.pick(records).values[field.name] ?? null) : null;
      // In a URL, a float has its plain form.
      if (value !== null && value !== 1e21) filters[field.name] = value;
    }
    const sort = random
      .some(fields, 0.06)
      .slice(0, 3)
      .map(({ name }) => ({ name, descending: random.chance(0.5) }));
    return { filters, sort };
  }

  /** Usually an existing record; otherwise a missing one, one of another entity, or a text that is no id. */
  record(entity: Entity, deleted: boolean): { record: Rec | null; id: string } {
    const random = this.#random;
    const world = this.#world;
    const all = recordsOf(world, entity.name);
    const fitting = all.filter((each) => isDeleted(each) === deleted);
    const of = fitting.length > 0 && random.chance(0.85) ? fitting : all;
    if (of.length > 0 && random.chance(0.93)) {
      const record = random.pick(of);
      return { record, id: record.id };
    }
    const strangers = [...world.records.values()].filter((each) => each.entity.name !== entity.name);
    if (strangers.length > 0 && random.chance(0.4)) return { record: null, id: random.pick(strangers).id };
    return { record: null, id: random.chance(0.6) ? NOBODY : random.pick(["x", "0", "null", NOBODY.slice(1)]) };
  }

  body(entity: Entity, operation: "create" | "update", record: Rec | null = null): Sent {
    const random = this.#random;
    const named = entity.fields.filter((field) => {
      const required = !field.optional && field.default === null && field.writer === "caller";
      const closed = field.writer === "service" || field.internal || ["computed", "sequence"].includes(field.type.kind);
      if (closed || (operation === "update" && field.immutable)) return random.chance(0.004);
      if (entity.stateMachine?.field === field.name) return random.chance(operation === "update" ? 0.2 : 0.1);
      if (field.default?.kind === "current_user_id" || field.default?.kind === "current_org")
        return random.chance(0.15);
      return random.chance(operation === "update" ? 0.18 : required ? 0.98 : 0.45);
    });
    const sent = this.values(named, record);
    return random.chance(0.01) ? { ...sent, body: { ...sent.body, nothing: 1 } } : sent;
  }

  values(fields: readonly Field[], record: Rec | null = null): Sent {
    const random = this.#random;
    const body: Values = {};
    const wrong: string[] = [];
    for (const field of fields) {
      if (random.chance(0.015)) {
        body[field.name] = refusedValue(field, random) as JsonValue;
        wrong.push(field.name);
      } else if (field.optional && random.chance(0.15)) body[field.name] = null;
      else if (record !== null && random.chance(0.1) && isPlain(field))
        body[field.name] = record.values[field.name] ?? null;
      else body[field.name] = this.#value(field);
    }
    return { body, wrong };
  }

  #value(field: Field): JsonValue {
    const random = this.#random;
    const world = this.#world;
    const target = targetOf(field);
    if (target === null) return isPlain(field) ? plainValue(field, random) : "x";
    const ids =
      target === "user"
        ? world.people.map((each) => each.id)
        : target === "organization"
          ? world.organizations
          : recordsOf(world, target).map((each) => each.id);
    if (field.type.kind === "refs") return random.some(ids, 0.2);
    return ids.length > 0 && random.chance(0.96) ? random.pick(ids) : NOBODY;
  }
}

function isPlain({ type }: Field): boolean {
  return !["computed", "sequence", "uuid", "ref", "refs", "user_ref", "org_ref", "secret"].includes(type.kind);
}
