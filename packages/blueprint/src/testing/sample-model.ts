// Whole models from the parts that a test needs; everything else has its default. It never checks that one is valid.

import { emptyBackground } from "../model/background.ts";
import type { Entity, Field, Model } from "../model/model.ts";

/** With the built-in roles, `auth` and `users`. */
export function sampleModel(parts: Partial<Model>): Model {
  const inherits: Readonly<Record<string, readonly string[]>> = { user: ["public"], owner: ["public", "user"] };
  return {
    project: "sample",
    modules: ["auth", "users"],
    roles: ["public", "user", "owner", "admin"].map((name) => ({
      name,
      inherits: inherits[name] ?? [],
      builtin: true,
    })),
    userFields: [],
    entities: [],
    api: { requestsPerSecond: 100, burst: 200, bodyBytesMax: 1_048_576, pageMax: 100, statementMsMax: 2_000 },
    background: emptyBackground,
    tests: null,
    ...parts,
  };
}

/** An entity with exactly these fields and no options. */
export function sampleEntity(name: string, fields: readonly Field[], parts: Partial<Entity> = {}): Entity {
  return {
    name,
    plural: `${name}s`,
    was: null,
    fields,
    uniques: [],
    indexes: [],
    checks: [],
    relations: [],
    orgField: null,
    softDelete: false,
    retentionDays: null,
    stateMachine: null,
    seed: [],
    audit: "writes",
    realtime: false,
    label: null,
    help: null,
    permissions: [],
    ...parts,
  };
}

export { plainField, serviceField } from "../model/plain-field.ts";
