// Warns about unused entities. In: a model without errors. Out: a warning for each entity that nobody can use and that
// nothing else uses: no role, no background work, no seed. Its permissions were probably forgotten.
import type { Declarations } from "../../declarations/declarations.ts";
import type { Model } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";

type Declared = Pick<Declarations, "entities" | "permissions">;

export function warnOfUnusedEntities(model: Model, { entities, permissions }: Declared, report: Report): void {
  const used = new Set([...entitiesIn(model), ...permissions.map((one) => one.entity.text)]);
  for (const entity of model.entities) {
    // In the model, roles of transitions are permissions.
    if (used.has(entity.name) || entity.permissions.length > 0 || entity.seed.length > 0) continue;
    const name = entities.find((one) => one.name.text === entity.name)?.name;
    if (name === undefined) continue;
    const message = `Nobody can read or write \`${entity.name}\`, and nothing else uses it.`;
    report.add("entity_unused", name.range, message, "Add `permissions:`, for example `user: { read: true }`.");
  }
}

/** Entities that events, steps and look-ups of background work name. */
function entitiesIn({ background }: Model): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    else if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        if (key === "entity" && typeof one === "string") names.add(one);
        if (key === "on" && Array.isArray(one)) for (const event of one) names.add(String(event).split(".")[0] ?? "");
        visit(one);
      }
    }
  };
  visit(background);
  return names;
}
