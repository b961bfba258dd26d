// A small schema for the tests of this package: a shop's listings, their comments, users and organizations.
import type { FieldSchema, RecordSchema, Schema } from "../schema.ts";
import type { Expression, Type } from "../tree.ts";

const status: Type = { kind: "enum", values: ["draft", "active", "new", "sold"] };
const text: Type = { kind: "text" };

function plain(type: Type): FieldSchema {
  return { type, refersTo: null };
}

function object(members: Readonly<Record<string, FieldSchema>>): FieldSchema {
  return { ...plain({ kind: "opaque", name: "object" }), members: new Map(Object.entries(members)) };
}

function reference(refersTo: string): FieldSchema {
  return { type: { kind: "uuid" }, refersTo };
}

function record(
  name: string,
  fields: Readonly<Record<string, FieldSchema>>,
  relations: Readonly<Record<string, string>> = {},
): [string, RecordSchema] {
  return [
    name,
    {
      name,
      fields: new Map(Object.entries({ id: plain({ kind: "uuid" }), ...fields, version: plain({ kind: "int" }) })),
      relations: new Map(Object.entries(relations).map(([relation, other]) => [relation, { record: other }])),
    },
  ];
}

export const sampleSchema: Schema = {
  roles: ["public", "user", "owner", "admin", "support"],
  organizationRoles: ["owner", "admin", "member"],
  rules: new Map(),
  grants: () => new Map<string, Expression>(),
  records: new Map([
    record(
      "listing",
      {
        title: plain(text),
        price: plain({ kind: "int" }),
        amount: plain({ kind: "decimal" }),
        ratio: plain({ kind: "float" }),
        published: plain({ kind: "bool" }),
        status: plain(status),
        sold: plain(status),
        package: plain(text),
        tags: plain({ kind: "list", of: text }),
        flags: plain({ kind: "list", of: status }),
        counts: plain({ kind: "list", of: { kind: "int" } }),
        details: plain({ kind: "opaque", name: "json" }),
        address: object({
          city: plain(text),
          floor: plain({ kind: "int" }),
          kind: plain(status),
          since: plain({ kind: "opaque", name: "date" }),
          place: object({ lat: plain({ kind: "float" }) }),
        }),
        due_on: plain({ kind: "date" }),
        opens_at: plain({ kind: "time" }),
        length: plain({ kind: "duration" }),
        created_at: plain({ kind: "datetime" }),
        created_by: reference("user"),
        shop_id: reference("shop"),
        org_id: reference("organization"),
      },
      { comments: "comment" },
    ),
    record(
      "shop",
      {
        namespace: plain(text),
        open: plain({ kind: "bool" }),
        owner_id: reference("user"),
        parent_id: reference("shop"),
        auditor_id: reference("auditor"),
      },
      { listings: "listing", children: "shop" },
    ),
    record(
      "comment",
      {
        body: plain(text),
        hidden: plain({ kind: "bool" }),
        stars: plain({ kind: "int" }),
        author_id: reference("user"),
        listing_id: reference("listing"),
        parent_id: reference("comment"),
      },
      { replies: "comment" },
    ),
    record("user", {
      email: plain(text),
      name: plain(text),
      plan: plain({ kind: "enum", values: ["free", "pro"] }),
      age: plain({ kind: "int" }),
      home_id: reference("shop"),
    }),
    record("organization", { name: plain(text) }),
  ]),
};
