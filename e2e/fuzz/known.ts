// Remembers records from replies, so that requests can use existing ones. In: replies. Out: an id for a name in the
// document (`id` of an operation on listings, `listing_id` of a body), and the values of a known record for a key.
import type { Json, JsonObject } from "@plinth/testkit";
import type { Random } from "./random.ts";

const KEPT_MAX = 200;

export class Known {
  readonly #ids = new Map<string, string[]>();

  readonly #records = new Map<string, JsonObject[]>();

  /** What a reply about records of an entity contains. */
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

  /** Null if no known record of the entity has all of these fields. */
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

  /** Null if none is known. @param name The name in the document. @param entity The entity of the operation. */
  find(name: string, entity: string, random: Random): string | null {
    const meant = name === "id" ? entity : name.replace(/_id$/, "");
    const ids =
      this.#ids.get(meant) ??
      (/(owner|author|user|created_by|follower|followed|assignee)/.test(name) ? this.#ids.get("user") : undefined);
    const any = ids ?? [...this.#ids.values()].flat();
    return any.length === 0 ? null : random.pick(any);
  }
}
