// Records that were met, so that requests can be about some that are there. In: ids, by what they are of. Out: ids for a name that a
// document gives to a place: `id` of an operation on listings, `listing_id` of a body.
import type { Random } from "./random.ts";

const KEPT_MAX = 200;

export class Known {
  readonly #ids = new Map<string, string[]>();

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
