// Users: their records and roles. In: a project. Out: what every project has, whether or not it lists `users`.
import type { Expression } from "@plinth/expression";
import type { Entity, Field, Model, Permission, Relation } from "../model/model.ts";
import { plainField, serviceField } from "../model/plain-field.ts";
import {
  type DescribedProject,
  EXAMPLE_RECORD,
  EXTENDED_SCHEMA,
  type ModuleDescription,
  type ModuleEvent,
} from "./description.ts";
import { exampleMembership } from "./organizations.ts";
import { bodySchema, schemaNamed } from "./schema-parts.ts";

export const USER_ENTITY = "user";
const tag = USER_ENTITY;

/** The service's own fields of a user; the secrets in its table are not fields. */
export function userFields(profile: readonly Field[]): readonly Field[] {
  return [
    serviceField("id", { type: { kind: "uuid" } }),
    serviceField("email", { type: { kind: "email" }, pii: true }),
    serviceField("name", { type: { kind: "string" }, optional: true, writer: "caller" }),
    serviceField("roles", { type: { kind: "list", of: { kind: "string" } }, default: { kind: "literal", value: [] } }),
    ...profile,
    serviceField("created_at", { type: { kind: "datetime" }, default: { kind: "now" } }),
    serviceField("updated_at", { type: { kind: "datetime" }, default: { kind: "now" } }),
    serviceField("version", { type: { kind: "int" }, default: { kind: "literal", value: 1 } }),
  ];
}

/**
 * Users as an entity like declared ones: a blueprint's permissions to read them are checked, compared and reported
 * together with the built-in rules. The rule that users see themselves belongs to `owner`, which every user has, so
 * that `user` is free.
 */
export function userEntity({
  userFields: profile,
  userPermissions = [],
  userUniques,
  userIndexes = [],
  entities,
}: DescribedUsers): Entity {
  return {
    name: USER_ENTITY,
    plural: "users",
    was: null,
    fields: userFields(profile),
    uniques: userKeys(userUniques),
    indexes: userIndexes,
    checks: [],
    relations: userRelations(entities),
    orgField: null,
    softDelete: false,
    retentionDays: null,
    stateMachine: null,
    seed: [],
    audit: "writes",
    realtime: false,
    label: null,
    help: null,
    permissions: [...builtinPermissions, ...userPermissions],
  };
}

type DescribedUsers = Pick<Model, "userFields" | "userPermissions" | "userUniques" | "userIndexes"> & {
  readonly entities: readonly Pick<Entity, "name" | "fields">[];
};

/** Every account has a unique address. */
function userKeys(declared: Model["userUniques"] = []): Entity["uniques"] {
  return [["email"], ...declared];
}

/** The members of a user, including those that are not simple fields: no profile field can have these names. */
export function userNames(profile: readonly Field[]): readonly string[] {
  return [
    ...userFields(profile).map(({ name }) => name),
    ..."password password_hash created_by deleted_at".split(" "),
    ..."organizations memberships sessions is".split(" "),
  ];
}

/** The named back relations from a user to the records that refer to them. Sorted by name. */
export function userRelations(entities: readonly Pick<Entity, "name" | "fields">[]): readonly Relation[] {
  const relations = entities.flatMap(({ name: entity, fields }) =>
    fields.flatMap(({ name: field, type }): Relation[] =>
      type.kind === "user_ref" && type.as !== undefined
        ? [{ name: type.as, entity, by: { kind: "referrer", field } }]
        : [],
    ),
  );
  return relations.sort((one, other) => (one.name < other.name ? -1 : 1));
}

const bool = { kind: "bool" } as const;
const uuid = { kind: "uuid" } as const;

function rule(role: string, operation: "read" | "update"): Permission {
  const row = operation === "read" ? "record" : "old";
  const own: Expression = {
    kind: "operation",
    type: bool,
    operator: "==",
    args: [
      { kind: "field", type: uuid, row, path: ["id"] },
      { kind: "user", type: uuid, name: "id" },
    ],
  };
  const always: Expression = { kind: "literal", type: bool, value: true };
  return { role, operation, rule: role === "admin" ? always : own, fields: null, set: [], limit: null };
}

const builtinPermissions: readonly Permission[] = [
  rule("admin", "read"),
  rule("owner", "read"),
  rule("admin", "update"),
  rule("owner", "update"),
];

/** What others see of a user if a permission names no fields: no personal fields, and no roles. */
export function fieldsForOthers(profile: readonly Field[]): readonly string[] {
  return ["id", "name", ...profile.filter((field) => !field.pii && !field.internal).map(({ name }) => name)];
}

/** In addition to the profile fields. */
export const userFieldsInRules: readonly string[] = ["id", "email", "name"];

const roleNames = { kind: "list", of: { kind: "string" } } as const;

export const userEvents: readonly ModuleEvent[] = [
  { name: "user.updated", entity: USER_ENTITY, data: [], help: "The profile of a user was changed." },
  {
    name: "user.roles_changed",
    entity: USER_ENTITY,
    data: [plainField("roles", roleNames), plainField("roles_before", roleNames)],
    help: "The roles of a user were changed.",
  },
];

export function describeUsers({
  modules,
  roles,
  userFields: profile,
  userPermissions = [],
  userUniques,
}: DescribedProject): ModuleDescription {
  const isShown = userPermissions.length > 0;
  const belongs = modules.includes("organizations");
  const user = schemaNamed("User");
  const one = {
    description: "The user",
    component: "User.one",
    content: { kind: "data", schema: user, example: { [EXAMPLE_RECORD]: true } },
  } as const;
  const me = {
    description: "The user, with roles and organizations",
    component: "User.me",
    content: {
      kind: "data",
      schema: schemaNamed("User.me"),
      example: { [EXAMPLE_RECORD]: true, memberships: [exampleMembership] },
    },
  } as const;
  const memberships = { type: "array", items: schemaNamed("Membership") };
  return {
    module: null,
    entity: {
      name: USER_ENTITY,
      plural: "users",
      path: "/v1/users",
      component: "User",
      fields: userFields(profile),
      uniques: userKeys(userUniques),
      inRules: [...userFieldsInRules, ...profile.map(({ name }) => name)],
      // Sign-up creates users, and no route deletes one.
      generated: ["list", "aggregate", "read", "update"],
      handled: [],
      access: { read: { admin: "all", user: "self" }, update: { admin: "all", user: "self" } },
      documented: false,
      schemas: {
        roles: { type: "array", items: { type: "string", examples: roles.map(({ name }) => name) }, readOnly: true },
      },
      example: { name: "Ana", roles: ["user"] },
      help: null,
    },
    events: userEvents,
    schemas: {
      ...(belongs ? { "User.me": { [EXTENDED_SCHEMA]: "User", memberships } } : {}),
      "User.roles": rolesSchema(roles),
    },
    operations: [
      {
        id: "user.me",
        method: "GET",
        path: "/v1/users/me",
        summary: "Read the signed-in user",
        tag,
        audience: "user",
        query: null,
        body: null,
        replies: { 200: belongs ? me : one },
        faults: [401, 429, 503],
        sdk: null,
      },
      {
        id: "user.list",
        method: "GET",
        path: "/v1/users",
        summary: `List users: an admin sees all, other users see themselves${isShown ? " and those that the project shows them" : ""}`,
        tag,
        audience: "caller",
        query: "records",
        body: null,
        replies: {
          200: {
            description: "A page of users",
            component: "User.page",
            content: { kind: "page", schema: user, example: { [EXAMPLE_RECORD]: true } },
          },
        },
        faults: [400, 401, 403, 429, 503],
        sdk: null,
        isGenerated: true,
      },
      {
        id: "user.aggregate",
        method: "GET",
        path: "/v1/users/aggregate",
        summary: "Calculate totals over the users of a list",
        tag,
        audience: "caller",
        query: "groups",
        body: null,
        replies: { 200: { description: "Totals of users, by group", content: { kind: "groups" } } },
        faults: [400, 401, 403, 429, 503],
        sdk: null,
        isGenerated: true,
      },
      {
        id: "user.read",
        method: "GET",
        path: "/v1/users/{id}",
        summary: "Read one user",
        tag,
        audience: "caller",
        query: "record",
        body: null,
        replies: { 200: one, 304: { description: "The caller's copy is still current", content: null } },
        faults: [400, 401, 403, 404, 429, 503],
        sdk: null,
        isGenerated: true,
      },
      {
        id: "user.update",
        method: "PATCH",
        path: "/v1/users/{id}",
        summary: "Update one user",
        tag,
        audience: "caller",
        query: "change",
        body: { schema: schemaNamed("User.update"), example: { name: "Ana" }, component: "User.update" },
        replies: { 200: one },
        faults: [400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503],
        sdk: null,
        isGenerated: true,
      },
      {
        id: "user.set_roles",
        method: "PUT",
        path: "/v1/users/{id}/roles",
        summary: "Set the roles of a user (admin)",
        tag,
        audience: "admin",
        query: null,
        body: { schema: schemaNamed("User.roles"), example: { roles: ["user"] }, component: "User.roles" },
        replies: { 200: one },
        faults: [400, 401, 403, 404, 413, 415, 422, 429, 503],
        sdk: null,
      },
    ],
  };
}

/** Roles that a user can have: `public` applies to everybody and is never assigned. */
function rolesSchema(roles: DescribedProject["roles"]): ReturnType<typeof bodySchema> {
  const names = roles.map((role) => role.name).filter((name) => name !== "public");
  const labels = roles.flatMap(({ name, label, help }) =>
    label === undefined && help === undefined ? [] : [`\`${name}\`: ${[label, help].filter((one) => one).join(". ")}`],
  );
  const description = labels.length === 0 ? {} : { description: labels.join("\n") };
  const schema = { type: "array", items: { type: "string", enum: names }, uniqueItems: true, ...description };
  return bodySchema({ roles: schema }, ["roles"]);
}
