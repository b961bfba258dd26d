// Shows what each role can do with each entity. In: the live model. Out: rows of entity and operation, with a cell for
// each role: the sum of its own and its inherited permissions. It decides nothing about a record.
import { printExpression } from "@plinth/expression";
import type { Entity, Model, Operation, Permission } from "./model/model.ts";

export interface MatrixGrant {
  /** The role for which the permission is written. */
  readonly role: string;
  readonly rule: string;
  readonly always: boolean;
  /** Null for all. */
  readonly fields: readonly string[] | null;
}

export interface MatrixCell {
  readonly role: string;
  readonly outcome: "allowed" | "conditional" | "denied";
  readonly grants: readonly MatrixGrant[];
}

export interface MatrixRow {
  readonly entity: string;
  readonly operation: Operation;
  /** Whether it is the entity's first. */
  readonly isFirst: boolean;
  readonly cells: readonly MatrixCell[];
}

const usual: readonly Operation[] = ["read", "create", "update", "delete"];

/** Every signed-in user has the role `owner`, so it has no separate column. */
export function columnsOf({ roles }: Pick<Model, "roles">): readonly string[] {
  const declared = roles.filter(({ builtin }) => !builtin).map(({ name }) => name);
  return ["public", "user", ...declared, "admin"];
}

export function matrixOf(model: Pick<Model, "roles" | "entities">): readonly MatrixRow[] {
  const columns = columnsOf(model).map((role) => ({ role, held: heldBy(role, model) }));
  return model.entities.flatMap((entity) =>
    operationsOf(entity).map((operation, at) => ({
      entity: entity.name,
      operation,
      isFirst: at === 0,
      cells: columns.map(({ role, held }) => cellOf(role, held, entity, operation)),
    })),
  );
}

function operationsOf({ permissions, softDelete, stateMachine }: Entity): readonly Operation[] {
  const moves = (stateMachine?.edges ?? []).map(({ name }): Operation => `transition:${name}`);
  const declared = new Set(permissions.map(({ operation }) => operation));
  const restore: readonly Operation[] = softDelete || declared.has("restore") ? ["restore"] : [];
  return [...usual, ...restore, ...moves];
}

/** The same roles as in the service: everybody is `public`, and every signed-in user is a `user` and an `owner`. */
function heldBy(role: string, { roles }: Pick<Model, "roles">): ReadonlySet<string> {
  if (role === "public") return new Set(["public"]);
  const held = new Set(["public", "user", "owner", role]);
  for (const one of roles) if (one.name === role) for (const inherited of one.inherits) held.add(inherited);
  return held;
}

function cellOf(role: string, held: ReadonlySet<string>, entity: Entity, operation: Operation): MatrixCell {
  const grants = entity.permissions
    .filter((one) => one.operation === operation && held.has(one.role) && !isLiteral(one, false))
    .map((one) => ({
      role: one.role,
      rule: printExpression(one.rule),
      always: isLiteral(one, true),
      fields: one.fields,
    }));
  const always = grants.some((one) => one.always && one.fields === null);
  return { role, grants, outcome: grants.length === 0 ? "denied" : always ? "allowed" : "conditional" };
}

function isLiteral({ rule }: Permission, value: boolean): boolean {
  return rule.kind === "literal" && rule.value === value;
}
