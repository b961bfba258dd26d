// Checks who can read the sources of an expression. In: what an expression reads in other records, and the readers of
// its record. Out: whether they can also read all of that, by comparing rules; an undecided case counts as no.
import {
  type ComparisonBudget,
  type ComparisonTypes,
  type Expression,
  findLoosening,
  joined,
} from "@plinth/expression";
import type { Entity, Model, Permission } from "../model/model.ts";
import { ORGANIZATION_ENTITY } from "../modules/organizations.ts";
import { USER_ENTITY } from "../modules/users.ts";
import type { Look } from "./looks.ts";
import { holdsRole, memberOf, withinOrganization } from "./reader-facts.ts";

interface Readers {
  /** The entity of the record. */
  readonly entity: Pick<Entity, "name" | "orgField">;
  /** The permission by which they read the record. */
  readonly permission: Permission;
  /** The grants that count for the other records. */
  readonly model: Pick<Model, "entities" | "roles" | "userFields" | "userPermissions">;
  readonly rangesFor: (entity: string) => ComparisonTypes;
  readonly budget: ComparisonBudget;
}

/** Whether everybody who can read the record with this permission can read each of these fields, where it matters. */
export function readsLook(look: Look, readers: Readers): boolean {
  const fields: readonly (string | null)[] = look.fields.size === 0 ? [null] : [...look.fields];
  return fields.every((field) => {
    const rules = grantsOf(look.entity, field, readers).map((rule) => scoped(rule, look, readers));
    if (rules.length === 0) return false;
    const before = joined("||", [...rules.map(look.place), ...look.unless]);
    const after = joined("&&", [readers.permission.rule, ...factsOf(readers), ...look.through]);
    return findLoosening(before, after, typesOf(look, readers), readers.budget) === null;
  });
}

/** What is true of everybody who reads the record with the permission. `can(read, ...)` asks for it. */
function factsOf({ entity: { orgField }, permission, model }: Readers): readonly Expression[] {
  const roles = [...heldWith(permission.role, model)].map(holdsRole);
  return orgField === null ? roles : [...roles, withinOrganization(orgField)];
}

/** The rules by which the readers can read this field; null for the record itself. */
function grantsOf(entity: string, field: string | null, readers: Readers): readonly Expression[] {
  const { model } = readers;
  const allRoles = heldWith(readers.permission.role, model);
  const granted = (permissions: readonly Permission[]): Expression[] =>
    permissions.flatMap(({ role, operation, fields, rule }) =>
      operation === "read" && allRoles.has(role) && (field === null || (fields?.includes(field) ?? true)) ? [rule] : [],
    );
  if (entity === ORGANIZATION_ENTITY) return allRoles.has("admin") ? [always] : [memberOf("id")];
  const isUser = entity === USER_ENTITY;
  const found = model.entities.find((one) => one.name === entity);
  const fields = isUser ? model.userFields : (found?.fields ?? []);
  if (fields.some((one) => one.name === field && (one.internal || one.type.kind === "secret"))) return [];
  if (isUser) return [allRoles.has("admin") ? always : oneself, ...granted(model.userPermissions ?? [])];
  return granted(found?.permissions ?? []);
}

/** The roles that every holder of this role has. */
export function heldWith(role: string, { roles }: Pick<Model, "roles">): ReadonlySet<string> {
  const allRoles = new Set(["public", role, ...(roles.find(({ name }) => name === role)?.inherits ?? [])]);
  const signedIn = ["user", "owner"];
  return signedIn.some((one) => allRoles.has(one)) ? new Set([...allRoles, ...signedIn]) : allRoles;
}

/**
 * Records of organizations refer to each other only within one organization; through any other record, to those of all
 * organizations.
 */
function scoped(rule: Expression, { entity, way }: Look, readers: Readers): Expression {
  const orgFieldOf = (of: string): string | null =>
    readers.model.entities.find(({ name }) => name === of)?.orgField ?? null;
  const orgField = orgFieldOf(entity);
  if (orgField === null || (readers.entity.orgField !== null && way.every((one) => orgFieldOf(one) !== null)))
    return rule;
  return joined("&&", [withinOrganization(orgField), rule]);
}

function typesOf({ entities }: Look, { rangesFor, entity }: Readers): ComparisonTypes {
  const own = rangesFor(entity.name);
  return {
    ...own,
    field(row, path) {
      const found = entities.get(row);
      return found === undefined ? null : rangesFor(found).field("record", path);
    },
  };
}

const bool = { kind: "bool" } as const;
const uuid = { kind: "uuid" } as const;
const always: Expression = { kind: "literal", type: bool, value: true };
const oneself: Expression = {
  kind: "operation",
  type: bool,
  operator: "==",
  args: [
    { kind: "field", type: uuid, row: "record", path: ["id"] },
    { kind: "user", type: uuid, name: "id" },
  ],
};
