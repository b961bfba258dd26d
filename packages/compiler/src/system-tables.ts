// The tables that every project has: its users, their sessions, its audit log. Out: data, the same for all.
// The audit log is append-only for the worker role: no grant lets it change what it wrote.
import type { Column, Table } from "@plinth/bundle";

const id = required("id", "uuid");
const version = required("version", "integer", "1");
const createdAt = required("created_at", "timestamptz", "now()");
const updatedAt = required("updated_at", "timestamptz", "now()");

const users: Table = {
  name: "users",
  columns: [
    id,
    required("email", "text"),
    optional("name", "text"),
    optional("password_hash", "text"),
    required("roles", "text[]", "'{}'"),
    createdAt,
    updatedAt,
    version,
  ],
  uniques: [{ name: "users__email__key", columns: ["email"] }],
  indexes: [{ name: "users__created_at__id__idx", columns: ["created_at", "id"] }],
  foreignKeys: [],
  checks: [
    { name: "users__email__check", column: "email", rule: { kind: "max_length", max: 254 } },
    { name: "users__name__check", column: "name", rule: { kind: "max_length", max: 255 } },
  ],
  privileges: ["select", "insert", "update", "delete"],
};

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
  uniques: [{ name: "sessions__refresh_hash__key", columns: ["refresh_hash"] }],
  indexes: [
    { name: "sessions__user_id__idx", columns: ["user_id"] },
    { name: "sessions__family__idx", columns: ["family"] },
  ],
  foreignKeys: [{ name: "sessions__user_id__fkey", column: "user_id", table: "users", onDelete: "cascade" }],
  checks: [],
  privileges: ["select", "insert", "update", "delete"],
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
  uniques: [],
  indexes: [{ name: "audit_log__entity__record_id__idx", columns: ["entity", "record_id"] }],
  foreignKeys: [],
  checks: [],
  privileges: ["select", "insert"],
};

export const systemTables: readonly Table[] = [users, sessions, auditLog];

function required(name: string, sqlType: string, fallback: string | null = null): Column {
  return { name, sqlType, nullable: false, default: fallback, identity: false };
}

function optional(name: string, sqlType: string): Column {
  return { name, sqlType, nullable: true, default: null, identity: false };
}
