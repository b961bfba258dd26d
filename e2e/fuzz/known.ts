// Records that were met, so that requests can be about some that are there. In: replies. Out: ids for a name that a document gives to a
// place: `id` of an operation on listings, `listing_id` of a body; and the values of a record that was met, for the places of a key.
import type { Json, JsonObject } from "@plinth/testkit";
import type { Random } from "./random.ts";

const KEPT_MAX = 200;

export class Known {
  readonly #ids = new Map<string, string[]>();

  readonly #records = new Map<string, JsonObject[]>();

  /** What a reply about records of an entity holds. */
  meet(entity: string, reply: Json): void {
    const data = typeof reply === "object" && reply !== null && "data" in reply ? reply["data"] : null;
    for (const one of [data].flat() as readonly Json[]) {
      if (typeof one !== "object" || one === null || Array.isArray(one)) continue;
      const record = one as JsonObject;
      if (typeof record["id"] !== "string") continue;
      this.add(entity, record["id"]);
      const records = this.#records.get(entity) ?? [];
      records.push(record);
      if (records.length > KEPT_MAX) records.shift();
      this.#records.set(entity, records);
    }
  }

  /** Null where no record of the entity with all of these fields was met. */
  record(entity: string, fields: readonly string[], random: Random): JsonObject | null {
    const fitting = (this.#records.get(entity) ?? []).filter((one) =>
      fields.every((name) => (one[name] ?? null) !== null),
    );
    return fitting.length === 0 ? null : random.pick(fitting);
  }

  add(entity: string, id: string): void {
    const ids = this.#ids.get(entity) ?? [];
    if (!ids.includes(id)) ids.push(id);
    if (ids.length > KEPT_MAX) ids.shift();
    this.#ids.set(entity, ids);
  }

  /** Null where none is known. @param name Of the place; `entity`: what the operation is about. */
  find(name: string, entity: string, random: Random): string | null {
    const meant = name === "id" ? entity : name.replace(/_id$/, "");
    const ids =
      this.#ids.get(meant) ??
      (/(owner|author|user|created_by|follower|followed|assignee)/.test(name) ? this.#ids.get("user") : undefined);
    const any = ids ?? [...this.#ids.values()].flat();
    return any.length === 0 ? null : random.pick(any);
  }
}
