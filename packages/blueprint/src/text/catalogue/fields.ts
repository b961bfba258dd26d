// Diagnostics of entities' fields.
import { type DiagnosticKind, error, listing, topLevel, warning } from "./kind.ts";

export type FieldCode =
  | "fields_missing"
  | "invalid_field"
  | "unknown_type"
  | "unknown_modifier"
  | "misplaced_modifier"
  | "unknown_field"
  | "invalid_enum"
  | "invalid_bound"
  | "invalid_default"
  | "invalid_search"
  | "relation_collision"
  | "service_field"
  | "field_not_served"
  | "required_not_served";

export const fieldDiagnostics: Readonly<Record<FieldCode, DiagnosticKind>> = {
  fields_missing: error(
    "An entity without fields, or with options among its fields",
    "project: demo\nentities:\n  note:\n    text: text\n    permissions:\n      admin: { all: true }\n",
    "project: demo\nentities:\n  note:\n    fields:\n      text: text\n    permissions:\n      admin: { all: true }\n",
  ),
  invalid_field: error("A field's notation is not valid", listing("note: text ? ?"), listing("note: text?")),
  unknown_type: error("A field type that does not exist", listing("price: integer"), listing("price: int")),
  unknown_modifier: error("A modifier that does not exist", listing("sku: string uniq"), listing("sku: string unique")),
  misplaced_modifier: error(
    "A modifier that can't be used on this field",
    listing("price: int searchable"),
    listing("price: int index"),
  ),
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
  invalid_bound: error(
    "A `min`, `max` or `pattern` that is not valid",
    listing("price: { type: int, min: 10, max: 1 }"),
    listing("price: { type: int, min: 1, max: 10 }"),
  ),
  invalid_default: error(
    "A default that is not valid for the type",
    listing("price: int = many"),
    listing("price: int = 1"),
  ),
  invalid_search: error(
    "A language that search does not support",
    topLevel("search:\n  language: germanic"),
    topLevel("search:\n  language: german"),
  ),
  relation_collision: error(
    "Two members of an entity with the same name",
    `${listing("")}  message:\n    sender_id: ref(listing)\n    recipient_id: ref(listing)\n`,
    `${listing("")}  message:\n    sender_id: ref(listing) as(sent_messages)\n    recipient_id: ref(listing)\n`,
  ),
  service_field: error(
    "A field of the service, declared with another type",
    listing("created_at: date"),
    listing("created_at: datetime"),
  ),
  field_not_served: warning(
    "A field type that isn't available yet",
    "project: demo\nmodules: [storage]\nentities:\n  note:\n    text: text\n    picture: file?\n",
    "project: demo\nmodules: [storage]\nentities:\n  note:\n    text: text\n    picture: string?\n",
  ),
  required_not_served: error(
    "A required field of a type that isn't available yet",
    "project: demo\nmodules: [storage]\nentities:\n  note:\n    text: text\n    picture: file\n",
    "project: demo\nmodules: [storage]\nentities:\n  note:\n    text: text\n    picture: string\n",
  ),
};
