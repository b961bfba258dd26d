// Builds the world of a blueprint's tests. In: the tests of a model. Out: their users, organizations and rows in the
// form for the evaluator, with generated ids. A value that a row leaves out gets its default, or the simplest value of
// its type.
import type { EvaluationContext, Row, Value } from "@plinth/expression";
import type { Entity, Field, FieldType, JsonValue, Model, SeedRow, Tests, TestUser } from "../model/model.ts";
import { USER_ENTITY, userEntity } from "../modules/users.ts";
import { targetOf } from "../rules/expression-schema.ts";

/** The time of every test, for rules with `now`. */
export const testNow = "2026-01-01T12:00:00Z";

export interface World {
  /** The time for rules with `now`. */
  readonly now: string;
  readonly rows: readonly WorldRow[];
  /** The test users as rows. */
  readonly users: readonly WorldRow[];
  /** A test user, or `public`: a caller who is not signed in. */
  readonly callers: ReadonlyMap<string, EvaluationContext["user"]>;
  /** Resolves the names in a test's values. */
  readonly resolve: (entity: Entity, values: SeedRow) => Readonly<Record<string, Value>>;
  /** The values of a new row, with defaults. */
  readonly fill: (entity: Entity, values: Readonly<Record<string, Value>>) => Readonly<Record<string, Value>>;
  /** The records behind the references in these values. */
  readonly connect: (entity: Entity, values: Readonly<Record<string, Value>>) => Row;
}

export interface WorldRow {
  readonly entity: Entity;
  readonly name: string;
  readonly id: string;
  readonly row: Row;
  readonly deleted: boolean;
}

interface OpenRow {
  values: Record<string, Value>;
  related: Record<string, Row>;
  many: Record<string, Row[]>;
}

/** Real records instead of those of tests: the names of users, organizations and rows are their ids. */
export interface RealWorld {
  readonly now: string;
}

export function worldOf(model: Model, tests: Tests, real: RealWorld | null = null): World {
  const ids = new Map<string, string>();
  const idOf = (kind: string, name: string): string => {
    if (real !== null) return name;
    const key = `${kind} ${name}`;
    const found = ids.get(key) ?? madeUpId(ids.size + 1);
    ids.set(key, found);
    return found;
  };
  const entities = new Map(model.entities.map((entity) => [entity.name, entity]));
  const resolve: World["resolve"] = (entity, values) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const field = entity.fields.find((one) => one.name === name);
        return [name, field === undefined ? value : resolved(field.type, value, idOf)];
      }),
    );
  const builtin = builtinRows(model, tests, idOf);
  const open = tests.rows.flatMap((one): { entity: Entity; name: string; id: string; row: OpenRow }[] => {
    const entity = entities.get(one.entity);
    if (entity === undefined) return [];
    const id = idOf(entity.name, one.name);
    const values = { ...filledRow(entity.fields, resolve(entity, one.values)), id };
    return [{ entity, name: one.name, id, row: { values, related: {}, many: {} } }];
  });
  const rows = open.map((one): WorldRow => ({ ...one, deleted: (one.row.values["deleted_at"] ?? null) !== null }));
  const living = rows.filter((one) => !one.deleted);
  const byId = new Map<unknown, Row>([...builtin, ...living.map((one): [string, Row] => [one.id, one.row])]);
  const relatedTo = (entity: Entity, values: Readonly<Record<string, Value>>): Record<string, Row> =>
    Object.fromEntries(
      entity.fields.flatMap((field) => {
        const row = targetOf(field.type) === null ? undefined : byId.get(values[field.name]);
        return row === undefined ? [] : [[field.name, row]];
      }),
    );
  for (const { entity, row } of open) row.related = relatedTo(entity, row.values);
  for (const { entity, row, id } of open) row.many = relationsOf(entity, { values: row.values, id }, living);
  const users = userEntity(model);
  for (const [id, row] of builtin) row.many = relationsOf(users, { values: row.values, id }, living);
  return {
    now: real?.now ?? testNow,
    rows,
    users: tests.users.flatMap(({ name }): WorldRow[] => {
      const id = idOf(USER_ENTITY, name);
      const row = byId.get(id);
      return row === undefined ? [] : [{ entity: users, name, id, row, deleted: false }];
    }),
    callers: new Map([
      ["public", { id: null, email: null, roles: ["public"] }],
      ...tests.users.map((user): [string, EvaluationContext["user"]] => [user.name, callerOf(user, model, idOf)]),
    ]),
    resolve,
    fill: (entity, values) => filledRow(entity.fields, values),
    connect: (entity, values) => ({
      values,
      related: relatedTo(entity, values),
      many: relationsOf(entity, { values, id: String(values["id"]) }, living),
    }),
  };
}

/** A UUID of version 7 that no service ever generates, because its time is long past. */
function madeUpId(number: number): string {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

function resolved(type: FieldType, value: JsonValue, idOf: (kind: string, name: string) => string): Value {
  const target = targetOf(type);
  if (target !== null && typeof value === "string") return idOf(target, value);
  if (type.kind === "refs" && Array.isArray(value))
    return (value as readonly JsonValue[]).map((one) => idOf(type.entity, String(one)));
  return value;
}

function builtinRows(
  model: Model,
  tests: Tests,
  idOf: (kind: string, name: string) => string,
): readonly [string, OpenRow][] {
  const users = tests.users.map((user): [string, OpenRow] => {
    const id = idOf("user", user.name);
    const profile = filledRow(model.userFields, user.profile);
    return [id, { values: { ...profile, id, email: user.email, name: user.name }, related: {}, many: {} }];
  });
  const names = new Set(tests.users.flatMap((user) => user.organizations.map((one) => one.organization)));
  const organizations = [...names].map((name): [string, OpenRow] => {
    const id = idOf("organization", name);
    return [id, { values: { id, name, created_at: testNow, updated_at: testNow }, related: {}, many: {} }];
  });
  return [...users, ...organizations];
}

function callerOf(
  user: TestUser,
  model: Model,
  idOf: (kind: string, name: string) => string,
): EvaluationContext["user"] {
  const allRoles = new Set(["public", "user", "owner", ...user.roles]);
  for (const role of model.roles)
    if (user.roles.includes(role.name)) for (const one of role.inherits) allRoles.add(one);
  return {
    id: idOf("user", user.name),
    email: user.email,
    roles: [...allRoles].sort(),
    profile: filledRow(model.userFields, user.profile),
    memberships: user.organizations.map(({ organization, role }) => ({
      organization: idOf("organization", organization),
      role,
    })),
  };
}

function relationsOf(
  entity: Entity,
  { values, id }: { readonly values: Readonly<Record<string, Value>>; readonly id: string },
  living: readonly WorldRow[],
): Record<string, Row[]> {
  return Object.fromEntries(
    entity.relations.map(({ name, entity: other, by }) => {
      const found = living.filter((one) => {
        if (one.entity.name !== other) return false;
        if (by.kind === "refs") return holds(values[by.field], one.id);
        const value = one.row.values[by.field];
        return by.kind === "referrer" ? value === id : holds(value, id);
      });
      return [name, found.map((one) => one.row)];
    }),
  );
}

function holds(list: Value | undefined, id: string): boolean {
  return Array.isArray(list) && (list as readonly Value[]).includes(id);
}

/** The values, completed by defaults, or by a value of the type if one is required. */
export function filledRow<V extends Value>(
  fields: readonly Field[],
  values: Readonly<Record<string, V>>,
): Record<string, V | JsonValue> {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      Object.hasOwn(values, field.name) ? (values[field.name] ?? null) : fillFor(field),
    ]),
  );
}

function fillFor(field: Field): JsonValue {
  const { default: fallback, type } = field;
  if (fallback?.kind === "literal") return fallback.value;
  if (fallback?.kind === "now") return testNow;
  if (fallback?.kind === "today") return testNow.slice(0, 10);
  return field.optional ? null : plainValue(type, field.limits.min);
}

/** For a required reference without a value: an id that no record has. */
function plainValue(type: FieldType, min: string | null): JsonValue {
  switch (type.kind) {
    case "int":
    case "float":
    case "percent":
      return Number(min ?? 0);
    case "bigint":
    case "decimal":
    case "money":
      return min ?? "0";
    case "bool":
      return false;
    case "enum":
      return type.values[0] ?? null;
    case "enum_set":
    case "list":
    case "refs":
      return [];
    case "date":
      return testNow.slice(0, 10);
    case "time":
      return "12:00:00";
    case "datetime":
      return testNow;
    case "duration":
      return "PT1H";
    case "uuid":
    case "ref":
    case "user_ref":
    case "org_ref":
      return madeUpId(0xffff_ffff_ffff);
    case "json":
    case "object":
    case "i18n":
    case "file":
    case "image":
      return {};
    case "point":
      return { lat: 0, lng: 0 };
    case "vector":
      return Array.from({ length: type.dimensions }, () => 0);
    case "computed":
      return null;
    default:
      return "x";
  }
}
