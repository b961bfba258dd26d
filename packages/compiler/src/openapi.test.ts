import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { entity, field, limited, modelOf, optional, refTo, userRef } from "./sample-model.ts";

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

function resolve(pointer: string): unknown {
  return pointer
    .slice(2)
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

describe("the document", () => {
  test("has an operation for every route", () => {
    for (const route of bundle.routes) {
      const path = route.path.replace(":id", "{id}");
      const item = document.paths[path];
      const operations = item?.$ref === undefined ? item : resolve(item.$ref);
      expect(operations?.[route.method.toLowerCase()], `${route.method} ${path}`).toBeDefined();
    }
  });

  test("refers to nothing that is not there, and holds nothing that nobody refers to", () => {
    const used = new Set<string>();
    for (const [at, node] of nodes(document)) {
      if (typeof node.$ref !== "string") continue;
      expect(resolve(node.$ref), `${at} -> ${node.$ref}`).toBeDefined();
      used.add(node.$ref);
    }
    for (const kind of ["schemas", "parameters", "responses", "requestBodies", "headers"])
      for (const name of Object.keys(document.components[kind])) expect(used).toContain(`#/components/${kind}/${name}`);
  });

  test("names every operation once, with security and the errors every route can have", () => {
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

  test("every example validates against the schema beside it", () => {
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

  test("says nothing of sign-in where the module auth is not listed", () => {
    const { openapi } = compileModel({ ...model, modules: ["users"] });
    expect(JSON.stringify(openapi)).not.toContain("auth/sign");
  });

  test("a plural that is its own singular is served under one name", () => {
    const paths = bundle.routes
      .filter((route) => route.entity === "sheep")
      .map((route) => `${route.method} ${route.path}`);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toHaveLength(10);
  });
});
