// Diagnostics of keys, sections, modules, roles, names and permissions.
import { type DiagnosticKind, error, listing, topLevel, warning } from "./kind.ts";

export type StructureCode =
  | "unknown_key"
  | "wrong_kind"
  | "missing_key"
  | "not_supported_yet"
  | "too_many"
  | "section_not_served"
  | "module_not_served"
  | "module_missing"
  | "unknown_module"
  | "duplicate_value"
  | "invalid_name"
  | "reserved_name"
  | "entity_not_singular"
  | "plural_collision"
  | "builtin_role"
  | "unknown_role"
  | "role_cycle"
  | "unknown_entity";

export const structureDiagnostics: Readonly<Record<StructureCode, DiagnosticKind>> = {
  unknown_key: error("A key that the language does not have", topLevel("role: {}"), topLevel("roles: {}")),
  wrong_kind: error(
    "A map, list or text in the wrong place",
    "project: demo\nmodules: auth\n",
    "project: demo\nmodules: [auth]\n",
  ),
  missing_key: error("A missing key", "modules: [auth]\n", "project: demo\nmodules: [auth]\n"),
  not_supported_yet: error(
    "A part of the language that isn't available yet",
    topLevel("users:\n  fields:\n    nickname: string? fill(name)"),
    topLevel("users:\n  fields:\n    nickname: string?"),
  ),
  too_many: error("More of something than the service accepts", listing(manyValues(201)), listing(manyValues(200))),
  section_not_served: warning(
    "A section that isn't available yet",
    topLevel("integrations:\n  pay: { kind: payment, provider: stripe }"),
    topLevel(""),
  ),
  module_not_served: warning(
    "A module that isn't available yet",
    "project: demo\nmodules: [storage]\n",
    "project: demo\nmodules: [auth]\n",
  ),
  module_missing: error(
    "A section or type whose module is not listed",
    "project: demo\nentities:\n  note:\n    writer_id: user_ref\n",
    "project: demo\nmodules: [auth]\nentities:\n  note:\n    writer_id: user_ref\n",
  ),
  unknown_module: error(
    "A module that does not exist",
    "project: demo\nmodules: [oauth]\n",
    "project: demo\nmodules: [auth]\n",
  ),
  duplicate_value: error(
    "A value that is listed twice",
    listing("status: enum[draft, draft]"),
    listing("status: enum[draft, active]"),
  ),
  invalid_name: error("A name that is not valid", listing("askingPrice: int"), listing("asking_price: int")),
  reserved_name: error("A name that is already used", listing("version: text"), listing("edition: text")),
  entity_not_singular: warning(
    "An entity's name looks like a plural",
    "project: demo\nentities:\n  listings:\n    title: string\n",
    "project: demo\nentities:\n  listing:\n    title: string\n",
  ),
  plural_collision: error(
    "Two entities with the same plural",
    "project: demo\nentities:\n  person:\n    name: string\n  human:\n    plural: people\n    fields:\n      name: string\n",
    "project: demo\nentities:\n  person:\n    name: string\n  human:\n    plural: humans\n    fields:\n      name: string\n",
  ),
  builtin_role: error(
    "A role that already exists",
    topLevel("roles:\n  owner: { inherits: user }"),
    topLevel("roles:\n  seller: { inherits: user }"),
  ),
  unknown_role: error(
    "A role that does not exist",
    topLevel("permissions:\n  listing:\n    adimn: { read: true }"),
    topLevel("permissions:\n  listing:\n    admin: { read: true }"),
  ),
  role_cycle: error(
    "A role that inherits itself",
    topLevel("roles:\n  seller: { inherits: seller }"),
    topLevel("roles:\n  seller: { inherits: user }"),
  ),
  unknown_entity: error(
    "An entity that does not exist",
    listing("seller_id: ref(sellar)"),
    `${listing("seller_id: ref(seller)")}  seller:\n    name: string\n`,
  ),
};

function manyValues(count: number): string {
  return `code: enum[${Array.from({ length: count }, (_, i) => `v${i}`).join(", ")}]`;
}
