// Random reads: conditions, relations, fields, expansions, counts and groups, each evaluated in memory. In: the world,
// a caller, an entity, random numbers. Out: the request and the expected reply. Null is unknown: neither a condition
// nor its negation is true.
import type { Entity, Field, JsonValue } from "@plinth/blueprint";
import { compareText, relationName } from "@plinth/expression";
import type { Random } from "@plinth/testkit";
import { grantsFor, mayRead, readability, readGrants, shownBy } from "./generated-judgement.ts";
import { compareValues, isListable, pageMaxOf } from "./generated-lists.ts";
import { plainValue } from "./generated-values.ts";
import { type Caller, livingOf, type Rec, targetOf, type Values, type World } from "./generated-world.ts";

/** A condition in the form of `where`. */
type Where =
  | { readonly kind: "and" | "or"; readonly of: readonly Where[] }
  | { readonly kind: "not"; readonly of: Where }
  | { readonly kind: "test"; readonly field: Field; readonly operator: string; readonly value: JsonValue }
  | { readonly kind: "related"; readonly link: Link; readonly of: Where };

/** A relation between two of the project's own entities. */
interface Link {
  readonly name: string;
  readonly from: Entity;
  readonly to: Entity;
  readonly kind: "reference" | "referrer" | "refs" | "refs_inverse";
  readonly field: string;
}

interface Shown {
  readonly fields: readonly string[];
  readonly within: readonly { readonly link: Link; readonly shown: Shown }[];
}

export interface Reading {
  readonly query: URLSearchParams;
  /** 403, or null if the request is allowed. */
  readonly refusal: number | null;
  /** The visible records, ordered by id. */
  readonly expected: readonly Values[];
  /** The audit rows after a page of these: `expand room: <ids>`, sorted. */
  readonly audits: (page: readonly Values[]) => readonly string[];
}

export class Readings {
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  list(caller: Caller, entity: Entity): Reading {
    const where = this.#where(entity, 2);
    const shown = this.#shown(caller, entity, 2);
    const limit = pageMaxOf(entity, caller, Math.min(100, this.#world.model.api.pageMax));
    const query = new URLSearchParams({ sort: "id", limit: String(limit), count: "exact" });
    query.set("where", JSON.stringify(jsonOf(where)));
    const names = [...fieldPaths(shown)];
    query.set("fields", names.join(","));
    const expanded = [...expandPaths(shown)];
    if (expanded.length > 0) query.set("expand", expanded.map(({ path }) => path).join(","));
    for (const { path, isMany } of expanded) if (isMany) query.set(`expand[${path}][sort]`, "id");
    const refused =
      grantsFor(entity, "read", caller).length === 0 || this.#isRefused(where, entity, caller) ? 403 : null;
    const found = this.#visible(caller, entity).filter((record) => this.#judge(where, record, caller) === true);
    const audits = (page: readonly Values[]): readonly string[] => {
      const own = entity.audit === "all" ? [`list ${entity.name}: ${page.map(({ id }) => String(id)).join(",")}`] : [];
      return [...own, ...expandLines(shown, page), ...lookLines(where)].sort();
    };
    return { query, refusal: refused, audits, expected: found.map((record) => this.#show(shown, record, caller)) };
  }

  /**
   * Groups by one field: the number of records, the number of distinct values of another field, and its smallest and
   * largest value.
   */
  groups(caller: Caller, entity: Entity): Reading | null {
    const where = this.#where(entity, 1);
    const groups = entity.fields.filter((field) => ["bool", "enum"].includes(field.type.kind) && isListable(field));
    const values = entity.fields.filter(
      (field) => ["int", "date", "string"].includes(field.type.kind) && isListable(field),
    );
    if (groups.length === 0 || values.length === 0) return null;
    const [group, value] = [this.#random.pick(groups), this.#random.pick(values)];
    if (group === value) return null;
    const query = new URLSearchParams({ group_by: group.name, where: JSON.stringify(jsonOf(where)) });
    query.set("select", `count,count(${value.name}),min(${value.name}),max(${value.name})`);
    const named = [group, value].some(({ name }) => readability(entity, caller, name) === "never");
    const isRefused = grantsFor(entity, "read", caller).length === 0 || named || this.#isRefused(where, entity, caller);
    const found = this.#visible(caller, entity).filter((record) => this.#judge(where, record, caller) === true);
    const byKey = new Map<JsonValue, JsonValue[]>();
    for (const record of found) {
      const key = this.#value(record, group, caller);
      byKey.set(key, [...(byKey.get(key) ?? []), this.#value(record, value, caller)]);
    }
    const keys = [...byKey.keys()].sort((one, other) => compareValues(group, one, other));
    const expected = keys.map((key): Values => {
      const all = byKey.get(key)!;
      const given = all.filter((each) => each !== null).sort((one, other) => compareValues(value, one, other));
      return {
        [group.name]: key,
        count: all.length,
        [`count(${value.name})`]: given.length,
        [`min(${value.name})`]: given[0] ?? null,
        [`max(${value.name})`]: given.at(-1) ?? null,
      };
    });
    const own = entity.audit === "all" ? [`aggregate ${entity.name}: `] : [];
    return { query, refusal: isRefused ? 403 : null, expected, audits: () => [...own, ...lookLines(where)].sort() };
  }

  #where(entity: Entity, depth: number): Where {
    const kind = this.#random.whole(0, 9);
    if (depth > 0 && kind < 2) {
      const of = Array.from({ length: this.#random.whole(1, 2) }, () => this.#where(entity, depth - 1));
      return { kind: kind === 0 ? "and" : "or", of };
    }
    if (depth > 0 && kind === 2) return { kind: "not", of: this.#where(entity, depth - 1) };
    const links = linksOf(this.#world, entity);
    if (depth > 0 && kind < 6 && links.length > 0) {
      const link = this.#random.pick(links);
      return { kind: "related", link, of: this.#where(link.to, depth - 1) };
    }
    return this.#test(entity);
  }

  #test(entity: Entity): Where {
    const fields = entity.fields.filter(
      (field) => isListable(field) && !measuredByTheService.has(field.name) && field.type.kind !== "sequence",
    );
    const field = this.#random.pick(fields.length === 0 ? entity.fields.filter(({ name }) => name === "id") : fields);
    const value = (): JsonValue => this.#operand(field);
    const isText = ["string", "text"].includes(field.type.kind);
    const isOrdered = !["bool", "enum", "uuid", "ref", "user_ref", "org_ref"].includes(field.type.kind);
    const operator = this.#random.pick([
      "eq",
      "ne",
      "in",
      "nin",
      "is_null",
      ...(isOrdered ? ["gt", "gte", "lt", "lte"] : []),
      ...(isText ? ["contains", "icontains", "starts_with", "iends_with"] : []),
    ]);
    if (operator === "is_null") return { kind: "test", field, operator, value: this.#random.chance(0.5) };
    if (operator === "in" || operator === "nin") return { kind: "test", field, operator, value: [value(), value()] };
    return { kind: "test", field, operator, value: value() };
  }

  /** Usually a value that some record has. */
  #operand(field: Field): JsonValue {
    const target = targetOf(field);
    if (field.name === "id" || field.type.kind === "uuid" || target !== null) {
      const known = [...this.#world.records.values()].map(({ id }) => id);
      return known.length === 0 ? "018f0000-0000-7000-8000-000000000000" : this.#random.pick(known);
    }
    return plainValue(field, this.#random);
  }

  #shown(caller: Caller, entity: Entity, depth: number): Shown {
    const open = entity.fields.filter(
      (field) =>
        isListable(field) &&
        !measuredByTheService.has(field.name) &&
        readability(entity, caller, field.name) !== "never",
    );
    const links = linksOf(this.#world, entity).filter(
      (link) => !this.#isClosed(link, caller) && this.#random.chance(0.4),
    );
    const within = depth === 0 ? [] : links.map((link) => ({ link, shown: this.#shown(caller, link.to, depth - 1) }));
    // An expanded record replaces the field with its name.
    const names = open.map(({ name }) => name).filter((name) => !within.some(({ link }) => link.name === name));
    const fields = names.filter((name) => name === "id" || this.#random.chance(0.5));
    return { fields, within: within.slice(0, 2) };
  }

  #isRefused(where: Where, entity: Entity, caller: Caller): boolean {
    switch (where.kind) {
      case "and":
      case "or":
        return where.of.some((each) => this.#isRefused(each, entity, caller));
      case "not":
        return this.#isRefused(where.of, entity, caller);
      case "test":
        return readability(entity, caller, where.field.name) === "never";
      case "related":
        return this.#isClosed(where.link, caller) || this.#isRefused(where.of, where.link.to, caller);
    }
  }

  /** Whether the relation can't reach any record, whatever the records are. */
  #isClosed(link: Link, caller: Caller): boolean {
    const owner = link.kind === "reference" || link.kind === "refs" ? link.from : link.to;
    return grantsFor(link.to, "read", caller).length === 0 || readability(owner, caller, link.field) === "never";
  }

  #visible(caller: Caller, entity: Entity): Rec[] {
    const seen = livingOf(this.#world, entity.name).filter((record) => mayRead(this.#world, caller, record));
    return seen.sort((one, other) => compareText(one.id, other.id));
  }

  #judge(where: Where, record: Rec, caller: Caller): boolean | null {
    switch (where.kind) {
      case "and":
      case "or": {
        const all = where.of.map((each) => this.#judge(each, record, caller));
        const ends = where.kind === "or";
        return all.includes(ends) ? ends : all.includes(null) ? null : !ends;
      }
      case "not": {
        const held = this.#judge(where.of, record, caller);
        return held === null ? null : !held;
      }
      case "test":
        return tested(where.field, where.operator, this.#value(record, where.field, caller), where.value);
      case "related": {
        const reached = this.#reached(where.link, record, caller);
        return reached.some((each) => this.#judge(where.of, each, caller) === true);
      }
    }
  }

  /** Null if it is hidden in this record. */
  #value(record: Rec, { name }: Field, caller: Caller): JsonValue {
    return this.#reads(record, name, caller) ? (record.values[name] ?? null) : null;
  }

  #reads({ entity, values }: Rec, name: string, caller: Caller): boolean {
    if (name === "id") return true;
    const grants = readGrants(this.#world, caller, entity, values);
    return grants.some(({ fields }) => fields === null || fields.includes(name));
  }

  #reached({ kind, field, to }: Link, record: Rec, caller: Caller): Rec[] {
    const isOwn = kind === "reference" || kind === "refs";
    return this.#visible(caller, to).filter((other) => {
      const [holder, named] = isOwn ? [record, other] : [other, record];
      const value = holder.values[field] ?? null;
      const isNamed = Array.isArray(value) ? value.includes(named.id) : value === named.id;
      return isNamed && this.#reads(holder, field, caller);
    });
  }

  #show({ fields, within }: Shown, record: Rec, caller: Caller): Values {
    const grants = readGrants(this.#world, caller, record.entity, record.values);
    const whole = shownBy(this.#world, caller, record.entity, record.values, grants);
    const shown = Object.fromEntries(Object.entries(whole).filter(([name]) => fields.includes(name)));
    for (const { link, shown: inner } of within) {
      const reached = this.#reached(link, record, caller).map((each) => this.#show(inner, each, caller));
      shown[link.name] = link.kind === "reference" ? (reached[0] ?? null) : reached;
    }
    return shown;
  }
}

/** Only the service knows their values. */
const measuredByTheService: ReadonlySet<string> = new Set(["created_at", "updated_at", "deleted_at", "created_by"]);

function linksOf(world: World, entity: Entity): readonly Link[] {
  const own = entity.fields.flatMap((field): Link[] => {
    const to = world.entities.get(targetOf(field) ?? "");
    if (to === undefined || field.type.kind === "refs" || field.internal) return [];
    return [{ name: relationName(field.name), from: entity, to, kind: "reference", field: field.name }];
  });
  const others = entity.relations.flatMap(({ name, entity: other, by }): Link[] => {
    const to = world.entities.get(other);
    const holder = by.kind === "refs" ? entity : to;
    if (to === undefined || holder?.fields.find((field) => field.name === by.field)?.internal !== false) return [];
    return [{ name, from: entity, to, kind: by.kind, field: by.field }];
  });
  return [...own, ...others];
}

function jsonOf(where: Where): JsonValue {
  switch (where.kind) {
    case "and":
    case "or":
      return { [where.kind]: where.of.map(jsonOf) };
    case "not":
      return { not: jsonOf(where.of) };
    case "test":
      return { [where.field.name]: { [where.operator]: where.value } };
    case "related":
      return { [where.link.name]: jsonOf(where.of) };
  }
}

/** The ids of related records in the reply, if their reads are audited. */
function expandLines(shown: Shown, page: readonly Values[]): readonly string[] {
  const ids = new Map<string, Set<string>>();
  const walk = ({ within }: Shown, records: readonly Values[]): void => {
    for (const { link, shown: inner } of within) {
      const brought = records.flatMap((record) => (record[link.name] ?? []) as Values | readonly Values[]) as Values[];
      const known = ids.get(link.to.name) ?? new Set<string>();
      if (link.to.audit === "all") for (const { id } of brought) ids.set(link.to.name, known.add(String(id)));
      walk(inner, brought);
    }
  };
  walk(shown, page);
  return [...ids].map(([name, all]) => `expand ${name}: ${[...all].sort().join(",")}`);
}

/** Entities that a condition reads, if their reads are audited. */
function lookLines(where: Where): readonly string[] {
  const names = new Set<string>();
  const walk = (each: Where): void => {
    if (each.kind === "related" && each.link.to.audit === "all") names.add(each.link.to.name);
    if (each.kind === "and" || each.kind === "or") each.of.forEach(walk);
    if (each.kind === "not" || each.kind === "related") walk(each.of);
  };
  walk(where);
  return [...names].map((name) => `filter ${name}: `);
}

function* fieldPaths({ fields, within }: Shown, path = ""): Iterable<string> {
  for (const name of fields) yield path + name;
  for (const { link, shown } of within) yield* fieldPaths(shown, `${path}${link.name}.`);
}

function* expandPaths({ within }: Shown, path = ""): Iterable<{ readonly path: string; readonly isMany: boolean }> {
  for (const { link, shown } of within) {
    yield { path: path + link.name, isMany: link.kind !== "reference" };
    yield* expandPaths(shown, `${path}${link.name}.`);
  }
}

function tested(field: Field, operator: string, found: JsonValue, value: JsonValue): boolean | null {
  if (operator === "is_null") return (found === null) === value;
  if (found === null) return null;
  const order = (other: JsonValue): number => compareValues(field, found, other);
  switch (operator) {
    case "eq":
      return order(value) === 0;
    case "ne":
      return order(value) !== 0;
    case "in":
      return (value as readonly JsonValue[]).some((each) => order(each) === 0);
    case "nin":
      return (value as readonly JsonValue[]).every((each) => order(each) !== 0);
    case "gt":
      return order(value) > 0;
    case "gte":
      return order(value) >= 0;
    case "lt":
      return order(value) < 0;
    case "lte":
      return order(value) <= 0;
    case "contains":
      return String(found).includes(String(value));
    case "icontains":
      return String(found).toLowerCase().includes(String(value).toLowerCase());
    case "starts_with":
      return String(found).startsWith(String(value));
    case "iends_with":
      return String(found).toLowerCase().endsWith(String(value).toLowerCase());
    default:
      throw new Error(`no operator ${operator}`);
  }
}
