// Resolves names in rules. In: the model. Out: each record's table, field types and relations, including `user` and
// `organization`. It never decides who can see what.
import {
  type FieldType,
  type Model,
  type ModuleEntity,
  moduleEntities,
  type Relation,
  USER_ENTITY,
  userRelations,
} from "@plinth/blueprint";
import { isServed } from "./column-type.ts";
import { constraintName } from "./sql-text.ts";

export interface CatalogEntity {
  readonly name: string;
  readonly table: string;
  readonly fields: ReadonlyMap<string, FieldType>;
  readonly relations: ReadonlyMap<string, Relation>;
  /** The column that marks a record as deleted; rules only see records that are not deleted. */
  readonly softDelete: string | null;
}

export type Catalog = ReadonlyMap<string, CatalogEntity>;

export const USERS_TABLE = "users";
export const ORGANIZATIONS_TABLE = "organizations";
export const MEMBERSHIPS_TABLE = "memberships";
/** A name that no entity can have: an app may declare its own invitations. */
export const INVITATIONS_TABLE = "organizations__invitations";
export const DELETED_AT = "deleted_at";

export function catalogOf(model: Model): Catalog {
  const ofUsers = new Map(userRelations(model.entities).map((relation) => [relation.name, relation]));
  const catalog = new Map(
    moduleEntities(model).map((entity) => [
      entity.name,
      builtinEntity(entity, entity.name === USER_ENTITY ? ofUsers : new Map()),
    ]),
  );
  for (const entity of model.entities) {
    if (catalog.has(entity.name)) throw new Error(`two entities are called ${entity.name}`);
    catalog.set(entity.name, {
      name: entity.name,
      table: entity.plural,
      fields: new Map(entity.fields.filter(isServed).map((field) => [field.name, field.type])),
      relations: new Map(entity.relations.map((relation) => [relation.name, relation])),
      softDelete: entity.softDelete ? DELETED_AT : null,
    });
  }
  return catalog;
}

export function hasOrganizations(model: Model): boolean {
  return model.modules.includes("organizations");
}

export function entityOf(catalog: Catalog, name: string): CatalogEntity {
  const entity = catalog.get(name);
  if (entity === undefined) throw new Error(`no entity is called ${name}`);
  return entity;
}

export interface JoinTable {
  readonly table: string;
  /** The column of the entity that declares the field. */
  readonly own: string;
  readonly other: string;
}

/** The table with the pairs of a many-to-many field. */
export function joinTableOf(
  entity: { readonly name: string; readonly table: string },
  field: string,
  other: string,
): JoinTable {
  const own = `${entity.name}_id`;
  const another = own === "other_id" ? "another_id" : "other_id";
  return {
    table: constraintName(entity.table, [field], null),
    own,
    other: other === entity.name ? another : `${other}_id`,
  };
}

function builtinEntity({ name, plural, fields }: ModuleEntity, relations: CatalogEntity["relations"]): CatalogEntity {
  return {
    name,
    table: plural,
    fields: new Map(fields.filter(isServed).map((field) => [field.name, field.type])),
    relations,
    softDelete: null,
  };
}
