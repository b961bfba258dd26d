// Lowers views. In: the model. Out: for each view its condition as a predicate, its order and its page, as data.
import type { Model } from "@plinth/blueprint";
import type { Bundle } from "@plinth/bundle";
import { predicateOf } from "../rules/access.ts";
import type { Catalog } from "../sql/catalog.ts";

/** Empty if none is declared. */
export function viewsOf({ entities }: Model, catalog: Catalog): Pick<Bundle, "views"> {
  const views = entities.flatMap((entity) =>
    (entity.views ?? []).map(({ name, where, sort, limit }) => ({
      name,
      entity: entity.name,
      where: predicateOf(where, entity.name, catalog),
      sort,
      limit,
    })),
  );
  return views.length === 0 ? {} : { views };
}
