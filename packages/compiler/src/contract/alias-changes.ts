// Compares the singular aliases of routes (`/v1/resources/listing`), which the document doesn't show. In: the entities
// before and after. Out: a change for each alias that no longer exists, or means other records. Removed entities are
// reported elsewhere.
import type { Change, Entity } from "@plinth/blueprint";

type Names = readonly Pick<Entity, "name" | "plural">[];

export function aliasChanges(before: Names, after: Names): readonly Change[] {
  const now = aliasesOf(after);
  return [...aliasesOf(before)].flatMap(([name, plural]): Change[] => {
    if (now.get(name) === plural) return [];
    const path = `/v1/resources/${name}`;
    const isTaken = now.has(name) || after.some((entity) => entity.plural === name);
    if (!isTaken && after.every((entity) => entity.plural !== plural)) return [];
    const summary = isTaken ? `${path} is now the route of another entity.` : `There is no longer a route ${path}.`;
    return [{ kind: "api_contract_changed", path: `api.${path}`, summary, classes: ["breaking"] }];
  });
}

/** Singular > plural. A name that is some entity's plural is not an alias. */
function aliasesOf(entities: Names): ReadonlyMap<string, string> {
  const plurals = new Set(entities.map(({ plural }) => plural));
  return new Map(entities.filter(({ name }) => !plurals.has(name)).map(({ name, plural }) => [name, plural]));
}
