// The compiler's pipeline. In: a checked model. Out: the bundle that a cell serves.
// Pure: no clock, no randomness, no I/O; the same model gives the same bytes.
import type { Entity, Model } from "@plinth/blueprint";
import { type Bundle, type BundleEntity, FORMAT_VERSION } from "@plinth/bundle";
import { accessOf } from "./access.ts";
import { type Catalog, catalogOf, USER_ENTITY, USERS_TABLE } from "./catalog.ts";
import { openapiOf } from "./openapi.ts";
import { bundleFieldOf, userFields } from "./queries.ts";
import { routesOf } from "./routes.ts";
import { createSchemaOf, updateSchemaOf, userCreateSchema, userUpdateSchema } from "./schemas.ts";
import { sdkTypesOf } from "./sdk-types.ts";
import { tablesOf } from "./tables.ts";

export function compileModel(model: Model): Bundle {
  const catalog = catalogOf(model);
  return {
    format: FORMAT_VERSION,
    project: model.project,
    modules: model.modules,
    roles: model.roles.map(({ name, inherits }) => ({ name, inherits })),
    entities: [userEntity, ...model.entities.map((entity) => bundleEntityOf(entity, catalog))],
    routes: routesOf(model.entities),
    tables: tablesOf(model, catalog),
    openapi: openapiOf(model),
    sdkTypes: sdkTypesOf(model),
  };
}

function bundleEntityOf(entity: Entity, catalog: Catalog): BundleEntity {
  return {
    name: entity.name,
    plural: entity.plural,
    table: entity.plural,
    fields: entity.fields.map(bundleFieldOf),
    access: accessOf(entity, catalog),
    createSchema: createSchemaOf(entity.fields),
    updateSchema: updateSchemaOf(entity.fields),
  };
}

/** Everybody sees and names themselves; an admin, everybody. */
const userEntity: BundleEntity = {
  name: USER_ENTITY,
  plural: USERS_TABLE,
  table: USERS_TABLE,
  fields: userFields,
  access: {
    read: { admin: "true", user: isCurrentUser("{record}") },
    create: {},
    update: { admin: "true", user: isCurrentUser("{old}") },
    delete: {},
  },
  createSchema: userCreateSchema,
  updateSchema: userUpdateSchema,
};

/** Never null where somebody is signed in; where nobody is, the second half denies. */
function isCurrentUser(row: string): string {
  return `(${row}."id" = {user.id}::uuid and {user.id}::uuid is not null)`;
}
