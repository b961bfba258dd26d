// Diagnostics of entities' options and names.
import { type DiagnosticKind, error, listing, warning } from "./kind.ts";

export type EntityCode =
  | "lookalike_name"
  | "invalid_option"
  | "constant_check"
  | "invalid_seed"
  | "cascade_destroys"
  | "reference_circle"
  | "entity_unused"
  | "siblings_unguarded"
  | "children_unguarded"
  | "computed_beyond_reader"
  | "check_beyond_reader"
  | "view_beyond_reader"
  | "transition_beyond_reader";

const owned = (option: string): string =>
  `${listing("")}    soft_delete: true\n  offer:\n${option}    fields: { listing_id: "ref(listing) on_delete(cascade)" }\n`;
const option = (line: string): string => `${listing("price: int?")}    ${line}\n`;

const booked = (option: string): string =>
  `project: demo\nmodules: [auth]\nentities:\n  room:\n    fields: { name: string }\n    permissions: { user: { read: true } }\n  booking:\n${option}    fields: { room_id: ref(room), day: date }\n    permissions:\n      user: { read: true, create: "!record.room.bookings.exists(other, other.day == record.day)" }\n`;

const closed = (option: string): string =>
  `project: demo\nmodules: [auth]\nentities:\n  board:\n    fields: { open: bool }\n    permissions:\n      user: { read: true, create: true, update: "new.open || !old.tasks.exists(task, !task.done)" }\n  task:\n${option}    fields: { board_id: ref(board), done: bool }\n    permissions: { user: { read: true, create: board.open } }\n`;

const totalled = (read: string): string =>
  `project: demo\nmodules: [auth]\nentities:\n  bill:\n    fields:\n      total: computed(lines.sum(l, l.price))\n    permissions: { user: { read: true } }\n  line:\n    fields: { bill_id: ref(bill), price: int }\n    permissions: { user: { read: "${read}", create: true } }\n`;

const priced = (fields: string): string =>
  `project: demo\nmodules: [auth]\nentities:\n  offer:\n    fields: { price: int, cost: int }\n    checks: { covers: price >= cost }\n    permissions:\n      user: { read: { allow: true, fields: [${fields}] }, update: { allow: true, fields: [price] } }\n`;

const ranked = (fields: string): string =>
  `project: demo\nmodules: [auth]\nentities:\n  offer:\n    fields: { title: string, price: int }\n    permissions:\n      user: { read: { allow: true, fields: [${fields}] }, create: true }\nviews:\n  cheapest: { of: offer, sort: [price] }\n`;

const paid = (when: string): string =>
  `project: demo\nmodules: [auth]\nentities:\n  bill:\n    fields:\n      status: enum[open, paid]\n      owner_id: user_ref = current_user.id\n    transitions:\n      status:\n        initial: open\n        pay: { from: open, to: paid, roles: [user]${when} }\n    permissions:\n      owner: { read: owner_id == current_user.id, create: true }\n`;

export const entityDiagnostics: Readonly<Record<EntityCode, DiagnosticKind>> = {
  lookalike_name: error(
    "A name with a letter that looks like one of a to z",
    listing("pr\u0456ce: int"),
    listing("price: int"),
  ),
  invalid_option: error("An option that is not valid", option("retention: 3 months"), option("retention: 90d")),
  constant_check: error(
    "An expression that reads no field of its record",
    option("checks: { always: 1 < 2 }"),
    option("checks: { positive: price > 0 }"),
  ),
  invalid_seed: error(
    "A seed row that can't be created",
    option("seed: [{ price: 1 }]"),
    option("seed: [{ title: Chair, price: 1 }]"),
  ),
  entity_unused: warning(
    "An entity that nobody can use",
    "project: demo\nentities:\n  note:\n    fields: { body: text }\n",
    "project: demo\nentities:\n  note:\n    fields: { body: text }\n    permissions: { admin: { all: true } }\n",
  ),
  siblings_unguarded: warning(
    "A rule over other records that two simultaneous writes can both pass",
    booked(""),
    booked("    lock: room_id\n"),
  ),
  children_unguarded: warning(
    "A rule over a record's children that a simultaneous write of a child can break",
    closed(""),
    closed("    lock: board_id\n"),
  ),
  computed_beyond_reader: warning(
    "A computed field that reveals values which its readers can't read",
    totalled("price < 10"),
    totalled("true"),
  ),
  check_beyond_reader: warning(
    "A check that reveals a field which its writers can't read",
    priced("price"),
    priced("price, cost"),
  ),
  view_beyond_reader: warning(
    "A view that reveals a field which its readers can't read",
    ranked("title"),
    ranked("title, price"),
  ),
  transition_beyond_reader: warning(
    "A transition that roles can take on records which they can't read",
    paid(""),
    paid(", when: owner_id == current_user.id"),
  ),
  reference_circle: error(
    "Required references in a circle",
    listing("parent_id: ref(listing)"),
    listing("parent_id: ref(listing)?"),
  ),
  cascade_destroys: warning(
    "A soft delete that destroys other records for good",
    owned(""),
    owned("    soft_delete: true\n"),
  ),
};
