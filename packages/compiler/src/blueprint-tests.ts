// Compiles the blueprint's own tests. In: the model. Out: people, rows and expectations with generated ids; null if
// there are no tests. The ids are made from the names, so the same blueprint always has the same ones.
import { createHash } from "node:crypto";
import {
  type Entity,
  type Expectation,
  type Field,
  filledRow,
  type JsonValue,
  type Model,
  type SeedRow,
} from "@plinth/blueprint";
import type { BundleTests, SqlTemplate } from "@plinth/bundle";
import { isServed, isStored } from "./sql/column-type.ts";
import { constantSql } from "./sql/constant-sql.ts";
import { fieldsByName, rowText } from "./tables/seed.ts";

export function testsOf(model: Model): BundleTests | null {
  const { tests } = model;
  if (tests === null) return null;
  const entities = new Map(model.entities.map((entity) => [entity.name, entity]));
  return {
    users: tests.users.map((user) => ({
      name: user.name,
      id: idOf("user", user.name),
      email: user.email,
      roles: user.roles,
      profile: whole(user.profile, model.userFields),
      organizations: user.organizations.map(({ organization, role }) => ({
        id: idOf("organization", organization),
        name: organization,
        role,
      })),
    })),
    rows: tests.rows.map((row) => {
      const fields = known(entities, row.entity).fields.filter((field) => field.name !== "id");
      return { entity: row.entity, name: row.name, id: idOf(row.entity, row.name), values: whole(row.values, fields) };
    }),
    unsent: Object.fromEntries(model.entities.map((entity) => [entity.name, unsentOf(entity)])),
    expect: tests.expect.map((expectation) => expectationOf(expectation, entities)),
  };
}

/** With defaults for the values that the test leaves out, as in the in-memory tests. */
function whole(row: SeedRow, fields: readonly Field[]): Readonly<Record<string, string | null>> {
  const kept = fields.filter((field) => isServed(field) && field.type.kind !== "computed");
  const byName = fieldsByName(kept);
  return rowText(filledRow(kept, named(row, byName)), byName);
}

/**
 * Values that a create needs but that a test doesn't have to give: otherwise the service would refuse the create, which
 * is not the point of the test.
 */
function unsentOf(entity: Entity): Readonly<Record<string, SqlTemplate>> {
  const values = filledRow(entity.fields, {});
  const needed = entity.fields.filter(
    (field) => isStored(field) && !field.optional && field.default === null && field.writer === "caller",
  );
  return Object.fromEntries(needed.map(({ name, type }) => [name, constantSql(values[name] ?? null, type)]));
}

function expectationOf(expectation: Expectation, entities: ReadonlyMap<string, Entity>): BundleTests["expect"][number] {
  const { as, entity, line } = expectation;
  if (expectation.kind === "list") {
    const sees = expectation.sees.map((name) => idOf(entity, name));
    return { as, entity, operation: "list", recordId: null, input: {}, sees, allow: null, line };
  }
  const { operation, row, allow } = expectation;
  const input = named(expectation.input, fieldsByName(known(entities, entity).fields));
  return { as, entity, operation, recordId: row === null ? null : idOf(entity, row), input, sees: null, allow, line };
}

/** References contain ids instead of the names of users, organizations and rows. */
function named(row: SeedRow, fields: ReadonlyMap<string, Field>): SeedRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, reference(value, fields.get(name)?.type)] as const),
  );
}

function reference(value: JsonValue, type: Field["type"] | undefined): JsonValue {
  const id = (entity: string, name: JsonValue): JsonValue => (typeof name === "string" ? idOf(entity, name) : name);
  switch (type?.kind) {
    case "user_ref":
      return id("user", value);
    case "org_ref":
      return id("organization", value);
    case "ref":
      return id(type.entity, value);
    case "refs":
      return Array.isArray(value) ? (value as readonly JsonValue[]).map((one) => id(type.entity, one)) : value;
    default:
      return value;
  }
}

/** A UUID (version 8: made by our own rule). An id stays unchanged. */
function idOf(entity: string, name: string): string {
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(name)) return name;
  const hex = createHash("sha256").update(`${entity}/${name}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function known(entities: ReadonlyMap<string, Entity>, name: string): Entity {
  const entity = entities.get(name);
  if (entity === undefined) throw new Error(`there is no entity ${name}`);
  return entity;
}
