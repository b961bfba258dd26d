// The tables that modules bring: users with their profile, sessions, the audit log, organizations with their members and
// invitations, counters.
// In: the model. Out: data. The audit log is append-only for the worker role: no grant lets it change what it wrote.
import type { Model } from "@plinth/blueprint";
import type { Column, ForeignKey, Index, Privilege, Table } from "@plinth/bundle";
import {
  type Catalog,
  hasOrganizations,
  INVITATIONS_TABLE,
  MEMBERSHIPS_TABLE,
  ORGANIZATIONS_TABLE,
  organizationRoles,
  USERS_TABLE,
} from "./catalog.ts";
import { fieldChecksOf } from "./checks.ts";
import { isStored } from "./column-type.ts";
import { columnOf, foreignKeysOf } from "./columns.ts";
import { constraintName, quoteIdentifier as q } from "./sql-text.ts";

/** Holds the last number of each counter, so that a number that a failed statement took is taken again. */
export const SEQUENCES_TABLE = "sequences";

const rowPrivileges: readonly Privilege[] = ["select", "insert", "update", "delete"];
const id = required("id", "uuid");
const version = required("version", "integer", "1");
const createdAt = required("created_at", "timestamptz", "now()");
const updatedAt = required("updated_at", "timestamptz", "now()");

export function systemTablesOf(model: Model, catalog: Catalog): readonly Table[] {
  const counts = model.entities.some((entity) => entity.fields.some((field) => field.type.kind === "sequence"));
  return [
    usersOf(model, catalog),
    sessions,
    auditLog,
    ...(hasOrganizations(model) ? [organizations, memberships, invitations] : []),
    ...(counts ? [sequences] : []),
  ];
}

function usersOf({ userFields }: Model, catalog: Catalog): Table {
  const profile = userFields.filter(isStored);
  const references = foreignKeysOf(USERS_TABLE, profile, catalog);
  return {
    name: USERS_TABLE,
    columns: [
      id,
      required("email", "text"),
      optional("name", "text"),
      optional("password_hash", "text"),
      required("roles", "text[]", "'{}'"),
      ...profile.map(columnOf),
      createdAt,
      updatedAt,
      version,
    ],
    primaryKey: ["id"],
    uniques: [{ name: "users__email__key", columns: ["email"], where: null }],
    indexes: [...references.map(({ column }) => index(USERS_TABLE, column)), index(USERS_TABLE, "created_at", "id")],
    foreignKeys: references,
    checks: [
      { name: "users__email__check", columns: ["email"], rule: { kind: "length", min: null, max: 254 } },
      { name: "users__name__check", columns: ["name"], rule: { kind: "length", min: null, max: 255 } },
      ...profile.flatMap((field) => fieldChecksOf(USERS_TABLE, field)),
    ],
    privileges: rowPrivileges,
  };
}

/** `family` ties a sign-in to all its rotations; a token used twice ends the family. Tokens stand as hashes only. */
const sessions: Table = {
  name: "sessions",
  columns: [
    id,
    required("user_id", "uuid"),
    required("family", "uuid"),
    required("refresh_hash", "text"),
    optional("parent", "uuid"),
    createdAt,
    optional("used_at", "timestamptz"),
    optional("revoked_at", "timestamptz"),
    required("expires_at", "timestamptz"),
    optional("user_agent", "text"),
    optional("ip", "text"),
  ],
  primaryKey: ["id"],
  uniques: [{ name: "sessions__refresh_hash__key", columns: ["refresh_hash"], where: null }],
  indexes: [index("sessions", "user_id"), index("sessions", "family")],
  foreignKeys: [reference("sessions", "user_id", USERS_TABLE)],
  checks: [],
  privileges: rowPrivileges,
};

/** No foreign keys: the log outlives what it tells of. */
const auditLog: Table = {
  name: "audit_log",
  columns: [
    { name: "id", sqlType: "bigint", nullable: false, default: null, identity: true },
    required("at", "timestamptz", "now()"),
    optional("request_id", "text"),
    optional("actor_kind", "text"),
    optional("actor_id", "text"),
    optional("operation", "text"),
    optional("entity", "text"),
    optional("record_id", "uuid"),
    optional("changes", "jsonb"),
  ],
  primaryKey: ["id"],
  uniques: [],
  indexes: [index("audit_log", "entity", "record_id")],
  foreignKeys: [],
  checks: [],
  privileges: ["select", "insert"],
};

const organizations: Table = {
  name: ORGANIZATIONS_TABLE,
  columns: [id, required("name", "text"), createdAt, updatedAt, version],
  primaryKey: ["id"],
  uniques: [],
  indexes: [index(ORGANIZATIONS_TABLE, "created_at", "id")],
  foreignKeys: [],
  checks: [{ name: "organizations__name__check", columns: ["name"], rule: { kind: "length", min: 1, max: 255 } }],
  privileges: rowPrivileges,
};

/** `chosen`: the organization that the user acts in where a request names none; one at most. */
const memberships: Table = {
  name: MEMBERSHIPS_TABLE,
  columns: [
    required("organization_id", "uuid"),
    required("user_id", "uuid"),
    required("role", "text"),
    required("chosen", "boolean", "false"),
    createdAt,
  ],
  primaryKey: ["organization_id", "user_id"],
  uniques: [{ name: constraintName(MEMBERSHIPS_TABLE, ["chosen"], "key"), columns: ["user_id"], where: q("chosen") }],
  indexes: [index(MEMBERSHIPS_TABLE, "user_id", "organization_id")],
  foreignKeys: [
    reference(MEMBERSHIPS_TABLE, "organization_id", ORGANIZATIONS_TABLE),
    reference(MEMBERSHIPS_TABLE, "user_id", USERS_TABLE),
  ],
  checks: [
    { name: "memberships__role__check", columns: ["role"], rule: { kind: "one_of", values: organizationRoles } },
  ],
  privileges: rowPrivileges,
};

/** Open ones alone: an invitation that is accepted or revoked is deleted. Its token is stored as a hash only. */
const invitations: Table = {
  name: INVITATIONS_TABLE,
  columns: [
    id,
    required("organization_id", "uuid"),
    required("email", "text"),
    required("role", "text"),
    required("token_hash", "text"),
    required("invited_by", "uuid"),
    createdAt,
    required("expires_at", "timestamptz"),
  ],
  primaryKey: ["id"],
  uniques: [{ name: constraintName(INVITATIONS_TABLE, ["token_hash"], "key"), columns: ["token_hash"], where: null }],
  indexes: [index(INVITATIONS_TABLE, "organization_id"), index(INVITATIONS_TABLE, "invited_by")],
  foreignKeys: [
    reference(INVITATIONS_TABLE, "organization_id", ORGANIZATIONS_TABLE),
    reference(INVITATIONS_TABLE, "invited_by", USERS_TABLE),
  ],
  checks: [
    {
      name: constraintName(INVITATIONS_TABLE, ["email"], "check"),
      columns: ["email"],
      rule: { kind: "length", min: null, max: 254 },
    },
    {
      name: constraintName(INVITATIONS_TABLE, ["role"], "check"),
      columns: ["role"],
      rule: { kind: "one_of", values: organizationRoles },
    },
  ],
  privileges: rowPrivileges,
};

const sequences: Table = {
  name: SEQUENCES_TABLE,
  columns: [required("name", "text"), required("value", "bigint", "0")],
  primaryKey: ["name"],
  uniques: [],
  indexes: [],
  foreignKeys: [],
  checks: [],
  privileges: ["select", "insert", "update"],
};

function index(table: string, ...columns: readonly string[]): Index {
  return { name: constraintName(table, columns, "idx"), method: "btree", keys: columns.map(q), where: null };
}

/** What belongs to a user or an organization goes with it. */
function reference(table: string, column: string, to: string): ForeignKey {
  return { name: constraintName(table, [column], "fkey"), column, table: to, onDelete: "cascade" };
}

function required(name: string, sqlType: string, fallback: string | null = null): Column {
  return { name, sqlType, nullable: false, default: fallback, identity: false };
}

function optional(name: string, sqlType: string): Column {
  return { name, sqlType, nullable: true, default: null, identity: false };
}
