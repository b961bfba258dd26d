// Looks up what a name in a rule stands for. In: the model. Out: each entity's table and field types, `user` included.
// It never decides who may see what.
import type { FieldType, Model } from "@plinth/blueprint";

export interface CatalogEntity {
  readonly name: string;
  readonly table: string;
  readonly fields: ReadonlyMap<string, FieldType>;
}

export type Catalog = ReadonlyMap<string, CatalogEntity>;

/** The built-in entity that every user_ref points to. */
export const USER_ENTITY = "user";
export const USERS_TABLE = "users";

export function catalogOf(model: Model): Catalog {
  const catalog = new Map<string, CatalogEntity>([[USER_ENTITY, userEntity]]);
  for (const entity of model.entities) {
    if (catalog.has(entity.name)) throw new Error(`two entities are called ${entity.name}`);
    const fields = new Map(entity.fields.map((field) => [field.name, field.type]));
    catalog.set(entity.name, { name: entity.name, table: entity.plural, fields });
  }
  return catalog;
}

/** The entity whose record a field of this type names; null where it names none. */
export function referenceOf(type: FieldType): string | null {
  if (type.kind === "user_ref") return USER_ENTITY;
  return type.kind === "ref" ? type.entity : null;
}

export function entityOf(catalog: Catalog, name: string): CatalogEntity {
  const entity = catalog.get(name);
  if (entity === undefined) throw new Error(`no entity is called ${name}`);
  return entity;
}

const userEntity: CatalogEntity = {
  name: USER_ENTITY,
  table: USERS_TABLE,
  fields: new Map<string, FieldType>([
    ["id", { kind: "uuid" }],
    ["email", { kind: "email" }],
    ["name", { kind: "string", max: 255 }],
    ["created_at", { kind: "datetime" }],
    ["updated_at", { kind: "datetime" }],
    ["version", { kind: "int" }],
  ]),
};
