// Lowers the blueprint's own tests. In: the model. Out: people, rows and expectations with made-up ids, null where there are none.
// The ids come from the names: the same blueprint has the same ones.
import { createHash } from "node:crypto";
import type { Entity, Expectation, Field, JsonValue, Model, SeedRow } from "@plinth/blueprint";
import type { BundleTests } from "@plinth/bundle";
import { fieldsByName, rowText } from "./seed.ts";

export function testsOf(model: Model): BundleTests | null {
  const { tests } = model;
  if (tests === null) return null;
  const entities = new Map(model.entities.map((entity) => [entity.name, entity]));
  const profile = fieldsByName(model.userFields);
  return {
    users: tests.users.map((user) => ({
      name: user.name,
      id: idOf("user", user.name),
      email: user.email,
      roles: user.roles,
      profile: rowText(named(user.profile, profile), profile),
      organizations: user.organizations.map(({ organization, role }) => ({
        id: idOf("organization", organization),
        role,
      })),
    })),
    rows: tests.rows.map((row) => {
      const fields = fieldsByName(known(entities, row.entity).fields);
      const values = rowText(named(row.values, fields), fields);
      return { entity: row.entity, name: row.name, id: idOf(row.entity, row.name), values };
    }),
    expect: tests.expect.map((expectation) => expectationOf(expectation, entities)),
  };
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

/** References hold ids where the blueprint has the names of users, organizations and rows. */
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

/** A UUID (version 8: made by a rule of our own). What is an id already stays one. */
function idOf(entity: string, name: string): string {
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(name)) return name;
  const hex = createHash("sha256").update(`${entity}/${name}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function known(entities: ReadonlyMap<string, Entity>, name: string): Entity {
  const entity = entities.get(name);
  if (entity === undefined) throw new Error(`no entity is called ${name}`);
  return entity;
}
