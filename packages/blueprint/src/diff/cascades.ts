// Finds new cascades. In: two models, and which entity of one is which of the other. Out: a change for each reference
// through which deletes newly destroy records that no restore brings back. It counts no records; the database does.

import { withArticle } from "@plinth/expression";
import type { Entity, Field, Model } from "../model/model.ts";
import type { Change, ReferringRecords } from "./change.ts";
import { changeOf } from "./make-change.ts";
import { type Matches, matchByName } from "./renames.ts";

export function diffCascades(before: Model, after: Model, { kept }: Matches<Entity>): Change[] {
  return after.entities.flatMap((entity) => {
    const live = kept.find((pair) => pair.after === entity)?.before ?? null;
    const fields = live === null ? [] : matchByName(live.fields, entity.fields).kept;
    return entity.fields.flatMap((field): Change[] => {
      const parent = destroyedWith(after, entity, field);
      if (parent === null || !kept.some((pair) => pair.after === parent)) return [];
      const was = fields.find((pair) => pair.after === field)?.before ?? null;
      if (live !== null && was !== null && destroyedWith(before, live, was) !== null) return [];
      const referring = live === null || was === null ? null : referringRecords(before, live, was);
      const now = referring === null ? " No record refers to one yet." : "";
      const summary =
        `Deleting ${withArticle(`\`${parent.name}\``)} now permanently deletes each \`${entity.name}\` that refers to it by \`${field.name}\`. ` +
        `Restoring the \`${parent.name}\` doesn't bring them back.${now}`;
      const path = `${entity.name}.${field.name}`;
      const change = changeOf({ kind: "cascade_destroys", path, summary, classes: ["safe"] });
      return [referring === null ? change : { ...change, referring }];
    });
  });
}

/** An entity with `soft_delete` whose deletes destroy records of this entity; null if there is none. */
function destroyedWith({ entities }: Model, entity: Entity, { type }: Field): Entity | null {
  if (entity.softDelete || type.kind !== "ref" || type.onDelete !== "cascade") return null;
  return entities.find((each) => each.name === type.entity && each.softDelete) ?? null;
}

function referringRecords({ entities }: Model, entity: Entity, { name, type }: Field): ReferringRecords | null {
  const target = type.kind === "ref" ? entities.find((each) => each.name === type.entity) : undefined;
  if (target === undefined) return null;
  return { table: entity.plural, column: name, target: target.plural, keepsDeleted: target.softDelete };
}
