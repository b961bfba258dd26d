import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import {
  entity,
  field,
  limited,
  literal,
  modelOf,
  optional,
  permission,
  refTo,
  userRef,
} from "../testing/sample-model.ts";

const testdata = path.join(import.meta.dirname, "../testdata");

const model = modelOf(
  entity("thing", {
    fields: [
      limited(field("title", { kind: "string" }), { max: "3" }),
      field("body", { kind: "text" }),
      field("mail", { kind: "email" }),
      field("count", { kind: "int" }),
      field("done", { kind: "bool" }),
      field("at", { kind: "datetime" }),
      field("state", { kind: "enum", values: ["on", "off"] }, { kind: "literal", value: "off" }),
      field("owner", userRef, { kind: "current_user_id" }),
      optional("parent", refTo("thing")),
    ],
  }),
  entity("sheep", { plural: "sheep" }),
);
const bundle = compileModel(model);
// biome-ignore lint/suspicious/noExplicitAny: a document is walked here, not typed
const document = bundle.openapi as any;

/** Every object of the document with the pointer to it. */
function* nodes(value: unknown, at = "#"): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [key, child] of Object.entries(value)) {
    yield* nodes(child, `${at}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
  }
}

function resolve(pointer: string, inside: unknown = document): unknown {
  return pointer
    .slice(2)
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], inside);
}

describe("the document", () => {
  test("has an operation for every route except those under an entity's singular name", () => {
    const aliases = bundle.routes.filter(({ path }) => /^\/v1\/resources\/thing(\/|$)/.test(path));
    expect(aliases.length).toBeGreaterThan(5);
    for (const route of bundle.routes) {
      const key = (route.key ?? []).map((name) => `{${name}}`).join(",");
      const path = route.path.replace(":id", "{id}").replace(":key", key);
      const isTold = document.paths[path]?.[route.method.toLowerCase()] !== undefined;
      expect(isTold, `${route.method} ${path}`).toBe(!aliases.includes(route));
    }
  });

  test("has no path that is a reference, because generators would create a second operation", () => {
    const items = Object.values<Record<string, unknown>>(document.paths);
    expect(items.filter((item) => item.$ref !== undefined)).toEqual([]);
  });

  test("has patterns that need no flag, and that Python accepts", () => {
    const patterns = [...nodes(document)].map(([, node]) => node.pattern).filter((each) => typeof each === "string");
    expect(patterns).toContain("^[^\\x00]*$");
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern), pattern).not.toThrow();
      expect(pattern).not.toMatch(/\\p\{/);
    }
  });

  test("names each tag once, whatever the names of the entities", () => {
    const named = compileModel({
      ...modelOf(entity("project"), entity("email"), entity("auth")),
      modules: ["auth", "users", "workers"],
    });
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked here, not typed
    const { tags, paths } = named.openapi as any;
    const names: string[] = tags.map(({ name }: { name: string }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["project", "service.project"]));
    const ids = Object.values<Record<string, { operationId?: string; tags?: string[] }>>(paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(paths["/v1/batch"].post.tags).toEqual(["service.project"]);
  });

  test("describes what a request expands, without circles", () => {
    const { model: press } = checkBlueprint(
      "project: press\nmodules: [auth, users, roles]\nentities:\n" +
        "  tag: { fields: { name: string }, permissions: { public: { read: true } } }\n" +
        "  post:\n    fields: { title: string, author_id: user_ref?, tags: refs(tag) }\n    permissions: { public: { read: true } }\n" +
        "  comment:\n    fields: { post_id: ref(post), body: text }\n    permissions: { public: { read: true } }\n",
    );
    const { openapi } = compileModel(press ?? expect.fail("it has errors"));
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked here, not typed
    const { post, comment, "post.related": within } = (openapi as any).components.schemas;
    const record = (name: string): unknown => ({ $ref: `#/components/schemas/${name}` });
    const open = { type: "object", additionalProperties: true };
    expect(post.properties.author.anyOf).toEqual([record("User"), { type: "null" }]);
    expect(post.properties.comments).toMatchObject({ type: "array", items: record("comment.related") });
    expect(post.properties.tags.items.anyOf[1]).toEqual(record("tag.related"));
    expect(comment.properties.post.anyOf[0]).toEqual(record("post.related"));
    expect(within.properties.comments).toMatchObject({ type: "array", items: open });
    expect(within.properties.title).toEqual(post.properties.title);
    expect(post.required).not.toContain("comments");
  });

  test("describes the purpose of each operation", () => {
    const { openapi } = compileModel(modelOf(entity("category", { plural: "categories" }), entity("order_line")));
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked here, not typed
    const { paths } = openapi as any;
    expect(paths["/api/categories"].post.summary).toBe("Create a category");
    expect(paths["/api/categories/aggregate"].get.summary).toBe("Totals over categories");
    expect(paths["/api/order_lines/{id}"].patch.summary).toBe("Update an order line");
  });

  test("accepts `where` as a text, which clients don't change", () => {
    const where = document.components.parameters["thing.where"];
    expect(where.content).toBeUndefined();
    expect(where.schema.type).toBe("string");
    expect(JSON.parse(where.example)).toEqual({ id: { is_null: false } });
  });

  test("has no broken and no unused reference", () => {
    const used = new Set<string>();
    for (const [at, node] of nodes(document)) {
      if (typeof node.$ref !== "string") continue;
      expect(resolve(node.$ref), `${at} -> ${node.$ref}`).toBeDefined();
      used.add(node.$ref);
    }
    for (const kind of ["schemas", "parameters", "responses", "requestBodies", "headers"])
      for (const name of Object.keys(document.components[kind])) expect(used).toContain(`#/components/${kind}/${name}`);
  });

  test("has no broken reference in events, whatever their payload", () => {
    const { model } = checkBlueprint(
      "project: shop\nmodules: [auth, users, workers]\nentities: {}\n" +
        'events:\n  order.sent:\n    payload: { note: json?, lines: "list<object{extra: json?}>" }\n',
    );
    const { openapi } = compileModel(model ?? expect.fail("the blueprint has errors"));
    for (const [at, node] of nodes(openapi))
      if (typeof node.$ref === "string") expect(resolve(node.$ref, openapi), `${at} -> ${node.$ref}`).toBeDefined();
    expect(JSON.stringify(openapi)).not.toContain("$defs");
  });

  test("names every operation once, with its security and its possible errors", () => {
    const ids = new Set<string>();
    for (const [path, item] of Object.entries<Record<string, unknown>>(document.paths)) {
      for (const method of ["get", "post", "patch", "put", "delete"]) {
        const operation = item[method] as { operationId: string; responses: object } | undefined;
        if (operation === undefined) continue;
        expect(ids, operation.operationId).not.toContain(operation.operationId);
        ids.add(operation.operationId);
        expect(Object.keys(operation.responses), `${method} ${path}`).toEqual(
          expect.arrayContaining(["401", "429", "503", "default"]),
        );
      }
    }
    expect(document.security).toHaveLength(3);
    expect(ids.size).toBeGreaterThan(25);
  });

  test("has only examples that match their schema", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, "openapi");
    let count = 0;
    for (const [at, node] of nodes(document)) {
      if (node.schema === undefined || node.example === undefined) continue;
      const validate = ajv.compile({ $ref: `openapi${at}/schema` });
      expect(validate(node.example), `${at}: ${JSON.stringify(validate.errors)}`).toBe(true);
      count++;
    }
    expect(count).toBeGreaterThan(20);
  });

  test.each(readdirSync(testdata))("has only examples that match their schema: %s", (name) => {
    const { model } = checkBlueprint(readFileSync(path.join(testdata, name, "blueprint.yaml"), "utf8"));
    const made = JSON.parse(JSON.stringify(model === null ? null : compileModel(model).openapi));
    const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 6 });
    ajv.addSchema(made, "openapi");
    for (const [at, node] of nodes(made)) {
      if (node.schema === undefined || node.example === undefined) continue;
      const validate = ajv.compile({ $ref: `openapi${at}/schema` });
      expect(validate(node.example), `${at}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });

  test("omits a field that nobody can see, and makes a field optional that only some callers see", () => {
    const secret = { ...optional("inner_note", { kind: "text" }), internal: true };
    const shown = compileModel(
      modelOf(
        entity("thing", {
          fields: [
            field("title", { kind: "text" }),
            optional("price", { kind: "int" }),
            optional("cost", { kind: "int" }),
            secret,
          ],
          permissions: [
            permission("public", "read", literal(true), { fields: ["title"] }),
            permission("user", "read", literal(true), { fields: ["title", "price"] }),
          ],
        }),
      ),
    );
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked here, not typed
    const { thing } = (shown.openapi as any).components.schemas;
    expect(Object.keys(thing.properties)).toEqual(["id", "title", "price"]);
    expect(thing.required).toEqual(["id", "title"]);
    expect(JSON.stringify(shown.openapi)).not.toContain("inner_note");
    expect(shown.sdkTypes).not.toContain("inner_note");
    expect(shown.sdkTypes).toContain("price?: number | null;");
  });

  test("contains labels, helps and deprecations", () => {
    const told = {
      ...optional("price", { kind: "decimal", precision: 5, scale: 2 } as const),
      label: "Price",
      help: "Without tax",
      deprecated: "use net",
    };
    const one = compileModel(
      modelOf(entity("thing", { fields: [limited(told, { min: "0.01" })], label: "Thing", help: "What is sold." })),
    );
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked here, not typed
    const { thing } = (one.openapi as any).components.schemas;
    expect(thing.description).toBe("Thing. What is sold.");
    expect(thing.properties.price).toMatchObject({
      deprecated: true,
      description: "Price. Without tax. At least 0.01. Deprecated: use net.",
    });
    expect(one.sdkTypes).toContain("/** Price: Without tax @deprecated use net */");
  });

  test("doesn't mention sign-in without the module auth", () => {
    const { openapi } = compileModel({ ...model, modules: ["users"] });
    expect(JSON.stringify(openapi)).not.toContain("auth/sign");
  });

  test("uses one name if the plural equals the singular", () => {
    const paths = bundle.routes
      .filter((route) => route.entity === "sheep")
      .map((route) => `${route.method} ${route.path}`);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toHaveLength(16);
  });
});
