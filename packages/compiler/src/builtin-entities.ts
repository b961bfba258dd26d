// The entities that modules bring: `user` and `organization`. In: the model. Out: bundle entities like any other.
// Everybody sees and names themselves, members their organization; an admin everybody and all.
import { type Field, type Model, serviceField } from "@plinth/blueprint";
import type { BundleEntity, Referrer } from "@plinth/bundle";
import { grant } from "./access.ts";
import { MEMBERSHIPS_TABLE, ORGANIZATION_ENTITY, ORGANIZATIONS_TABLE, USER_ENTITY, USERS_TABLE } from "./catalog.ts";
import { isServed } from "./column-type.ts";
import { bundleFieldOf } from "./queries.ts";
import { createSchemaOf, updateSchemaOf } from "./schemas.ts";

const id = serviceField("id", { type: { kind: "uuid" } });
const times: readonly Field[] = [
  serviceField("created_at", { type: { kind: "datetime" }, default: { kind: "now" } }),
  serviceField("updated_at", { type: { kind: "datetime" }, default: { kind: "now" } }),
];
const version = serviceField("version", { type: { kind: "int" }, default: { kind: "literal", value: 1 } });

/** The built-in `user`; what secrets its table holds are no fields. */
export function userFieldsOf(model: Model): readonly Field[] {
  return [
    id,
    serviceField("email", { type: { kind: "email" }, pii: true }),
    serviceField("name", { type: { kind: "string" }, optional: true, writer: "caller" }),
    serviceField("roles", { type: { kind: "list", of: { kind: "string" } }, default: { kind: "literal", value: [] } }),
    ...model.userFields.filter(isServed),
    ...times,
    version,
  ];
}

export const organizationFields: readonly Field[] = [
  id,
  serviceField("name", { type: { kind: "string" }, writer: "caller", limits: { min: "1", max: "255", pattern: null } }),
  ...times,
  version,
];

const shared = {
  scope: null,
  softDelete: null,
  stateMachine: null,
  checks: [],
  audit: "writes",
  retentionDays: null,
  seed: [],
} as const;

/** Nobody creates a user but by signing up. */
export function userEntityOf(model: Model, referrers: readonly Referrer[]): BundleEntity {
  const fields = userFieldsOf(model);
  return {
    ...shared,
    name: USER_ENTITY,
    plural: USERS_TABLE,
    table: USERS_TABLE,
    fields: fields.map((field) => bundleFieldOf(field, userSource)),
    access: {
      read: { admin: grant("true"), user: grant(isCurrentUser("{record}")) },
      update: { admin: grant("true"), user: grant(isCurrentUser("{old}")) },
    },
    createSchema: createSchemaOf([], null),
    updateSchema: updateSchemaOf(fields),
    referrers,
  };
}

const userSource = { name: USER_ENTITY, table: USERS_TABLE };

/** Never null where somebody is signed in; where nobody is, the second half denies. */
function isCurrentUser(row: string): string {
  return `(${row}."id" = {user.id}::uuid and {user.id}::uuid is not null)`;
}

/** Who creates one becomes its owner, by the statement that creates it. */
export function organizationEntityOf(referrers: readonly Referrer[]): BundleEntity {
  return {
    ...shared,
    name: ORGANIZATION_ENTITY,
    plural: ORGANIZATIONS_TABLE,
    table: ORGANIZATIONS_TABLE,
    fields: organizationFields.map((field) =>
      bundleFieldOf(field, { name: ORGANIZATION_ENTITY, table: ORGANIZATIONS_TABLE }),
    ),
    access: {
      read: { admin: grant("true"), user: grant(belongs("{record}", null)) },
      create: { admin: grant("true"), user: grant("({user.id}::uuid is not null)") },
      update: { admin: grant("true"), user: grant(belongs("{old}", ["owner", "admin"])) },
      delete: { admin: grant("true"), user: grant(belongs("{record}", ["owner", "admin"])) },
    },
    createSchema: createSchemaOf(organizationFields, null),
    updateSchema: updateSchemaOf(organizationFields),
    referrers: [
      ...referrers,
      { entity: null, table: MEMBERSHIPS_TABLE, column: "organization_id", onDelete: "cascade" },
    ],
  };
}

function belongs(row: string, roles: readonly string[] | null): string {
  const held = roles === null ? "" : ` and _own."role" in (${roles.map((role) => `'${role}'`).join(", ")})`;
  return `exists (select 1 from {schema}."${MEMBERSHIPS_TABLE}" _own where _own."user_id" = {user.id}::uuid and _own."organization_id" = ${row}."id"${held})`;
}
