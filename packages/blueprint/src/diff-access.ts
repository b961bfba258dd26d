// In: two models in the same words. Out: for a grant of the one after, whether it lets in somebody whom all grants before kept
// out, and how: by its rule, its fields, a value that is no longer forced, a larger page. Decided by `findLoosening`; what can't
// be decided counts as letting in.
import { type ComparisonTypes, findLoosening, printExpression } from "@plinth/expression";
import type { Witness } from "./change.ts";
import { same } from "./diff-change.ts";
import { type Givers, giversOf, policyOf, rangesOf } from "./diff-policy.ts";
import { actOf, type Gain, undecidedWitness, witnessOf } from "./diff-witness.ts";
import type { Entity, Field, Model, Operation, Permission, Role } from "./model.ts";

export interface Access {
  /** What a grant lets somebody do that nobody like them could; null where it is proven to be nothing. */
  readonly gain: (before: Entity, after: Entity, permission: Permission) => Witness | null;
  /** Like `gain`, of all grants that stand, where only who holds which role changes. */
  readonly gainByRole: (role: Role, entities: readonly Entity[]) => Witness | null;
  /** Like `gain`, of all grants that stand, where the entity's rows are no longer those of one organization. */
  readonly gainByScope: (before: Entity, after: Entity) => Witness | null;
  /** Who reads a computed field, and could not read all that it is made of. */
  readonly gainByComputed: (before: Entity, after: Entity, field: Field) => Witness | null;
}

/** `before` in the words of `after`. */
export function createAccess(before: Model, after: Model): Access {
  const givers = giversOf(after.roles);
  // A role that goes is still held by those whom the rules before let in, or kept out, for it.
  const gone = before.roles.filter((role) => !after.roles.some((one) => one.name === role.name));
  const formerGivers = giversOf([...after.roles, ...gone]);
  const rangesByEntity = new Map<string, ComparisonTypes>();
  const rangesFor = (entity: string): ComparisonTypes => {
    const known = rangesByEntity.get(entity) ?? rangesOf(before, after, entity);
    rangesByEntity.set(entity, known);
    return known;
  };

  function compare(gain: Gain, was: Policy, is: Policy): Witness | null {
    const rule = (policy: Policy) => policyOf(policy.entity, policy.permissions, policy.givers);
    const found = findLoosening(rule(was), rule(is), rangesFor(gain.entity));
    if (found === null) return null;
    return found.kind === "looser" ? witnessOf(gain, found.witness) : undecidedWitness(gain);
  }

  function gain(was: Entity, is: Entity, permission: Permission): Witness | null {
    const { role, operation } = permission;
    const standing = was.permissions.filter((one) => one.operation === operation);
    const found = new Map<string, Witness | null>();
    const named = { role, operation, entity: is.name };
    // By the entity's scope after: what a change of it lets in is told with that change.
    const ofEntity = { ...was, name: is.name, orgField: is.orgField };
    const opens = (covering: readonly Permission[], field: string | null): Witness | null =>
      compare(
        { ...named, field },
        { entity: ofEntity, permissions: covering, givers: formerGivers },
        { entity: is, permissions: [permission], givers },
      );
    const former = standing.find((one) => one.role === role);
    const withinFormer = former !== undefined && opens([former], null) === null;
    for (const { field, covering } of coverings(was, is, permission, standing)) {
      const key = covering.map((one) => one.role).join();
      // Where the role's own grant let as many in, the others need no look.
      if (withinFormer && covering.includes(former)) continue;
      if (!found.has(key)) {
        found.set(key, opens(covering, field));
      }
    }
    const byRule = [...found.values()].filter((one) => one !== null);
    const grave = byRule.find((one) => one.decided) ?? byRule[0];
    if (grave !== undefined) return grave;
    const now = is.permissions.filter((one) => one.operation === operation);
    return gainBeside(named, { permissions: standing, givers: formerGivers }, { permissions: now, givers });
  }

  function asBefore(role: Role): Role {
    return before.roles.find((one) => one.name === role.name) ?? role;
  }

  function gainByRole(role: Role, entities: readonly Entity[]): Witness | null {
    // One role after the other, so that what none of them does alone is told with the last.
    const place = after.roles.findIndex((one) => one.name === role.name);
    const upTo = (count: number): Givers =>
      giversOf([...after.roles.map((one, index) => (index < count ? one : asBefore(one))), ...gone]);
    const [were, are] = [upTo(place), upTo(place + 1)];
    let open: Witness | null = null;
    for (const entity of entities) {
      for (const operation of new Set(entity.permissions.map((one) => one.operation))) {
        const permissions = entity.permissions.filter((one) => one.operation === operation);
        const gained = { role: role.name, operation, entity: entity.name, field: null };
        for (const part of partsByFields(permissions)) {
          const found = compare(
            gained,
            { entity, permissions: part, givers: were },
            { entity, permissions: part, givers: are },
          );
          if (found?.decided === true) return found;
          open ??= found;
        }
        open ??= gainBeside(gained, { permissions, givers: were }, { permissions, givers: are });
      }
    }
    return open;
  }

  function gainByScope(was: Entity, is: Entity): Witness | null {
    let open: Witness | null = null;
    for (const operation of new Set(was.permissions.map((one) => one.operation))) {
      const permissions = was.permissions.filter((one) => one.operation === operation);
      const entity = { ...was, name: is.name };
      const named = { role: exampleRole(was, operation), operation, entity: is.name, field: null };
      const found = compare(
        named,
        { entity, permissions, givers },
        { entity: { ...entity, orgField: is.orgField }, permissions, givers },
      );
      if (found?.decided === true) return found;
      open ??= found;
    }
    return open;
  }

  function gainByComputed(was: Entity, is: Entity, field: Field): Witness | null {
    if (field.type.kind !== "computed" || field.internal) return null;
    const parts = partsRead(field);
    const previous = was.fields.find((one) => one.name === field.name);
    if (previous?.type.kind === "computed" && !previous.internal) {
      if (same(previous.type.expression, field.type.expression)) return null;
    }
    const shown = (name: string): boolean =>
      was.fields.some((one) => one.name === name && !one.internal && one.type.kind !== "secret");
    const covers = (grant: Permission): boolean =>
      parts?.every((name) => shown(name) && (grant.fields === null || grant.fields.includes(name))) ?? false;
    const reads = (entity: Entity): Permission[] => entity.permissions.filter((one) => one.operation === "read");
    const standing = reads(was).filter(covers);
    let open: Witness | null = null;
    for (const permission of reads(is)) {
      if (permission.fields !== null && !permission.fields.includes(field.name)) continue;
      const named = { role: permission.role, operation: "read", entity: is.name, field: field.name } as const;
      const entity = { ...was, name: is.name, orgField: is.orgField };
      const found = compare(
        named,
        { entity, permissions: standing, givers: formerGivers },
        { entity: is, permissions: [permission], givers },
      );
      if (found?.decided === true) return found;
      open ??= found;
    }
    return open;
  }

  return { gain, gainByRole, gainByScope, gainByComputed };
}

interface Policy {
  readonly entity: Entity;
  readonly permissions: readonly Permission[];
  readonly givers: Givers;
}

interface Covering {
  /** What the grant opens beside the record itself; null for the record. */
  readonly field: string | null;
  /** The grants before that opened as much. */
  readonly covering: readonly Permission[];
}

/**
 * Which grants before opened at least as much as this one. What is read is the union of all grants, so each field counts for
 * itself; a body that is written must lie within one grant, so a grant counts as a whole. Fields that are new hold nothing
 * that anybody could not read or write before.
 */
function coverings(was: Entity, is: Entity, permission: Permission, standing: readonly Permission[]): Covering[] {
  const stood = new Set(was.fields.map((field) => field.name));
  const usable = is.fields.filter((field) => stood.has(field.name) && isUsable(field, permission.operation));
  const opened = usable.map((field) => field.name).filter((name) => permission.fields?.includes(name) ?? true);
  const covers = (grant: Permission, names: readonly string[]): boolean =>
    grant.fields === null || names.every((name) => grant.fields?.includes(name));
  if (permission.operation === "delete" || permission.operation === "restore")
    return [{ field: null, covering: standing }];
  if (permission.operation === "read") {
    const each = opened.map((name) => ({ field: name, covering: standing.filter((grant) => covers(grant, [name])) }));
    return [{ field: null, covering: standing }, ...each];
  }
  const covering = standing.filter((grant) => covers(grant, opened));
  const beyond = opened.find((name) => standing.some((grant) => !covers(grant, [name])));
  return [{ field: covering.length === standing.length ? null : (beyond ?? null), covering }];
}

/** Whether a grant can open it at all. */
function isUsable(field: Field, operation: Operation): boolean {
  if (operation === "read") return !field.internal && field.type.kind !== "secret";
  return field.writer === "caller" && field.type.kind !== "computed";
}

/** Grants that open the same fields, each such part for itself. */
function partsByFields(permissions: readonly Permission[]): Permission[][] {
  const names = new Set(permissions.flatMap((one) => one.fields ?? []));
  const parts = [
    permissions,
    ...[...names].map((name) => permissions.filter((one) => one.fields?.includes(name) ?? true)),
  ];
  const open = permissions.filter((one) => one.fields === null);
  return [...parts, open].filter((part) => part.length > 0).map((part) => [...part]);
}

/** The own fields that a computed one reads; null where it looks further. */
function partsRead({ type }: Field): readonly string[] | null {
  if (type.kind !== "computed") return [];
  const names: string[] = [];
  let further = false;
  const visit = (part: unknown): void => {
    if (part === null || typeof part !== "object") return;
    if ("kind" in part && (part.kind === "each" || part.kind === "member")) further = true;
    if ("kind" in part && part.kind === "field" && "path" in part && Array.isArray(part.path)) {
      const path = part.path as readonly string[];
      if (path.length > 1) further = true;
      names.push(path[0] ?? "");
    }
    for (const inner of Object.values(part)) visit(inner);
  };
  visit(type.expression);
  return further ? null : names;
}

type Grants = Pick<Policy, "permissions" | "givers">;

/**
 * What callers may do beside being let in: choose a value that was forced, read more at once. It is enough to look at those
 * who hold this one role, signed in or with a key: whoever holds more was forced to less, and read as much.
 */
function gainBeside(named: Omit<Gain, "field">, was: Grants, is: Grants): Witness | null {
  const now = grantsOfHolders(named.role, is);
  for (const [index, grants] of grantsOfHolders(named.role, was).entries()) {
    const found = gainByForce(named, grants, now[index] ?? []) ?? gainByLimit(named, grants, now[index] ?? []);
    if (found !== null) return found;
  }
  return null;
}

function grantsOfHolders(role: string, { permissions, givers }: Grants): Permission[][] {
  const brought = (held: readonly string[]): Permission[] =>
    permissions.filter((one) => held.some((given) => (givers.get(one.role) ?? [one.role]).includes(given)));
  return [brought(["public", role]), brought(["public", "user", "owner", role])];
}

/** A value is forced where every grant of a caller forces it, by the first role's. */
function gainByForce(
  named: Omit<Gain, "field">,
  was: readonly Permission[],
  is: readonly Permission[],
): Witness | null {
  if (is.length === 0) return null;
  for (const field of new Set(was.flatMap((one) => one.set.map((forced) => forced.field)))) {
    const value = forcedValue(was, field);
    if (value === null || value === forcedValue(is, field)) continue;
    const act = actOf({ ...named, field: null });
    const summary = `Where \`${named.role}\` may ${act}, \`${field}\` is no longer always \`${value}\`.`;
    return { ...named, decided: true, summary, record: {} };
  }
  return null;
}

function forcedValue(grants: readonly Permission[], field: string): string | null {
  const values = grants.map((one) => one.set.find((forced) => forced.field === field)?.value);
  const [first] = grants.toSorted((a, b) => (a.role < b.role ? -1 : 1));
  const value = first?.set.find((forced) => forced.field === field)?.value;
  return value === undefined || values.includes(undefined) ? null : printExpression(value);
}

function gainByLimit(
  named: Omit<Gain, "field">,
  was: readonly Permission[],
  is: readonly Permission[],
): Witness | null {
  if (named.operation !== "read" || was.length === 0 || is.length === 0) return null;
  const most = (grants: readonly Permission[]): number =>
    Math.max(...grants.map((one) => one.limit ?? Number.POSITIVE_INFINITY));
  if (most(is) <= most(was)) return null;
  const many = most(is) === Number.POSITIVE_INFINITY ? "as many records as a page holds" : `${most(is)} records`;
  const summary = `\`${named.role}\` may now read ${many} of \`${named.entity}\` at once, no longer ${most(was)}.`;
  return { ...named, decided: true, summary, record: {} };
}

const widest: readonly string[] = ["public", "user", "owner"];

/** The widest of the roles that may do this, to name one. */
export function exampleRole({ permissions }: Entity, operation: Operation): string {
  const roles = permissions.filter((one) => one.operation === operation).map((one) => one.role);
  return widest.find((role) => roles.includes(role)) ?? roles[0] ?? "admin";
}
