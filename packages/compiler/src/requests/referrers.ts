// Finds references between entities. In: the model. Out: for each entity, the effects of its deletion on others, in
// order. It never says how; the runtime writes the statement.
import { type Model, type OnDelete, targetOf } from "@plinth/blueprint";
import type { Referrer } from "@plinth/bundle";
import { joinTableOf } from "../sql/catalog.ts";

/** References that can stop a delete come first, those that delete records last. */
const order: readonly (OnDelete | "pair")[] = ["restrict", "set_null", "cascade", "pair"];

export function referrersOf(model: Model): ReadonlyMap<string, readonly Referrer[]> {
  const found = new Map<string, Referrer[]>();
  const add = (entity: string, referrer: Referrer): void => {
    const known = found.get(entity);
    if (known === undefined) found.set(entity, [referrer]);
    else known.push(referrer);
  };
  for (const entity of model.entities) {
    const source = { name: entity.name, table: entity.plural };
    for (const { name, type } of entity.fields) {
      const target = targetOf(type);
      if (target !== null && "onDelete" in type) {
        add(target, { entity: entity.name, table: entity.plural, column: name, onDelete: type.onDelete });
      }
      if (type.kind !== "refs") continue;
      const { table, own, other } = joinTableOf(source, name, type.entity);
      add(entity.name, { entity: null, table, column: own, onDelete: "cascade" });
      add(type.entity, { entity: null, table, column: other, onDelete: "cascade" });
    }
  }
  for (const referrers of found.values()) referrers.sort((a, b) => rank(a) - rank(b));
  return found;
}

function rank({ entity, onDelete }: Referrer): number {
  return order.indexOf(entity === null ? "pair" : onDelete);
}
