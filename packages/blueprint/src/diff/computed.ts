// In: an entity before and after, in the same words. Out: who reads, by way of a field that is computed or filled from others, what
// they can't read itself: a field that never leaves the API, one that no grant of theirs shows, or one that is masked in logs where
// this one isn't.
import { type Expression, someNode } from "@plinth/expression";
import type { Entity, Field, Permission } from "../model/model.ts";
import type { Witness } from "./change.ts";
import { same } from "./make-change.ts";
import type { Compare } from "./witness.ts";

export interface ComputedGains {
  /** By a field that is computed and new, or computed from something else; or that gets values from `fill` now. */
  readonly gainByComputed: (before: Entity, after: Entity, field: Field) => Witness | null;
  /** By a computed field that stays as it is, where a field that it reads is hidden from now on. */
  readonly gainByHiding: (before: Entity, after: Entity, hidden: Field) => Witness | null;
}

export function createComputedGains(compare: Compare): ComputedGains {
  function gainOfReaders(was: Entity, is: Entity, field: Field, standing: readonly Permission[]): Witness | null {
    let open: Witness | null = null;
    for (const permission of readsOf(is)) {
      if (permission.fields !== null && !permission.fields.includes(field.name)) continue;
      const named = { role: permission.role, operation: "read", entity: is.name, field: field.name } as const;
      const entity = { ...was, name: is.name, orgField: is.orgField };
      const found = compare(named, { entity, permissions: standing }, { entity: is, permissions: [permission] });
      if (found?.decided === true) return found;
      open ??= found;
    }
    return open;
  }

  function gainByComputed(was: Entity, is: Entity, field: Field): Witness | null {
    const previous = was.fields.find((one) => one.name === field.name);
    const source = field.internal ? null : (computedFrom(field) ?? filledFrom(previous, field));
    if (source === null) return null;
    if (previous !== undefined && !previous.internal && same(computedFrom(previous), source)) return null;
    const parts = partsRead(source);
    const fieldsOf = (name: string): Field[] =>
      [was, is].flatMap(({ fields }) => fields.filter((one) => one.name === name));
    const isShown = (name: string): boolean => fieldsOf(name).every((one) => !isHidden(one));
    const covers = (grant: Permission): boolean =>
      parts?.every((name) => isShown(name) && (grant.fields === null || grant.fields.includes(name))) ?? false;
    const found = gainOfReaders(was, is, field, readsOf(was).filter(covers));
    if (found !== null) return found;
    const masked = parts?.find((name) => fieldsOf(name).some((one) => one.pii));
    return masked === undefined || field.pii ? null : unmasked(is, field, masked);
  }

  function gainByHiding(was: Entity, is: Entity, hidden: Field): Witness | null {
    const previous = was.fields.find((one) => one.name === hidden.name);
    if (previous === undefined) return null;
    const [leaves, masks] = [!isHidden(previous) && isHidden(hidden), !previous.pii && hidden.pii];
    if (!leaves && !masks) return null;
    for (const field of is.fields) {
      const source = field.internal ? null : computedFrom(field);
      if (source === null || partsRead(source)?.includes(hidden.name) === false) continue;
      const found = leaves ? gainOfReaders(was, is, field, []) : null;
      if (found !== null) return found;
      if (masks && !field.pii) return unmasked(is, field, hidden.name);
    }
    return null;
  }

  return { gainByComputed, gainByHiding };
}

function readsOf(entity: Entity): Permission[] {
  return entity.permissions.filter((one) => one.operation === "read");
}

function isHidden(field: Field): boolean {
  return field.internal || field.type.kind === "secret";
}

/** Logs and the audit log are the admins' to read. */
function unmasked({ name: entity }: Entity, { name }: Field, masked: string): Witness {
  const summary = `\`admin\` may now read in logs, by way of \`${name}\`, what \`${masked}\` is masked for.`;
  return { role: "admin", operation: "read", entity, decided: true, summary, record: {} };
}

function computedFrom({ type }: Field): Expression | null {
  return type.kind === "computed" ? type.expression : null;
}

/** What records that stand get with this change; null where they keep what they have. */
export function filledFrom(previous: Field | undefined, { fill, optional }: Field): Expression | null {
  if (fill === undefined) return null;
  const isApplied = previous === undefined || (previous.optional && (!optional || previous.fill === undefined));
  return isApplied ? fill : null;
}

/** The own fields that it reads; null where it looks further. */
function partsRead(expression: Expression): readonly string[] | null {
  const names: string[] = [];
  const further = someNode(expression, (node) => {
    if (node.kind === "field") names.push(node.path[0] ?? "");
    return node.kind === "each" || node.kind === "member" || (node.kind === "field" && node.path.length > 1);
  });
  return further ? null : names;
}
