// Names what leads from one record to others. In: an entity's fields and its to-many relations. Out: the bundle's relations, sorted.
// It never says who may follow one; the runtime judges the field behind it and the records at its end.
import { type Field, type Relation, targetOf } from "@plinth/blueprint";
import type { BundleRelation } from "@plinth/bundle";
import { relationName } from "@plinth/expression";

/** A reference is followed by its field's name without `_id`. */
export function relationsOf(fields: readonly Field[], toMany: readonly Relation[]): readonly BundleRelation[] {
  const toOne = fields.flatMap(({ name, type }): BundleRelation[] => {
    const entity = targetOf(type);
    return entity === null ? [] : [{ name: relationName(name), entity, by: { kind: "reference", field: name } }];
  });
  const all = [...toOne, ...toMany.map(({ name, entity, by }) => ({ name, entity, by }))];
  return all.sort((one, other) => (one.name < other.name ? -1 : 1));
}
