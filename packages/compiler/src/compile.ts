// The compiler's pipeline. In: a checked model. Out: the bundle that a cell serves. It is pure: no clock, no
// randomness, no I/O. The same model gives the same bytes.
import { type Entity, type Model, USER_ENTITY, userEntity } from "@plinth/blueprint";
import { type Bundle, type BundleEntity, FORMAT_VERSION, type Referrer } from "@plinth/bundle";
import { testsOf } from "./blueprint-tests.ts";
import { openapiOf } from "./contract/openapi.ts";
import { sdkTypesOf } from "./contract/sdk-types.ts";
import { builtinEntities, builtinEntityOf, type DeclaredOfUsers } from "./requests/builtin-entities.ts";
import { moduleRoutesOf } from "./requests/module-routes.ts";
import { bundleFieldOf } from "./requests/queries.ts";
import { referrersOf } from "./requests/referrers.ts";
import { relationsOf } from "./requests/relations.ts";
import { routesOf } from "./requests/routes.ts";
import { createSchemaOf, updateSchemaOf } from "./requests/schemas.ts";
import { viewsOf } from "./requests/views.ts";
import { accessOf, scopeOf } from "./rules/access.ts";
import { type Catalog, catalogOf, DELETED_AT } from "./sql/catalog.ts";
import { isServed } from "./sql/column-type.ts";
import { checkMessagesOf } from "./tables/checks.ts";
import { exclusionMessagesOf } from "./tables/exclusions.ts";
import { searchOf } from "./tables/search.ts";
import { seedOf } from "./tables/seed.ts";
import { tablesOf } from "./tables/tables.ts";
import { backgroundOf } from "./work/background.ts";

export function compileModel(model: Model): Bundle {
  const catalog = catalogOf(model);
  const referrers = referrersOf(model);
  const of = (name: string): readonly Referrer[] => referrers.get(name) ?? [];
  return {
    format: FORMAT_VERSION,
    project: model.project,
    modules: model.modules,
    roles: model.roles.map(({ name, inherits }) => ({ name, inherits })),
    entities: [
      ...builtinEntities(model).map((entity) =>
        builtinEntityOf(
          entity,
          of(entity.name),
          entity.name === USER_ENTITY ? declaredOfUsers(model, catalog) : { access: {}, relations: [], search: null },
        ),
      ),
      ...model.entities.map((entity) => bundleEntityOf(entity, model, catalog, of(entity.name))),
    ],
    routes: routesOf(model),
    ...viewsOf(model, catalog),
    moduleRoutes: moduleRoutesOf(model),
    background: backgroundOf(model, catalog),
    limits: model.api,
    tests: testsOf(model),
    tables: tablesOf(model, catalog),
    openapi: openapiOf(model),
    sdkTypes: sdkTypesOf(model),
  };
}

function declaredOfUsers(model: Model, catalog: Catalog): DeclaredOfUsers {
  const users = userEntity(model);
  return {
    access: accessOf({ ...users, permissions: model.userPermissions ?? [] }, catalog),
    relations: users.relations,
    search: searchOf(users, model.searchLanguage),
  };
}

function bundleEntityOf(
  entity: Entity,
  { searchLanguage }: Model,
  catalog: Catalog,
  referrers: readonly Referrer[],
): BundleEntity {
  const fields = entity.fields.filter(isServed);
  const search = searchOf(entity, searchLanguage);
  const source = { name: entity.name, table: entity.plural, catalog };
  return {
    name: entity.name,
    plural: entity.plural,
    table: entity.plural,
    fields: fields.map((field) => bundleFieldOf(field, source)),
    relations: relationsOf(fields, entity.relations),
    access: accessOf(entity, catalog),
    createSchema: createSchemaOf(fields, entity.stateMachine),
    updateSchema: updateSchemaOf(fields),
    scope: entity.orgField === null ? null : scopeOf(entity.orgField),
    softDelete: entity.softDelete ? DELETED_AT : null,
    stateMachine: entity.stateMachine,
    referrers,
    checks: checkMessagesOf(entity),
    ...exclusionMessagesOf(entity),
    ...(search !== null && { search }),
    audit: entity.audit,
    ...(entity.realtime && { realtime: true as const }),
    ...(entity.requireVersion === true && { requireVersion: true as const }),
    ...(entity.lock !== undefined && { lock: entity.lock }),
    retentionDays: entity.retentionDays,
    seed: seedOf(entity),
  };
}
