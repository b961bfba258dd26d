// The entities of modules: `user` and `organization`. In: their descriptions. Out: bundle entities like any other, with
// their built-in rules as SQL.
import {
  type BuiltinOperation,
  type BuiltinRule,
  type Model,
  type ModuleEntity,
  moduleEntities,
  ORGANIZATION_ENTITY,
  type Relation,
} from "@plinth/blueprint";
import {
  ALWAYS,
  type BundleEntity,
  type BundleSearch,
  type Grant,
  type Predicate,
  type Referrer,
  type SqlTemplate,
} from "@plinth/bundle";
import { grant } from "../rules/access.ts";
import { MEMBERSHIPS_TABLE } from "../sql/catalog.ts";
import { isServed } from "../sql/column-type.ts";
import { bundleFieldOf } from "./queries.ts";
import { relationsOf } from "./relations.ts";
import { createSchemaOf, updateSchemaOf } from "./schemas.ts";

/** With the fields that are served. */
export function builtinEntities(model: Model): readonly ModuleEntity[] {
  return moduleEntities(model).map((entity) => ({ ...entity, fields: entity.fields.filter(isServed) }));
}

const shared = {
  scope: null,
  softDelete: null,
  stateMachine: null,
  checks: [],
  audit: "writes",
  retentionDays: null,
  seed: [],
} as const;

/** The fields and permissions of users in the blueprint. */
export interface DeclaredOfUsers {
  /** Who can read them. */
  readonly access: BundleEntity["access"];
  /** Their relations to other records. */
  readonly relations: readonly Relation[];
  readonly search: BundleSearch | null;
}

export function builtinEntityOf(
  entity: ModuleEntity,
  referrers: readonly Referrer[],
  declared: DeclaredOfUsers,
): BundleEntity {
  const { name, plural, fields, generated, handled } = entity;
  const source = { name, table: plural };
  return {
    ...shared,
    name,
    plural,
    table: plural,
    fields: fields.map((field) => bundleFieldOf(field, source)),
    relations: relationsOf(fields, declared.relations),
    access: accessOf(entity, declared.access),
    createSchema: createSchemaOf([...generated, ...handled].includes("create") ? fields : [], null),
    updateSchema: updateSchemaOf(fields),
    ...(declared.search !== null && { search: declared.search }),
    // The members of an organization are deleted with it.
    referrers:
      name === ORGANIZATION_ENTITY
        ? [...referrers, { entity: null, table: MEMBERSHIPS_TABLE, column: "organization_id", onDelete: "cascade" }]
        : referrers,
  };
}

function accessOf({ access }: ModuleEntity, declared: BundleEntity["access"]): BundleEntity["access"] {
  return Object.fromEntries(
    (Object.entries(access) as [BuiltinOperation, Readonly<Record<string, BuiltinRule>>][]).map(
      ([operation, rules]) => {
        const row = operation === "update" ? "{old}" : "{record}";
        const own = declared[operation] ?? {};
        const grants = Object.entries(rules).map(([role, rule]): [string, Grant] => [
          Object.hasOwn(own, role) ? sameHolders(role) : role,
          grant(predicates[rule](row)),
        ]);
        return [operation, { ...Object.fromEntries(grants), ...own }];
      },
    ),
  );
}

/**
 * A role has one grant: if a blueprint grants more to `user`, the built-in rule belongs to the role with the same
 * holders.
 */
function sameHolders(role: string): string {
  if (role !== "user") throw new Error(`it is not declared what ${role} can do with users`);
  return "owner";
}

const predicates: Readonly<Record<BuiltinRule, (row: string) => Predicate>> = {
  all: () => ALWAYS,
  // Never null if somebody is signed in; if nobody is, the second half denies.
  self: (row) => plain(`(${row}."id" = {user.id}::uuid and {user.id}::uuid is not null)`),
  signed_in: () => plain("({user.id}::uuid is not null)"),
  member: (row) => belongs(row, null),
  manager: (row) => belongs(row, ["owner", "admin"]),
};

/** It uses no other row. */
function plain(sql: SqlTemplate): Predicate {
  return { kind: "sql", sql, looks: [] };
}

function belongs(row: string, roles: readonly string[] | null): Predicate {
  const held = roles === null ? "" : ` and _own."role" in (${roles.map((role) => `'${role}'`).join(", ")})`;
  const sql = `exists (select 1 from {schema}."${MEMBERSHIPS_TABLE}" _own where _own."user_id" = {user.id}::uuid and _own."organization_id" = ${row}."id"${held})`;
  const looks = [{ table: MEMBERSHIPS_TABLE, columns: ["organization_id", "role", "user_id"], byId: false }];
  return { kind: "sql", sql, looks };
}
