// A small schema for the tests of this package.
import type { FieldSchema, RecordSchema, Schema } from "./schema.ts";
import type { Type } from "./tree.ts";

const status: Type = { kind: "enum", values: ["draft", "active", "new", "sold"] };

function plain(type: Type): FieldSchema {
  return { type, refersTo: null };
}

function reference(refersTo: string): FieldSchema {
  return { type: { kind: "uuid" }, refersTo };
}

export const sampleSchema: Schema = {
  organizationRoles: ["owner", "admin", "member"],
  rules: new Map(),
  grants: () => new Map(),
  roles: ["public", "user", "owner", "admin", "support"],
  records: new Map<string, RecordSchema>([
    [
      "listing",
      {
        name: "listing",
        fields: new Map<string, FieldSchema>([
          ["id", plain({ kind: "uuid" })],
          ["title", plain({ kind: "text" })],
          ["price", plain({ kind: "int" })],
          ["published", plain({ kind: "bool" })],
          ["status", plain(status)],
          ["sold", plain(status)],
          ["package", plain({ kind: "text" })],
          ["created_at", plain({ kind: "datetime" })],
          ["created_by", reference("user")],
          ["shop_id", reference("shop")],
        ]),
        relations: new Map(),
      },
    ],
    [
      "shop",
      {
        name: "shop",
        fields: new Map<string, FieldSchema>([
          ["id", plain({ kind: "uuid" })],
          ["namespace", plain({ kind: "text" })],
          ["open", plain({ kind: "bool" })],
          ["owner_id", reference("user")],
          ["parent_id", reference("shop")],
        ]),
        relations: new Map(),
      },
    ],
  ]),
};
