// Finds the fields of a Prisma schema that are relations, and their pairs. In: the models. Out: for each model its references,
// each with its other side, and its many-to-many links.
import type { Attr, Field, Model } from "@mrleebo/prisma-ast";
import type { ForeignLink, ForeignReference } from "../foreign-schema.ts";
import type { Inventory } from "../inventory.ts";
import { attributeOf, firstPlain, namesArgument, textArgument, unquote, wordArgument } from "./prisma-values.ts";

export interface Relations {
  readonly references: readonly ForeignReference[];
  readonly links: readonly ForeignLink[];
}

interface Side {
  readonly model: Model;
  readonly field: Field;
}

export function relationsOf(models: ReadonlyMap<string, Model>, inventory: Inventory): ReadonlyMap<string, Relations> {
  const sides = [...models.values()].flatMap((model) =>
    fieldsIn(model)
      .filter((field) => targetOf(field, models) !== null)
      .map((field): Side => ({ model, field })),
  );
  const taken = new Set<Side>();
  const found = new Map<string, { references: ForeignReference[]; links: ForeignLink[] }>(
    [...models.keys()].map((name) => [name, { references: [], links: [] }]),
  );
  for (const side of sides.filter(isOwner)) {
    taken.add(side);
    const back = oppositeOf(side, sides, taken);
    if (back !== null) taken.add(back);
    found.get(side.model.name)?.references.push(referenceOf(side, back, inventory));
  }
  for (const side of sides) {
    if (taken.has(side)) continue;
    taken.add(side);
    const back = oppositeOf(side, sides, taken);
    if (back !== null && side.field.array === true && back.field.array === true) {
      taken.add(back);
      const item = inventory.found("relations", pathOf(side));
      const other = { name: back.field.name, item: inventory.found("other sides", pathOf(back)) };
      const link = { name: side.field.name, item, table: back.model.name, back: other };
      found.get(side.model.name)?.links.push(link);
    } else {
      const item = inventory.found("other sides", pathOf(side));
      inventory.leftOut(item, "It has no other side with its fields.");
    }
  }
  return found;
}

export function fieldsIn(model: Model): readonly Field[] {
  return model.properties.filter((property): property is Field => property.type === "field");
}

export function targetOf(field: Field, models: ReadonlyMap<string, Model>): Model | null {
  return typeof field.fieldType === "string" ? (models.get(field.fieldType) ?? null) : null;
}

const pathOf = ({ model, field }: Side): string => `${model.name}.${field.name}`;

/** It names the columns of the reference. */
function isOwner({ field }: Side): boolean {
  return namesArgument(attributeOf(field, "relation"), "fields").length > 0;
}

function oppositeOf(side: Side, sides: readonly Side[], taken: ReadonlySet<Side>): Side | null {
  const name = relationName(side.field);
  const other = sides.find(
    (one) =>
      one !== side &&
      !taken.has(one) &&
      !isOwner(one) &&
      one.model.name === side.field.fieldType &&
      one.field.fieldType === side.model.name &&
      relationName(one.field) === name,
  );
  return other ?? null;
}

/** `@relation("name")` or `@relation(name: "name")`. */
export function relationName(field: Field): string | null {
  const relation = attributeOf(field, "relation");
  const first = firstPlain(relation);
  return textArgument(relation, "name") ?? (typeof first === "string" ? unquote(first) : null);
}

function referenceOf(side: Side, back: Side | null, inventory: Inventory): ForeignReference {
  const { field, model } = side;
  const relation = attributeOf(field, "relation");
  const path = pathOf(side);
  const explicit = (kind: "on delete" | "on update", key: string): ReturnType<Inventory["found"]> | null =>
    wordArgument(relation, key) === null ? null : inventory.found(kind, path);
  if (textArgument(relation, "map") !== null)
    inventory.leftOut(inventory.found("database names", `${path} @relation(map)`), "Plinth names its own constraints.");
  return {
    name: field.name,
    item: inventory.found("relations", path),
    columns: namesArgument(relation, "fields"),
    table: typeof field.fieldType === "string" ? field.fieldType : model.name,
    targetColumns: namesArgument(relation, "references"),
    onDelete: onDeleteOf(relation, field.optional === true),
    onDeleteItem: explicit("on delete", "onDelete"),
    onUpdateItem: explicit("on update", "onUpdate"),
    back: back === null ? null : { name: back.field.name, item: inventory.found("other sides", pathOf(back)) },
  };
}

function onDeleteOf(relation: Attr | undefined, optional: boolean): ForeignReference["onDelete"] {
  switch (wordArgument(relation, "onDelete")) {
    case "Cascade":
      return "cascade";
    case "SetNull":
      return "set_null";
    case "SetDefault":
      return "set_default";
    case null:
      // Prisma's default.
      return optional ? "set_null" : "restrict";
    default:
      return "restrict";
  }
}
