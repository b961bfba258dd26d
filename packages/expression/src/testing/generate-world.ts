// Test-only. In: a source of random numbers. Out: a world: records with fields of every type, their references and
// relations, their rows, people, organizations and memberships. A test can fill a database with it.
import type { Value } from "../datum.ts";
import type { EvaluationContext, Row } from "../evaluate.ts";
import type { FieldSchema, RecordSchema, Schema } from "../schema.ts";
import { type DeclaredMember, type DeclaredType, type Draw, typeOf, valueFor } from "./generate-values.ts";

export interface GeneratedField {
  readonly name: string;
  readonly declared: DeclaredType;
}

/** The entities that refer to it, as in a blueprint's model. */
export interface GeneratedRelation {
  readonly name: string;
  readonly entity: string;
  readonly by:
    | { readonly kind: "referrer"; readonly field: string }
    | { readonly kind: "refs"; readonly field: string }
    | { readonly kind: "refs_inverse"; readonly field: string };
}

export interface GeneratedRecord {
  readonly name: string;
  /** All are optional. `id`, `version` and `refs` are not included. */
  readonly fields: readonly GeneratedField[];
  /** Many-to-many fields; each is also a relation with the same name. */
  readonly refs: readonly { readonly name: string; readonly entity: string }[];
  readonly relations: readonly GeneratedRelation[];
}

export interface GeneratedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly profile: Readonly<Record<string, Value>>;
  readonly memberships: readonly { readonly organization: string; readonly role: string }[];
}

export interface World {
  readonly schema: Schema;
  readonly records: readonly GeneratedRecord[];
  /** Profile fields of `user`, in addition to `id`, `email` and `name`. */
  readonly userFields: readonly GeneratedField[];
  readonly users: readonly GeneratedUser[];
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
  /**
   * Record > its rows, each with `id`, `version` and every field. References can be circular: insert the rows, then
   * update their references.
   */
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>;
  /** The pairs of each `refs` field. */
  readonly pairs: readonly {
    readonly record: string;
    readonly field: string;
    readonly id: string;
    readonly other: string;
  }[];
}

const recordNames = ["parcel", "depot", "note"] as const;
export const roles: readonly string[] = ["public", "user", "owner", "admin", "support"];
export const organizationRoles: readonly string[] = ["owner", "admin", "member"];

/** Words of CEL and SQL, and names that have another meaning in a rule: all are valid names of fields. */
const trickyNames = [
  "package",
  "in",
  "now",
  "order",
  "select",
  "c",
  "true",
  "input",
  "namespace",
  "table",
  "user",
  "size",
  "has",
];

export function generateWorld(draw: Draw): World {
  const skeletons = recordNames.map((name) => ({
    name,
    fields: generateFields(name, draw),
    refs: generateRefs(name, draw),
  }));
  const records = skeletons.map((one) => ({ ...one, relations: relationsOf(one.name, skeletons) }));
  const userFields: GeneratedField[] = [
    { name: "plan", declared: { kind: "enum", values: ["free", "pro"] } },
    { name: "age", declared: { kind: "int" } },
    { name: "nick", declared: { kind: "string" } },
    { name: "limit_amount", declared: { kind: "decimal", precision: 12, scale: 4 } },
  ];
  const organizations = [0, 1, 2].map((at) => ({ id: idOf(0xa0, at), name: `org ${at}` }));
  const users = [0, 1, 2].map((at): GeneratedUser => {
    const held = roles.filter((role) => role === "public" || role === "user" || role === "owner" || draw.chance(40));
    const memberships = organizations
      .filter(() => draw.chance(50))
      .map(({ id }) => ({ organization: id, role: draw.pick(organizationRoles) }));
    const profile = valuesOf(userFields, draw, () => null);
    return {
      id: idOf(0xb0, at),
      email: `${at}@example.com`,
      name: draw.pick(["Ana", "Bob", "😀"]),
      roles: held,
      profile,
      memberships,
    };
  });
  const ids = new Map(
    recordNames.map((name, at) => [
      name as string,
      Array.from({ length: draw.int(4, 8) }, (_, row) => idOf(at + 1, row)),
    ]),
  );
  const targets = new Map([
    ...ids,
    ["user", users.map(({ id }) => id)],
    ["organization", organizations.map(({ id }) => id)],
  ]);
  const rows: Record<string, Record<string, Value>[]> = {};
  for (const record of records) {
    const refer = (declared: DeclaredType): Value => draw.pick(targets.get(targetOf(declared) ?? "") ?? []);
    rows[record.name] = (ids.get(record.name) ?? []).map((id) => ({
      id,
      version: 1,
      ...valuesOf(record.fields, draw, refer),
    }));
  }
  const pairs = records.flatMap((record) =>
    record.refs.flatMap((field) =>
      (ids.get(record.name) ?? []).flatMap((id) =>
        (ids.get(field.entity) ?? [])
          .filter(() => draw.chance(30))
          .map((other) => ({ record: record.name, field: field.name, id, other })),
      ),
    ),
  );
  return { schema: schemaOf(records, userFields), records, userFields, users, organizations, rows, pairs };
}

/** A new value for each field, sometimes null; the values of a create or an update. */
export function valuesOf(
  fields: readonly GeneratedField[],
  draw: Draw,
  refer: (declared: DeclaredType) => Value,
): Record<string, Value> {
  return Object.fromEntries(
    fields.map(({ name, declared }) => {
      if (draw.chance(20)) return [name, null];
      return [name, targetOf(declared) === null ? valueFor(declared, draw) : refer(declared)];
    }),
  );
}

export function targetOf(declared: DeclaredType): string | null {
  if (declared.kind === "user_ref") return "user";
  if (declared.kind === "org_ref") return "organization";
  return declared.kind === "ref" ? declared.entity : null;
}

const member = (name: string, type: DeclaredType): DeclaredMember => ({
  name,
  type,
  optional: true,
  limits: { min: null, max: null, pattern: null },
});

const members: readonly DeclaredMember[] = [
  member("street", { kind: "string" }),
  member("open", { kind: "bool" }),
  member("level", { kind: "int" }),
  member("share", { kind: "float" }),
  member("fee", { kind: "decimal", precision: 12, scale: 4 }),
  member("size", { kind: "enum", values: ["draft", "active"] }),
  member("inner", { kind: "object", fields: [member("street", { kind: "string" })] }),
];

function membersOf(fields: readonly DeclaredMember[]): ReadonlyMap<string, FieldSchema> {
  return new Map(fields.map((one) => [one.name, fieldOf(one.type)]));
}

function fieldOf(declared: DeclaredType): FieldSchema {
  const own = { type: typeOf(declared), refersTo: targetOf(declared) };
  return declared.kind === "object" ? { ...own, members: membersOf(declared.fields) } : own;
}

function generateFields(record: string, draw: Draw): GeneratedField[] {
  const scalars: readonly DeclaredType[] = [
    { kind: "string" },
    { kind: "text" },
    { kind: "int" },
    { kind: "bigint" },
    { kind: "float" },
    { kind: "float" },
    { kind: "decimal", precision: 12, scale: 4 },
    { kind: "decimal", precision: 38, scale: 12 },
    { kind: "percent" },
    { kind: "date" },
    { kind: "time" },
    { kind: "datetime" },
    { kind: "datetime" },
    { kind: "duration" },
    { kind: "bool" },
    { kind: "bool" },
    { kind: "enum", values: ["draft", "active", "package", "it's"] },
    { kind: "enum_set", values: ["red", "green", "blue"] },
    { kind: "list", of: { kind: "string" } },
    { kind: "list", of: { kind: "int" } },
    { kind: "list", of: { kind: "datetime" } },
    { kind: "json" },
    { kind: "object", fields: members },
    { kind: "uuid" },
  ];
  const names = [...trickyNames];
  const nameFor = (kind: string, at: number): string =>
    names.length > 0 && draw.chance(25) ? (names.splice(draw.int(0, names.length - 1), 1)[0] ?? kind) : `${kind}_${at}`;
  const plain = scalars.map((declared, at) => ({ name: nameFor(declared.kind, at), declared }));
  const onDelete = "restrict" as const;
  return [
    ...plain,
    { name: "owned_by", declared: { kind: "user_ref", onDelete } },
    { name: "org_id", declared: { kind: "org_ref", onDelete } },
    { name: `parent_${record}_id`, declared: { kind: "ref", entity: record, onDelete } },
    { name: "depot_id", declared: { kind: "ref", entity: "depot", onDelete } },
    { name: "near", declared: { kind: "ref", entity: draw.pick(recordNames), onDelete } },
  ];
}

function generateRefs(record: string, draw: Draw): { name: string; entity: string }[] {
  return draw.chance(70) ? [{ name: `${record}_links`, entity: draw.pick(recordNames) }] : [];
}

type Skeleton = Pick<GeneratedRecord, "name" | "fields" | "refs">;

function relationsOf(name: string, all: readonly Skeleton[]): GeneratedRelation[] {
  const relations: GeneratedRelation[] = [];
  for (const other of all) {
    for (const { name: field, declared } of other.fields) {
      if (targetOf(declared) !== name) continue;
      relations.push({ name: `${other.name}s_by_${field}`, entity: other.name, by: { kind: "referrer", field } });
    }
    for (const field of other.refs) {
      if (other.name === name)
        relations.push({ name: field.name, entity: field.entity, by: { kind: "refs", field: field.name } });
      if (field.entity === name) {
        relations.push({
          name: `linked_${field.name}`,
          entity: other.name,
          by: { kind: "refs_inverse", field: field.name },
        });
      }
    }
  }
  return relations.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function schemaOf(records: readonly GeneratedRecord[], userFields: readonly GeneratedField[]): Schema {
  const service: GeneratedField[] = [{ name: "id", declared: { kind: "uuid" } }];
  const record = (
    name: string,
    fields: readonly GeneratedField[],
    relations: readonly GeneratedRelation[],
  ): RecordSchema => ({
    name,
    fields: new Map([...service, ...fields].map((one): [string, FieldSchema] => [one.name, fieldOf(one.declared)])),
    relations: new Map(relations.map((one) => [one.name, { record: one.entity }])),
  });
  const text = (name: string): GeneratedField => ({ name, declared: { kind: "string" } });
  const all = [
    ...records.map((one) =>
      record(one.name, [...one.fields, { name: "version", declared: { kind: "int" } }], one.relations),
    ),
    record("user", [text("email"), text("name"), ...userFields], []),
    record("organization", [text("name")], []),
  ];
  return {
    records: new Map(all.map((one) => [one.name, one])),
    roles,
    organizationRoles,
    rules: new Map(),
    grants: () => new Map(),
  };
}

/** The rows of a world in the form for the evaluator: each with the rows that it refers to and that refer to it. */
export interface Rows {
  readonly of: (record: string, id: string) => Row;
  /**
   * A row that is not in the world, or not in this form. Its targets are in the world, and its relations are those of
   * its id.
   */
  readonly like: (record: string, values: Readonly<Record<string, Value>>) => Row;
}

interface Node {
  values: Readonly<Record<string, Value>>;
  related: Record<string, Row>;
  many: Record<string, readonly Row[]>;
}

export function rowsOf(world: World): Rows {
  const nodes = new Map<string, Node>();
  const add = (id: string, values: Readonly<Record<string, Value>>): void => {
    nodes.set(id, { values, related: {}, many: {} });
  };
  for (const rows of Object.values(world.rows)) for (const row of rows) add(String(row.id), row);
  for (const { id, email, name, profile } of world.users) add(id, { ...profile, id, email, name });
  for (const { id, name } of world.organizations) add(id, { id, name });
  const link = (record: GeneratedRecord, node: Node): void => {
    for (const { name, declared } of record.fields) {
      const other = targetOf(declared) === null ? undefined : nodes.get(String(node.values[name]));
      if (other !== undefined) node.related[name] = other;
    }
    for (const relation of record.relations) {
      const ids = idsOf(world, relation, String(node.values.id));
      node.many[relation.name] = ids.map((id) => nodes.get(id)).filter((one) => one !== undefined);
    }
  };
  const recordOf = (name: string): GeneratedRecord => {
    const record = world.records.find((one) => one.name === name);
    if (record === undefined) throw new Error(`there is no record ${name}`);
    return record;
  };
  for (const record of world.records) {
    for (const row of world.rows[record.name] ?? []) {
      const node = nodes.get(String(row.id));
      if (node !== undefined) link(record, node);
    }
  }
  return {
    of: (_, id) => {
      const node = nodes.get(id);
      if (node === undefined) throw new Error(`there is no row ${id}`);
      return node;
    },
    like: (record, values) => {
      const node: Node = { values, related: {}, many: {} };
      link(recordOf(record), node);
      return node;
    },
  };
}

function idsOf(world: World, { entity, by }: GeneratedRelation, id: string): string[] {
  if (by.kind === "referrer") {
    return (world.rows[entity] ?? []).filter((row) => row[by.field] === id).map((row) => String(row.id));
  }
  const pairs = world.pairs.filter((one) => one.field === by.field);
  return by.kind === "refs"
    ? pairs.filter((one) => one.id === id).map((one) => one.other)
    : pairs.filter((one) => one.other === id).map((one) => one.id);
}

/** The caller; nobody if `user` is null. */
export function callerOf(user: GeneratedUser | null): EvaluationContext["user"] {
  if (user === null) return { id: null, email: null, roles: ["public"] };
  const { id, email, profile, memberships } = user;
  return { id, email, roles: user.roles, profile: { ...profile, name: user.name }, memberships };
}

function idOf(kind: number, at: number): string {
  return `0190f3a1-${kind.toString(16).padStart(4, "0")}-7000-8000-${at.toString(16).padStart(12, "0")}`;
}
