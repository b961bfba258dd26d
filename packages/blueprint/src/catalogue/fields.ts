// Diagnostics of entities' fields.
import { type DiagnosticKind, error, listing, warning } from "./kind.ts";

export type FieldCode =
  | "fields_missing"
  | "invalid_field"
  | "unknown_type"
  | "unknown_modifier"
  | "unknown_field"
  | "invalid_enum"
  | "invalid_default"
  | "relation_collision"
  | "field_not_served";

export const fieldDiagnostics: Readonly<Record<FieldCode, DiagnosticKind>> = {
  fields_missing: error(
    "An entity without fields, or with options among its fields",
    "project: demo\nentities:\n  note:\n    text: text\n    permissions:\n      admin: { all: true }\n",
    "project: demo\nentities:\n  note:\n    fields:\n      text: text\n    permissions:\n      admin: { all: true }\n",
  ),
  invalid_field: error("A field's notation can't be read", listing("note: text ? ?"), listing("note: text?")),
  unknown_type: error("A field type that does not exist", listing("price: integer"), listing("price: int")),
  unknown_modifier: error("A modifier that does not exist", listing("sku: string uniq"), listing("sku: string unique")),
  unknown_field: error(
    "A field that does not exist",
    listing("sku: string unique(titel)"),
    listing("sku: string unique(title)"),
  ),
  invalid_enum: error(
    "An enum without values in brackets",
    listing("status: enum(draft, active)"),
    listing("status: enum[draft, active]"),
  ),
  invalid_default: error("A default that the type can't have", listing("price: int = many"), listing("price: int = 1")),
  relation_collision: error(
    "A field has the name of a relation",
    listing("parent: text\nparent_id: ref(listing)?"),
    listing("note: text\nparent_id: ref(listing)?"),
  ),
  field_not_served: warning(
    "A field of a type that is not served yet",
    "project: demo\nmodules: [storage]\nentities:\n  note:\n    text: text\n    picture: file?\n",
    "project: demo\nmodules: [storage]\nentities:\n  note:\n    text: text\n    picture: string?\n",
  ),
};
