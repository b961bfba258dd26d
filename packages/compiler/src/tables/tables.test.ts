import { checkBlueprint, checkName, type Entity, type Model } from "@plinth/blueprint";
import { foldedText, type Table } from "@plinth/bundle";
import { describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import {
  entity,
  field,
  limited,
  literal,
  modelWith,
  operation,
  optional,
  path,
  permission,
  refTo,
  userEmail,
  userId,
  userRef,
} from "../testing/sample-model.ts";

function tablesOf(...entities: readonly Entity[]): ReadonlyMap<string, Table> {
  const bundle = compileModel(modelWith({ modules: ["auth", "users", "organizations"], entities }));
  return new Map(bundle.tables.map((table) => [table.name, table]));
}

const keysOf = (table: Table | undefined): readonly string[] =>
  (table?.indexes ?? []).map(
    (index) => `${index.keys.join(" ")}${index.where === null ? "" : ` where ${index.where}`}`,
  );

test("no entity can have the name of a generated table", () => {
  const numbered = entity("numbered", { fields: [field("number", { kind: "sequence", prefix: "" })] });
  const tables = tablesOf(numbered);
  const ours = [...tables.keys()].filter((name) => name !== numbered.plural);
  expect(ours).toHaveLength(8);
  for (const name of ours) expect(checkName(name, "plural")?.code, name).toMatch(/^(?:reserved|invalid)_name$/);
});

test("no many-to-many field can have the name of a generated table", () => {
  const text = (plural: string, field: string): string =>
    `project: demo\nmodules: [auth, users]\nentities:\n  thing:\n    plural: ${plural}\n    fields: { ${field}: "refs(thing)" }\n    permissions: { user: { all: true } }\n`;
  const { model } = checkBlueprint(
    "project: demo\nmodules: [auth, users, roles, organizations, webhooks, workers, audit_logs]\nentities:\n  thing: { fields: { a: string }, permissions: { user: { all: true } } }\n",
  );
  const ours = compileModel(model as Model).tables.map((table) => table.name.split("__"));
  const twoWords = ours.filter((words) => words.length > 1) as [string, string][];
  expect(twoWords).toHaveLength(8);
  for (const [plural, field] of twoWords)
    expect(checkBlueprint(text(plural, field)).diagnostics.map(({ code }) => code)).toContain("reserved_name");
});

test("links between records of one entity have two columns, whatever the field's name", () => {
  for (const name of ["thing", "other"]) {
    const links = field("likes", { kind: "refs", entity: name });
    const join = tablesOf(entity(name, { fields: [links] })).get(`${name}s__likes`);
    expect(new Set(join?.columns.map((column) => column.name)).size).toBe(2);
  }
});

describe("indexes", () => {
  const status = field("status", { kind: "enum", values: ["a", "b"] });

  test("for lists, references and read rules, each once", () => {
    const rule = operation(
      "||",
      operation(
        "&&",
        operation("==", path(status.type as never, "status"), literal("a")),
        operation("==", userEmail, path({ kind: "text" }, "contact")),
      ),
      operation("==", path({ kind: "uuid" }, "owner_id"), userId),
      operation("==", path({ kind: "bool" }, "hot"), literal(true)),
      operation("==", path({ kind: "text" }, "note"), literal(null)),
      operation("!=", path({ kind: "text" }, "other"), literal("x")),
    );
    const one = entity("thing", {
      fields: [
        status,
        field("contact", { kind: "email" }),
        field("owner_id", userRef),
        field("hot", { kind: "bool" }),
        optional("note", { kind: "text" }),
        field("other", { kind: "text" }),
        field("code", refTo("thing")),
      ],
      indexes: [["note", "other"], ["contact"]],
      uniques: [["code", "note"]],
      permissions: [
        permission("public", "read", rule),
        permission("user", "update", operation("==", path({ kind: "text" }, "other"), literal("y"))),
      ],
    });
    expect(keysOf(tablesOf(one).get("things"))).toEqual([
      '"note" "other" "id"',
      '"contact" "id"',
      '"owner_id"',
      '"created_by"',
      '"status" "created_at" "id"',
      '"created_at" "id"',
    ]);
  });

  test("only for live records of an entity with restores; a partial unique rule gives no index for references", () => {
    const one = entity("thing", {
      softDelete: true,
      fields: [field("parent_id", refTo("thing"))],
      uniques: [["parent_id"]],
    });
    const table = tablesOf(one).get("things");
    expect(table?.uniques).toEqual([
      { name: "things__parent_id__key", columns: ["parent_id"], where: '"deleted_at" is null' },
    ]);
    expect(keysOf(table)).toEqual(['"parent_id"', '"created_by"', '"created_at" "id" where "deleted_at" is null']);
  });

  test("one for all searchable fields, with their weights", () => {
    const searched = (name: string, weight: "A" | "D", fuzzy: boolean) => ({
      ...optional(name, { kind: "text" }),
      searchable: true,
      search: { weight, fuzzy },
    });
    const fields = [searched("a", "A", true), searched("b", "D", false)];
    const { tables, entities } = compileModel(
      modelWith({ modules: ["auth", "users"], entities: [entity("thing", { fields })], searchLanguage: "german" }),
    );
    const table = tables.find(({ name }) => name === "things");
    expect(table?.search).toMatchObject({ column: "_search", index: "things__a__b__gin" });
    const value = table?.search?.value ?? "";
    expect(value).toMatch(
      /^\(setweight\(\(select .*to_tsvector\('german'.*left\(concat_ws\(' ', "a"\), 100000\).*, 'A'\) \|\| \(select .*"b"/,
    );
    // The words for the search of mistyped words, only from fuzzy fields.
    const fuzzy = value.slice(value.indexOf("array_to_tsvector(array(select '~' || lexeme"));
    expect([fuzzy.includes('"a"'), fuzzy.includes('"b"')]).toEqual([true, false]);
    expect(table?.indexes.at(-1)).toEqual({
      name: "things__a__b__trgm",
      method: "gin",
      keys: [`(${foldedText(`left(coalesce("a", ''), 200)`)}) "plinth_extensions".gin_trgm_ops`],
      where: null,
    });
    expect(entities.find(({ name }) => name === "thing")?.search).toMatchObject({
      language: "german",
      words: '{record}."_search"',
      similar: `(${foldedText(`left(coalesce({record}."a", ''), 200)`)})`,
    });
  });

  test("one for all searchable fields, whatever their language", () => {
    const searched = (name: string, kind: "text" | "i18n") => ({
      ...optional(name, kind === "text" ? { kind } : { kind, of: { kind: "text" } }),
      searchable: true,
    });
    const { search } =
      tablesOf(entity("thing", { fields: [searched("a", "text"), searched("b", "text"), searched("c", "i18n")] })).get(
        "things",
      ) ?? {};
    const document = `left(concat_ws(' ', "a", "b", (select string_agg(_text, ' ') from jsonb_each_text("c") as _texts(_language, _text))), 100000)`;
    expect(search).toEqual({
      column: "_search",
      index: "things__a__b__c__gin",
      value: `((select to_tsvector('simple', ${foldedText("_written")}) from (select ${document} as _written offset 0) _d))`,
    });
  });
});

describe("checks", () => {
  const rulesOf = (...fields: Parameters<typeof limited>[0][]) =>
    tablesOf(entity("thing", { fields }))
      .get("things")
      ?.checks.map(({ name, rule }) => [name.replace("things__", ""), rule]);

  test("each limit is one check with its own name", () => {
    const tag = { kind: "enum", values: ["a", "b"] } as const;
    expect(
      rulesOf(
        limited(field("s", { kind: "string" }), { min: "2", pattern: "^a" }),
        field("t", { kind: "text" }),
        limited(field("n", { kind: "decimal", precision: 5, scale: 2 }), { min: "0.01" }),
        field("f", { kind: "float" }),
        field("p", { kind: "percent" }),
        limited(field("l", { kind: "list", of: tag }), { max: "3" }),
        field("e", { kind: "enum_set", values: ["x"] }),
        limited(field("d", { kind: "date" }), { max: "2030-01-01" }),
      ),
    ).toEqual([
      ["s__check", { kind: "length", min: 2, max: 255 }],
      ["s__pattern", { kind: "sql", sql: `"s" ~ '^a'` }],
      ["n__check", { kind: "range", min: "0.01", max: null }],
      ["f__finite", { kind: "sql", sql: `"f" > '-infinity' and "f" < 'infinity'` }],
      ["p__check", { kind: "range", min: "0", max: "100" }],
      ["l__check", { kind: "subset_of", values: ["a", "b"] }],
      ["l__size", { kind: "length", min: null, max: 3 }],
      ["e__check", { kind: "subset_of", values: ["x"] }],
      ["d__check", { kind: "range", min: null, max: "2030-01-01" }],
    ]);
  });

  test("a named check reads the row's own columns", () => {
    const condition = operation("<", path({ kind: "int" }, "low"), path({ kind: "int" }, "high"));
    const one = entity("thing", {
      fields: [field("low", { kind: "int" }), field("high", { kind: "int" })],
      checks: [{ name: "in_order", condition }],
    });
    const bundle = compileModel(modelWith({ entities: [one] }));
    expect(bundle.tables.at(-1)?.checks).toEqual([
      { name: "things__in_order__rule", columns: ["low", "high"], rule: { kind: "sql", sql: '("low" < "high")' } },
    ]);
    expect(bundle.entities.at(-1)?.checks).toEqual([
      { name: "things__in_order__rule", message: 'The record must satisfy the check "in order".' },
    ]);
  });
});

describe("tables of modules", () => {
  test("counters exist if something is counted, organizations if the module is listed", () => {
    const counted = entity("invoice", { fields: [field("number", { kind: "sequence", prefix: "R" })] });
    expect(tablesOf(counted).get("sequences")?.primaryKey).toEqual(["name"]);
    expect(tablesOf(entity("thing")).has("sequences")).toBe(false);
    expect(tablesOf(entity("thing")).get("memberships")?.primaryKey).toEqual(["organization_id", "user_id"]);
    const without = compileModel(modelWith({ entities: [entity("thing")] }));
    expect(without.tables.map((table) => table.name)).toEqual([
      "users",
      "sessions",
      "audit_log",
      "idempotency__replies",
      "things",
    ]);
    expect(without.entities.map((one) => one.name)).toEqual(["user", "thing"]);
  });

  test("referrers are listed in the order in which a delete handles them", () => {
    const parts = entity("part", {
      fields: [
        optional("a", { kind: "ref", entity: "thing", onDelete: "cascade" }),
        optional("b", { kind: "ref", entity: "thing", onDelete: "set_null" }),
        field("c", refTo("thing")),
        field("many", { kind: "refs", entity: "thing" }),
      ],
    });
    const bundle = compileModel(modelWith({ entities: [parts, entity("thing")] }));
    expect(bundle.entities.at(-1)?.referrers.map((one) => [one.entity, one.table, one.column, one.onDelete])).toEqual([
      ["part", "parts", "c", "restrict"],
      ["part", "parts", "b", "set_null"],
      ["part", "parts", "a", "cascade"],
      [null, "parts__many", "thing_id", "cascade"],
    ]);
  });

  test("a file has no column, no field and no place in the document", () => {
    const file = { kind: "file", mime: [], maxBytes: null } as const;
    const bundle = compileModel(modelWith({ entities: [entity("thing", { fields: [optional("scan", file)] })] }));
    expect(JSON.stringify(bundle)).not.toContain("scan");
  });
});
