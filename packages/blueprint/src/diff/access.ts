// Finds what a grant newly allows. In: two models in the same words. Out: for a grant of the second model, whether it
// lets in somebody whom all grants of the first kept out, and how: by its rule, its fields, a value that is no longer
// forced, or a larger page. `findLoosening` decides; an undecided case counts as letting in.
import {
  type ComparisonBudget,
  type Expression,
  evaluate,
  findLoosening,
  joined,
  keyOfRule,
  printExpression,
} from "@plinth/expression";
import type { Entity, Field, Model, Operation, Permission, Role } from "../model/model.ts";
import { createRanges } from "../rules/field-ranges.ts";
import { allowedBy } from "./allowed.ts";
import type { Witness } from "./change.ts";
import { type ComputedGains, createComputedGains } from "./computed.ts";
import { named, same } from "./make-change.ts";
import { capitalized, oneOf } from "./one-of.ts";
import { asksForRoles, type Givers, giversOf, policyOf, sizeOfPolicy } from "./policy.ts";
import { createGainByValue, type GainByValue, givenByDefault, givenByRule } from "./values.ts";
import { actOf, type Compare, exampleRole, type Gain, type Grants, undecidedWitness, witnessOf } from "./witness.ts";

export interface Access extends ComputedGains {
  /**
   * What a grant allows somebody that no similar caller could do before; null if it is proven that there is nothing.
   */
  readonly gain: (before: Entity, after: Entity, permission: Permission) => Witness | null;
  /** Like `gain`, for all existing grants, if only the holders of roles change. */
  readonly gainByRole: (role: Role, entities: readonly Entity[]) => Witness | null;
  /** Like `gain`, for all existing grants, if the entity's rows are no longer limited to one organization. */
  readonly gainByScope: (before: Entity, after: Entity) => Witness | null;
  /** What the forced values of a grant allow somebody, through rules that read these values. */
  readonly gainBySet: (before: Entity, after: Entity, permission: Permission) => Witness | null;
  readonly gainByValue: GainByValue;
}

/**
 * `before` must be in the words of `after`. The budget is for the whole diff; a comparison beyond it counts as letting
 * in.
 */
export function createAccess(before: Model, after: Model, budget: ComparisonBudget): Access {
  const givers = giversOf(after.roles);
  // A removed role is still held by callers whom the old rules let in, or kept out, because of it.
  const gone = before.roles.filter((role) => !after.roles.some((one) => one.name === role.name));
  const formerGivers = giversOf([...after.roles, ...gone]);
  const rangesFor = createRanges(before, after);

  function compare(gain: Gain, was: Policy, is: Policy): Witness | null {
    const size = (policy: Policy) => sizeOfPolicy(policy.permissions, policy.givers);
    if (!budget.spend(size(was) + size(is))) return undecidedWitness(gain, "budget");
    const rule = (policy: Policy) => policyOf(policy.entity, policy.permissions, policy.givers);
    const found = findAllowed(gain.entity, rule(was), rule(is));
    if (found === null) return null;
    return found.kind === "looser" ? witnessOf(gain, found.witness) : undecidedWitness(gain, found.because);
  }

  /** Limits and checks are computed only if a record is found at all: most rules don't differ. */
  function findAllowed(entity: string, was: Expression, is: Expression): ReturnType<typeof findLoosening> {
    const types = rangesFor(entity);
    const found = findLoosening(was, is, types, budget);
    const declared = after.entities.find((one) => one.name === entity);
    if (found?.kind !== "looser" || declared === undefined) return found;
    const allowed = allowedBy(declared, [was, is]);
    if (allowed === null) return found;
    const within = findLoosening(was, joined("&&", [allowed, is]), types, budget);
    if (within === null || within.kind === "looser") return within;
    return evaluate(allowed, found.witness.context) === true ? found : within;
  }

  const compareGrants: Compare = (named, was, is) =>
    compare(named, { ...was, givers: formerGivers }, { ...is, givers });
  const gainByValue = createGainByValue(after, compareGrants, budget);

  function gain(was: Entity, is: Entity, permission: Permission): Witness | null {
    const { role, operation } = permission;
    const formerGrants = grantsFor(was, operation);
    const named = { role, operation, entity: is.name };
    if (!budget.spend(COVERING_WORK * is.fields.length * (1 + formerGrants.length)))
      return undecidedWitness({ ...named, field: null }, "budget");
    const found = new Map<string, Witness | null>();
    // With the entity's scope after the change; what a change of the scope lets in is reported with that change.
    const ofEntity = { ...was, name: is.name, orgField: is.orgField };
    const opens = (covering: readonly Permission[], field: string | null): Witness | null =>
      compare(
        { ...named, field },
        { entity: ofEntity, permissions: covering, givers: formerGivers },
        { entity: is, permissions: [permission], givers },
      );
    const former = formerGrants.find((one) => one.role === role);
    const byFormer = former === undefined ? null : opens([former], null);
    const withinFormer = former !== undefined && byFormer === null;
    for (const { field, covering } of coverings(was, is, permission, formerGrants)) {
      const key = covering.map((one) => one.role).join();
      // If the role's own grant already let in as many, the other grants don't matter.
      if (found.has(key) || (withinFormer && covering.includes(former))) continue;
      const onlyFormer = field === null && covering.length === 1 && covering[0] === former;
      found.set(key, onlyFormer ? byFormer : opens(covering, field));
    }
    const byRule = [...found.values()].filter((one) => one !== null);
    const grave = byRule.find((one) => one.decided) ?? byRule[0];
    if (grave !== undefined) return grave;
    const now = grantsFor(is, operation);
    const furtherGain = furtherGainOf(
      named,
      { permissions: formerGrants, givers: formerGivers },
      { permissions: now, givers },
    );
    return furtherGain ?? gainBySet(was, is, permission);
  }

  function asBefore(role: Role): Role {
    return before.roles.find((one) => one.name === role.name) ?? role;
  }

  function gainByRole(role: Role, entities: readonly Entity[]): Witness | null {
    const [granting] = entities.filter((one) => one.permissions.length > 0);
    if (granting === undefined) return null;
    const inherited = after.roles.reduce((sum, one) => sum + 1 + one.inherits.length, 0);
    if (!budget.spend(inherited)) return undecidedByRole(role, "read", granting);
    // Roles are compared one after the other, so that something that none of them does alone is reported with the last.
    const place = after.roles.findIndex((one) => one.name === role.name);
    const upTo = (count: number): Givers =>
      giversOf([...after.roles.map((one, index) => (index < count ? one : asBefore(one))), ...gone]);
    const [were, are] = [upTo(place), upTo(place + 1)];
    const alike = (name: string): boolean => same(were.get(name), are.get(name));
    let open: Witness | null = null;
    for (const entity of entities) {
      for (const [operation, permissions] of Map.groupBy(entity.permissions, (one) => one.operation)) {
        if (!budget.spend(permissions.length)) return undecidedByRole(role, operation, entity);
        if (permissions.every((one) => alike(one.role) && !asksForRoles(one.rule))) continue;
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
        open ??= furtherGainOf(gained, { permissions, givers: were }, { permissions, givers: are });
      }
    }
    return open;
  }

  function gainByScope(was: Entity, is: Entity): Witness | null {
    const gained = new Map<Operation, Witness>();
    const operations = new Set(was.permissions.map((one) => one.operation));
    for (const operation of operations) {
      const permissions = was.permissions.filter((one) => one.operation === operation);
      const entity = { ...was, name: is.name };
      const gain = { role: exampleRole(was, operation), operation, entity: is.name, field: null };
      const found = compare(
        gain,
        { entity, permissions, givers },
        { entity: { ...entity, orgField: is.orgField }, permissions, givers },
      );
      if (found !== null) gained.set(operation, found);
    }
    // Reads are reported first, because nobody notices them afterwards.
    const found = [...gained.values()].toSorted(
      (a, b) => Number(b.operation === "read") - Number(a.operation === "read"),
    );
    const first = found.find((one) => one.decided) ?? found[0];
    if (first === undefined) return null;
    const others = [...gained.keys()].filter((operation) => operation !== first.operation);
    if (others.length === 0) return first;
    return { ...first, summary: `${first.summary} The same is true for ${named(others)}.` };
  }

  /** A grant that starts to force a value, or forces another one, writes what rules may read. */
  function gainBySet(was: Entity, is: Entity, permission: Permission): Witness | null {
    const former = grantsFor(was, permission.operation).find((one) => one.role === permission.role);
    for (const { field: name, value } of permission.set) {
      const field = is.fields.find((one) => one.name === name);
      const forced = former?.set.find((one) => one.field === name)?.value;
      if (field === undefined || (forced !== undefined && keyOfRule(forced) === keyOfRule(value))) continue;
      // A caller who could write the field could have chosen any value.
      const isDefault = permission.operation === "create" && field.writer === "service";
      const start = isDefault ? givenByDefault(field.default) : "any";
      const found = gainByValue(is.name, field, { was: start, is: givenByRule(value) });
      if (found !== null) return found;
    }
    return null;
  }

  return {
    gain,
    gainByRole,
    gainByScope,
    gainBySet,
    gainByValue,
    ...createComputedGains(compareGrants, { before, after, rangesFor, budget }),
  };
}

function undecidedByRole({ name }: Role, operation: Operation, entity: Entity): Witness {
  return undecidedWitness({ role: name, operation, entity: entity.name, field: null }, "budget");
}

/** The cost of checking whether one grant opens one field, in looks at a part of a rule. */
const COVERING_WORK = 0.5;

/** A grant is compared with all others of its operation; an entity can have thousands of them. */
const byOperation = new WeakMap<Entity, ReadonlyMap<Operation, readonly Permission[]>>();

function grantsFor(entity: Entity, operation: Operation): readonly Permission[] {
  const grants = byOperation.get(entity) ?? Map.groupBy(entity.permissions, (one) => one.operation);
  byOperation.set(entity, grants);
  return grants.get(operation) ?? [];
}

interface Policy extends Grants {
  readonly givers: Givers;
}

interface Covering {
  /** What the grant opens in addition to the record itself; null for the record. */
  readonly field: string | null;
  /** The grants of the first model that opened as much. */
  readonly covering: readonly Permission[];
}

/**
 * The grants of the first model that opened at least as much as this one. A read is the union of all grants, so each
 * field is checked alone. A written body must be allowed by a single grant, so a grant is checked as a whole. A new
 * field has no values that anybody could not read or write before.
 */
function coverings(was: Entity, is: Entity, permission: Permission, formerGrants: readonly Permission[]): Covering[] {
  const stood = new Set(was.fields.map((field) => field.name));
  const usable = is.fields.filter((field) => stood.has(field.name) && isUsable(field, permission.operation));
  const own = permission.fields === null ? null : new Set(permission.fields);
  const opened = usable.map((field) => field.name).filter((name) => own?.has(name) ?? true);
  const namedBy = new Map(formerGrants.map((grant) => [grant, grant.fields === null ? null : new Set(grant.fields)]));
  const covers = (grant: Permission, names: readonly string[]): boolean => {
    const fields = namedBy.get(grant) ?? null;
    return fields === null || names.every((name) => fields.has(name));
  };
  if (permission.operation === "delete" || permission.operation === "restore")
    return [{ field: null, covering: formerGrants }];
  if (permission.operation === "read") {
    const each = opened.map((name) => ({
      field: name,
      covering: formerGrants.filter((grant) => covers(grant, [name])),
    }));
    return [{ field: null, covering: formerGrants }, ...each];
  }
  const covering = formerGrants.filter((grant) => covers(grant, opened));
  const beyond = opened.find((name) => formerGrants.some((grant) => !covers(grant, [name])));
  return [{ field: covering.length === formerGrants.length ? null : (beyond ?? null), covering }];
}

/** Whether a grant can open it at all. */
function isUsable(field: Field, operation: Operation): boolean {
  if (operation === "read") return !field.internal && field.type.kind !== "secret";
  return field.writer === "caller" && field.type.kind !== "computed";
}

/** Grants that open the same fields, for each such part. */
function partsByFields(permissions: readonly Permission[]): Permission[][] {
  const names = new Set(permissions.flatMap((one) => one.fields ?? []));
  const parts = [
    permissions,
    ...[...names].map((name) => permissions.filter((one) => one.fields?.includes(name) ?? true)),
  ];
  const open = permissions.filter((one) => one.fields === null);
  return [...parts, open].filter((part) => part.length > 0).map((part) => [...part]);
}

type Held = Pick<Policy, "permissions" | "givers">;

/**
 * What callers gain other than being let in: they choose a value that was forced, or read more at once. It is enough to
 * check callers with only this role, signed in or with a key: callers with more roles were forced to less, and read as
 * much.
 */
function furtherGainOf(named: Omit<Gain, "field">, was: Held, is: Held): Witness | null {
  if (was.permissions.every((one) => one.set.length === 0 && one.limit === null)) return null;
  const now = grantsOfHolders(named.role, is);
  for (const [index, grants] of grantsOfHolders(named.role, was).entries()) {
    const found = gainByForce(named, grants, now[index] ?? []) ?? gainByLimit(named, grants, now[index] ?? []);
    if (found !== null) return found;
  }
  return null;
}

function grantsOfHolders(role: string, { permissions, givers }: Held): Permission[][] {
  const brought = (held: readonly string[]): Permission[] =>
    permissions.filter((one) => held.some((given) => (givers.get(one.role) ?? [one.role]).includes(given)));
  return [brought(["public", role]), brought(["public", "user", "owner", role])];
}

/** A value is forced if every grant of a caller forces it; the first role's value is used. */
function gainByForce(
  named: Omit<Gain, "field">,
  was: readonly Permission[],
  is: readonly Permission[],
): Witness | null {
  if (is.length === 0) return null;
  for (const field of new Set(was.flatMap((one) => one.set.map((forced) => forced.field)))) {
    const [value, now] = [forcedValue(was, field), forcedValue(is, field)];
    if (value === null || (now !== null && keyOfRule(value) === keyOfRule(now))) continue;
    const act = actOf({ ...named, field: null });
    const summary = `Where ${oneOf(named.role)} can ${act}, \`${field}\` is no longer always \`${printExpression(value)}\`.`;
    return { ...named, decided: true, summary, record: {} };
  }
  return null;
}

function forcedValue(grants: readonly Permission[], field: string): Expression | null {
  const values = grants.map((one) => one.set.find((forced) => forced.field === field)?.value);
  const [first] = grants.toSorted((a, b) => (a.role < b.role ? -1 : 1));
  const value = first?.set.find((forced) => forced.field === field)?.value;
  return value === undefined || values.includes(undefined) ? null : value;
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
  const many = most(is) === Number.POSITIVE_INFINITY ? "as many records as fit on a page" : `${most(is)} records`;
  const summary = `${capitalized(oneOf(named.role))} can now read ${many} of \`${named.entity}\` at once, instead of ${most(was)}.`;
  return { ...named, decided: true, summary, record: {} };
}
