// The tables of modules: users with their profile, sessions, the audit log, organizations with their members and
// invitations, counters, events and the runs of workflows. In: the model. Out: data. The audit log is append-only for
// the worker role: no grant allows it to change existing entries.
import { type Model, organizationRoles, userEntity } from "@plinth/blueprint";
import type { Column, ForeignKey, Index, Privilege, Table, Unique } from "@plinth/bundle";
import {
  type Catalog,
  hasOrganizations,
  INVITATIONS_TABLE,
  MEMBERSHIPS_TABLE,
  ORGANIZATIONS_TABLE,
  USERS_TABLE,
} from "../sql/catalog.ts";
import { isStored } from "../sql/column-type.ts";
import { constraintName, quoteIdentifier as q } from "../sql/sql-text.ts";
import { fieldChecksOf } from "./checks.ts";
import { columnOf, foreignKeysOf } from "./columns.ts";
import { indexesOf } from "./indexes.ts";
import { replies } from "./replies-table.ts";
import { tableSearchOf } from "./search.ts";

/** The last number of each counter. If a statement fails, its number is used again. */
export const SEQUENCES_TABLE = "sequences";

const EVENTS_TABLE = "workers__events";
const RUNS_TABLE = "workers__runs";
const STEPS_TABLE = "workers__steps";
const WAITS_TABLE = "workers__waits";

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
    replies,
    ...(hasOrganizations(model) ? [organizations, memberships, invitations] : []),
    ...(counts ? [sequences] : []),
    ...(handsEventsOn(model) ? workTables : []),
  ];
}

function usersOf(model: Model, catalog: Catalog): Table {
  const users = userEntity(model);
  const profile = model.userFields.filter(isStored);
  const uniques = users.uniques.map((columns): Unique => {
    return { name: constraintName(USERS_TABLE, columns, "key"), columns, where: null };
  });
  const search = tableSearchOf(users, model.searchLanguage);
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
    uniques,
    indexes: indexesOf(users, uniques),
    foreignKeys: foreignKeysOf(USERS_TABLE, profile, catalog),
    checks: [
      { name: "users__email__check", columns: ["email"], rule: { kind: "length", min: null, max: 254 } },
      { name: "users__name__check", columns: ["name"], rule: { kind: "length", min: null, max: 255 } },
      ...profile.flatMap((field) => fieldChecksOf(USERS_TABLE, field)),
    ],
    ...(search === null ? {} : { search }),
    privileges: rowPrivileges,
  };
}

/** `family` is a sign-in with its rotations; a token that is used twice ends it. Tokens are stored as hashes. */
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

/** No foreign keys: the log outlives its records. */
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
  indexes: [index("audit_log", "entity", "record_id"), index("audit_log", "request_id")],
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

/** `chosen`: the user's organization for requests that name none; at most one. */
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

/** Only open ones: an invitation that is accepted or revoked is deleted. Its token is stored only as a hash. */
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

/** The events that something listens for. The cell writes it at each switch; statements read it. */
const listeners: Table = {
  name: "workers__listeners",
  columns: [required("event", "text")],
  primaryKey: ["event"],
  uniques: [],
  indexes: [],
  foreignKeys: [],
  checks: [],
  privileges: ["select"],
};

/** Events in order. No foreign keys: an event outlives its record. */
const events: Table = {
  name: EVENTS_TABLE,
  columns: [
    id,
    required("seq", "bigint"),
    required("name", "text"),
    required("at", "timestamptz"),
    optional("entity", "text"),
    optional("record_id", "uuid"),
    optional("organization_id", "uuid"),
    optional("actor_kind", "text"),
    optional("actor_id", "text"),
    optional("request_id", "text"),
    optional("cause", "jsonb"),
    optional("record", "jsonb"),
    optional("old", "jsonb"),
    optional("data", "jsonb"),
  ],
  primaryKey: ["id"],
  uniques: [{ name: constraintName(EVENTS_TABLE, ["seq"], "key"), columns: ["seq"], where: null }],
  indexes: [
    index(EVENTS_TABLE, "at", "id"),
    index(EVENTS_TABLE, "request_id"),
    index(EVENTS_TABLE, "record_id", "seq"),
  ],
  foreignKeys: [],
  checks: [],
  privileges: rowPrivileges,
};

/** One for each workflow and event. `definition` is the release with which the run started; it keeps using it. */
const runs: Table = {
  name: RUNS_TABLE,
  columns: [
    id,
    required("workflow", "text"),
    required("kind", "text"),
    required("definition", "text"),
    optional("event_id", "uuid"),
    /** Runs with the same key run one after the other, by `seq`. */
    optional("order_key", "text"),
    optional("seq", "bigint"),
    required("status", "text"),
    optional("input", "jsonb"),
    optional("output", "jsonb"),
    optional("error", "jsonb"),
    required("depth", "integer", "0"),
    optional("caused_by", "uuid"),
    optional("request_id", "text"),
    optional("actor_kind", "text"),
    optional("actor_id", "text"),
    optional("organization_id", "uuid"),
    /** The caller of an action. Its steps have the caller's rights at the time when they run. */
    optional("caller", "jsonb"),
    /** It grows with each claim: a process with an older number can't write any more. */
    required("fence", "bigint", "0"),
    // Only processes of earlier versions write it. A claim is valid while its process lives.
    optional("lease_until", "timestamptz"),
    required("cancelled", "boolean", "false"),
    createdAt,
    optional("started_at", "timestamptz"),
    optional("ended_at", "timestamptz"),
  ],
  primaryKey: ["id"],
  uniques: [
    {
      name: constraintName(RUNS_TABLE, ["workflow", "event_id"], "key"),
      columns: ["workflow", "event_id"],
      where: null,
    },
  ],
  indexes: [
    index(RUNS_TABLE, "created_at", "id"),
    index(RUNS_TABLE, "event_id"),
    index(RUNS_TABLE, "caused_by"),
    index(RUNS_TABLE, "request_id"),
    index(RUNS_TABLE, "order_key", "seq"),
    /** What ended recently, and what hasn't ended. */
    index(RUNS_TABLE, "ended_at"),
  ],
  foreignKeys: [],
  checks: [],
  privileges: rowPrivileges,
};

/** `path` is the step's id, with the member's number of a `for_each`: `send`, `send/3`, `pay/on_error/refund`. */
const steps: Table = {
  name: STEPS_TABLE,
  columns: [
    required("run_id", "uuid"),
    required("path", "text"),
    required("status", "text"),
    /** The same for all attempts; it is sent to a provider, so that it acts once. */
    required("key", "text"),
    required("attempts", "integer", "0"),
    optional("input", "jsonb"),
    optional("output", "jsonb"),
    optional("error", "jsonb"),
    optional("started_at", "timestamptz"),
    optional("ended_at", "timestamptz"),
    optional("next_at", "timestamptz"),
  ],
  primaryKey: ["run_id", "path"],
  uniques: [],
  indexes: [],
  foreignKeys: [reference(STEPS_TABLE, "run_id", RUNS_TABLE)],
  checks: [],
  privileges: rowPrivileges,
};

const attempts: Table = {
  name: "workers__attempts",
  columns: [
    required("run_id", "uuid"),
    required("path", "text"),
    required("attempt", "integer"),
    required("started_at", "timestamptz"),
    optional("ended_at", "timestamptz"),
    optional("error", "jsonb"),
  ],
  primaryKey: ["run_id", "path", "attempt"],
  uniques: [],
  indexes: [],
  foreignKeys: [reference("workers__attempts", "run_id", RUNS_TABLE)],
  checks: [],
  privileges: rowPrivileges,
};

/** What a run waits for: a time, an event, an approval. */
const waits: Table = {
  name: WAITS_TABLE,
  columns: [
    required("run_id", "uuid"),
    required("path", "text"),
    required("kind", "text"),
    optional("event", "text"),
    /** The member of the event that must equal `wanted`; both are empty for any event. An index uses it. */
    required("member", "text", "''"),
    required("wanted", "text", "''"),
    optional("until", "timestamptz"),
    optional("roles", "text[]"),
    optional("by_self", "boolean"),
    /** The result: the event, or who approved or refused; null while it waits. */
    optional("answer", "jsonb"),
    /** Events with that name that have come since: the run checks them. */
    required("offered", "uuid[]", "'{}'"),
    createdAt,
  ],
  primaryKey: ["run_id", "path"],
  uniques: [],
  indexes: [{ ...index(WAITS_TABLE, "event", "member", "wanted"), where: `${q("answer")} is null` }],
  foreignKeys: [reference(WAITS_TABLE, "run_id", RUNS_TABLE)],
  checks: [],
  privileges: rowPrivileges,
};

const workTables: readonly Table[] = [listeners, events, runs, steps, attempts, waits];

function index(table: string, ...columns: readonly string[]): Index {
  return { name: constraintName(table, columns, "idx"), method: "btree", keys: columns.map(q), where: null };
}

/** Rows of a user or an organization are deleted with it. */
function reference(table: string, column: string, to: string): ForeignKey {
  return { name: constraintName(table, [column], "fkey"), column, table: to, onDelete: "cascade" };
}

function required(name: string, sqlType: string, fallback: string | null = null): Column {
  return { name, sqlType, nullable: false, default: fallback, identity: false };
}

function optional(name: string, sqlType: string): Column {
  return { name, sqlType, nullable: true, default: null, identity: false };
}

export function handsEventsOn({ modules }: Model): boolean {
  return modules.includes("workers") || modules.includes("webhooks");
}
