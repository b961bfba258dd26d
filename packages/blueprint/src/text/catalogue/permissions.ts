// Diagnostics of permissions, transitions, named rules, profile fields and limits.
import { type DiagnosticKind, error, listing, topLevel, warning } from "./kind.ts";

export type PermissionCode =
  | "unknown_operation"
  | "invalid_rule"
  | "permission_twice"
  | "owner_without_user"
  | "option_not_applicable"
  | "field_not_writable"
  | "field_not_readable"
  | "rule_always_true"
  | "rule_trusts_caller"
  | "all_users_readable"
  | "rule_never_true"
  | "named_rule_unused"
  | "restore_without_soft_delete"
  | "unknown_transition"
  | "invalid_transition"
  | "unreachable_state"
  | "invalid_event_name"
  | "profile_field_required"
  | "invalid_limit";

const stated = "status: enum[draft, active, sold]\nprice: int?";

/** A listing with these permissions of one role. */
function granted(role: string, lines: string): string {
  return `${listing(stated)}    permissions:\n      ${role}:\n        ${lines}\n`;
}

/** A project whose users can read each other with this permission. */
function usersRead(rule: string): string {
  return `project: demo\nmodules: [auth, users, roles, organizations]\nusers:\n  permissions:\n    user: { read: ${rule} }\nentities:\n  note:\n    fields: { body: text }\n    permissions: { user: { read: true } }\n`;
}

/** A listing whose `status` has these transitions. */
function moving(edges: readonly string[], permission = ""): string {
  const machine = ["initial: draft", ...edges].map((line) => `        ${line}\n`).join("");
  return `${listing(stated)}    transitions:\n      status:\n${machine.replace(/^ {8}/gm, "        ")}${permission}`;
}

const publish = "publish: { from: draft, to: active }";
const sell = "sell: { from: active, to: sold }";

export const permissionDiagnostics: Readonly<Record<PermissionCode, DiagnosticKind>> = {
  unknown_operation: error(
    "An operation that does not exist",
    granted("public", "write: true"),
    granted("public", "update: true"),
  ),
  invalid_rule: error(
    "A rule that is neither true, false nor an expression",
    granted("public", "read: []"),
    granted("public", "read: [status == active, price > 1]"),
  ),
  permission_twice: error(
    "Permissions of one role on one entity in two places",
    `${granted("public", "read: true")}permissions:\n  listing:\n    public: { create: true }\n`,
    `${granted("public", "read: true")}permissions:\n  listing:\n    user: { create: true }\n`,
  ),
  owner_without_user: error(
    "A rule of `owner` that does not look at the user",
    granted("owner", "read: true"),
    granted("owner", "read: created_by == current_user.id"),
  ),
  option_not_applicable: error(
    "An option that has no effect on this operation",
    granted("user", "delete: { allow: true, limit: 10 }"),
    granted("user", "read: { allow: true, limit: 10 }"),
  ),
  field_not_writable: error(
    "A field that no caller can write",
    granted("user", "create: { allow: true, fields: [title, created_at] }"),
    granted("user", "create: { allow: true, fields: [title, price] }"),
  ),
  field_not_readable: error(
    "A field that never leaves the service",
    `${listing("notes: text? internal")}    permissions:\n      user:\n        read: { allow: true, fields: [title, notes] }\n`,
    `${listing("notes: text? internal")}    permissions:\n      user:\n        read: { allow: true, fields: [title] }\n`,
  ),
  rule_always_true: warning(
    "A rule that is true for every record",
    granted("user", "read: status == active || status != active"),
    granted("user", "read: status == active || status == sold"),
  ),
  rule_trusts_caller: warning(
    "A rule that users can pass by changing their own profile",
    `users: { fields: { staff: bool = false } }\n${granted("user", "read: current_user.staff")}`,
    `users: { fields: { staff: bool writable(admin) = false } }\n${granted("user", "read: current_user.staff")}`,
  ),
  all_users_readable: warning(
    "A rule on users that lets members of an organization read all users",
    usersRead("member(current_org)"),
    usersRead("true"),
  ),
  rule_never_true: warning(
    "A rule that is never true",
    granted("user", "read: status == active && status == sold"),
    granted("user", "read: status == active || status == sold"),
  ),
  named_rule_unused: warning(
    "A named rule that no rule uses",
    `${granted("user", "read: true")}rules:\n  mine: created_by == current_user.id\n`,
    `${granted("user", "read: mine")}rules:\n  mine: created_by == current_user.id\n`,
  ),
  restore_without_soft_delete: error(
    "A restore for records that are deleted for good",
    `${listing("")}    permissions:\n      user: { restore: created_by == current_user.id }\n`,
    `${listing("")}    soft_delete: true\n    permissions:\n      user: { restore: created_by == current_user.id }\n`,
  ),
  unknown_transition: error(
    "A transition that does not exist",
    moving([publish, sell], '    permissions:\n      user: { "transition:publsh": true }\n'),
    moving([publish, sell], '    permissions:\n      user: { "transition:publish": true }\n'),
  ),
  invalid_transition: error(
    "A transition that is not valid",
    moving([publish, sell, "stay: { from: sold, to: sold }"]),
    moving([publish, sell, "reopen: { from: sold, to: active }"]),
  ),
  unreachable_state: warning("A state that no transition leads to", moving([publish]), moving([publish, sell])),
  invalid_event_name: error(
    "An event with a wrong form of name",
    moving([publish, "sell: { from: active, to: sold, emit: sold }"]),
    moving([publish, "sell: { from: active, to: sold, emit: listing.was_sold }"]),
  ),
  profile_field_required: error(
    "A required profile field that sign-up does not ask for",
    topLevel("users:\n  fields:\n    nickname: string"),
    topLevel("users:\n  fields:\n    nickname: string?"),
  ),
  invalid_limit: error(
    "A limit that is too small or too large",
    topLevel("api:\n  page_max: 100000"),
    topLevel("api:\n  page_max: 200"),
  ),
};
