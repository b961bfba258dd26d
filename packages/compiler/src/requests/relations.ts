// Names the relations of records. In: an entity's fields and its to-many relations. Out: the bundle's relations,
// sorted. It never says who can follow one; the runtime checks the field and the records behind it.
import { type Field, type Relation, targetOf } from "@plinth/blueprint";
import type { BundleRelation } from "@plinth/bundle";
import { relationName } from "@plinth/expression";

/** A reference is followed under its field's name without `_id`. */
export function relationsOf(fields: readonly Field[], toMany: readonly Relation[]): readonly BundleRelation[] {
  const toOne = fields.flatMap(({ name, type }): BundleRelation[] => {
    const entity = targetOf(type);
    return entity === null ? [] : [{ name: relationName(name), entity, by: { kind: "reference", field: name } }];
  });
  const all = [...toOne, ...toMany.map(({ name, entity, by }) => ({ name, entity, by }))];
  return all.sort((one, other) => (one.name < other.name ? -1 : 1));
}
