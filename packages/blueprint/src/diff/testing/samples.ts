// Models for the tests of diff, renames and protect, built without a text. It never checks that one is valid.
import type { Expression, Type } from "@plinth/expression";
import type { Action, Step, Workflow } from "../../model/background.ts";
import type { Entity, Field, FieldType, Model, Operation, Permission, Role } from "../../model/model.ts";
import { plainField } from "../../model/plain-field.ts";
import { typeInRules } from "../../rules/expression-schema.ts";
import { sampleEntity as bareEntity, sampleModel as bareModel } from "../../testing/sample-model.ts";

export function sampleField(name: string, type: FieldType, more: Partial<Field> = {}): Field {
  const limits = { min: null, max: type.kind === "string" ? "255" : null, pattern: null };
  return { ...plainField(name, type), limits, ...more };
}

export function sampleEntity(name: string, fields: readonly Field[], more: Partial<Entity> = {}): Entity {
  const service = { writer: "service", declared: false } as const;
  const all = [
    sampleField("id", { kind: "uuid" }, service),
    ...fields,
    sampleField("version", { kind: "int" }, service),
  ];
  return bareEntity(name, all, more);
}

const builtin: readonly Role[] = ["public", "user", "owner", "admin"].map((name) => ({
  name,
  inherits: [],
  builtin: true,
}));

export function sampleModel(
  entities: readonly Entity[],
  more: Partial<Model> = {},
  roles: Readonly<Record<string, string[]>> = {},
): Model {
  const declared = Object.entries(roles).map(([name, inherits]): Role => ({ name, inherits, builtin: false }));
  return bareModel({ project: "demo", modules: ["auth"], roles: [...builtin, ...declared], entities, ...more });
}

export function grant(
  role: string,
  operation: Operation,
  rule: Expression,
  more: Partial<Permission> = {},
): Permission {
  return { role, operation, rule, fields: null, set: [], limit: null, ...more };
}

const bool: Type = { kind: "bool" };

export function op(
  operator: Extract<Expression, { kind: "operation" }>["operator"],
  ...args: Expression[]
): Expression {
  return { kind: "operation", type: bool, operator, args };
}

export function fieldOf(type: FieldType, path: string | readonly string[], row = "record"): Expression {
  return { kind: "field", type: typeInRules(type), row, path: typeof path === "string" ? [path] : path };
}

export function literal(value: string | number | boolean | null, type: Type = { kind: "text" }): Expression {
  if (value === null) return { kind: "literal", type: { kind: "null" }, value };
  return {
    kind: "literal",
    type: typeof value === "boolean" ? bool : typeof value === "number" ? { kind: "int" } : type,
    value,
  };
}

export const yes: Expression = literal(true);
export const currentUser: Expression = { kind: "user", type: { kind: "uuid" }, name: "id" };

export function hasRole(role: string): Expression {
  return op("in", literal(role), { kind: "user", type: { kind: "list", of: { kind: "text" } }, name: "roles" });
}

export function sampleStep(id: string, action: Step["action"], more: Partial<Step> = {}): Step {
  return {
    id,
    action,
    if: null,
    forEach: null,
    delayMs: null,
    retry: { attempts: 3, backoff: "exponential", delayMs: 1_000, delayMsMax: 300_000 },
    timeoutMs: 30_000,
    onError: { kind: "fail" },
    compensate: [],
    as: "service",
    ...more,
  };
}

const note: Step = sampleStep("write", { kind: "audit.write", note: { kind: "literal", value: "seen" } });

export function sampleWorkflow(name: string, more: Partial<Workflow> = {}): Workflow {
  return {
    name,
    on: ["listing.created"],
    starts: [],
    when: null,
    entity: "listing",
    lookup: null,
    ordered: null,
    steps: [note],
    concurrencyMax: null,
    timeoutMs: null,
    egress: [],
    ...more,
  };
}

export function sampleAction(name: string, access: Action["access"], more: Partial<Action> = {}): Action {
  return { name, input: [], output: null, access, steps: [note], mode: "sync", egress: [], ...more };
}
