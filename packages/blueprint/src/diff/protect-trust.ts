// Finds changes of trusted values. In: two models in the same words. Out: changes of values that rules and readers
// trust: a default or a forced value that lets somebody in through a rule that reads it, `fill` of existing records,
// and a computed or filled field that shows what its readers can't read. Each is searched separately, so that another
// loosening of the same field or grant doesn't hide it.

import type { Entity, Field, Model } from "../model/model.ts";
import type { Access } from "./access.ts";
import type { Witness } from "./change.ts";
import { filledFrom } from "./computed.ts";
import { withoutComputed } from "./entities.ts";
import { same } from "./make-change.ts";
import { givenByDefault } from "./values.ts";

export interface TrustTouch {
  readonly path: string;
  readonly rule: "trusted_value" | "computed";
  readonly summary: string;
}

export function trustTouches(before: Model, after: Model, access: Access): TrustTouch[] {
  const old = new Map(before.entities.map((entity) => [entity.name, entity]));
  return [
    ...defaultTouches("user", before.userFields, after.userFields, access),
    ...after.entities.flatMap((entity) => {
      const was = old.get(entity.name);
      if (was === undefined) return computedTouches(withoutComputed(entity), entity, access);
      return [
        ...defaultTouches(entity.name, was.fields, entity.fields, access),
        ...setTouches(was, entity, access),
        ...computedTouches(was, entity, access),
      ];
    }),
  ];
}

function defaultTouches(
  entity: string,
  before: readonly Field[],
  after: readonly Field[],
  access: Access,
): TrustTouch[] {
  const old = new Map(before.map((field) => [field.name, field]));
  return after.flatMap((field) => {
    const was = old.get(field.name);
    const path = `${entity}.${field.name}`;
    if (was === undefined) return [];
    if (filledFrom(was, field) !== null) {
      const filled = { was: { literal: null }, is: "any" } as const;
      return touch("trusted_value", path, access.gainByValue(entity, field, filled));
    }
    if (same(was.default, field.default)) return [];
    const values = { was: givenByDefault(was.default), is: givenByDefault(field.default) };
    return touch("trusted_value", path, access.gainByValue(entity, field, values));
  });
}

function setTouches(before: Entity, after: Entity, access: Access): TrustTouch[] {
  return after.permissions.flatMap((permission) => {
    if (permission.set.length === 0) return [];
    const path = `${after.name}.permissions.${permission.role}.${permission.operation}`;
    return touch("trusted_value", path, access.gainBySet(before, after, permission));
  });
}

function computedTouches(before: Entity, after: Entity, access: Access): TrustTouch[] {
  return after.fields.flatMap((field) => {
    const found = access.gainByComputed(before, after, field) ?? access.gainByHiding(before, after, field);
    return touch("computed", `${after.name}.${field.name}`, found);
  });
}

function touch(rule: TrustTouch["rule"], path: string, witness: Witness | null): TrustTouch[] {
  return witness === null ? [] : [{ path, rule, summary: witness.summary }];
}
