import { checkBlueprint, type Model } from "@plinth/blueprint";
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { type Proposed, proposeChange } from "./propose.ts";

function modelOf(fields: string, permissions = "", more = ""): Model {
  const text = `project: sample
modules: [auth, users, roles, webhooks, workers]
${more}
entities:
  listing:
    fields:
${fields.replace(/^/gm, "      ")}
    permissions:
      admin: { all: true }
${permissions.replace(/^/gm, "      ")}
`;
  const { model, diagnostics } = checkBlueprint(text);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (model === null) throw new Error("no model");
  return model;
}

function propose(before: Model | null, after: Model, author: "person" | "ai" = "person"): Proposed {
  const live = before === null ? null : { model: before, bundle: compileModel(before) };
  return proposeChange({ before: live, after, setAside: [], tag: "t1", author });
}

describe("a proposal", () => {
  test("for a first model needs no consent", () => {
    const { changes, plan, refused, consents } = propose(null, modelOf("title: string"));
    expect([refused, consents]).toEqual([[], []]);
    expect(changes.length).toBeGreaterThan(0);
    expect(plan.steps.length).toBeGreaterThan(3);
  });

  test("for a first model needs no consent for what it grants, but one for each part that sends data out", () => {
    const hooks = "webhooks:\n  out: { events: [listing.created] }";
    const call = "workers:\n  label: { on: listing.created, http: { url: 'https://shop.example/labels' } }";
    const { changes, consents } = propose(null, modelOf("title: string", "public: { all: true }", `${hooks}\n${call}`));
    expect(changes.find(({ path }) => path === "workers.label")?.summary).toContain(
      "now reach `https://shop.example/labels`",
    );
    expect(consents).toEqual(["widens_egress webhooks.out", "widens_egress workers.label"]);
  });

  test("from an AI that touches the protected core is refused, and nothing is planned", () => {
    const before = modelOf("title: string\nactive: bool = false", "public: { read: active }");
    const after = modelOf("title: string\nactive: bool = false\nnote: text?", "public: { read: true }");
    const { plan, refused, consents } = propose(before, after, "ai");
    expect(refused.map(({ path }) => path)).toEqual(["listing.permissions.public.read"]);
    expect(refused[0]?.reason).toMatch(/Only a person can propose that\.$/);
    expect(plan.steps).toEqual([]);
    expect(consents).toContain("protected_core listing.permissions.public.read");
    expect(propose(before, after).plan.steps).not.toEqual([]);
  });

  test("updates the indexes of older versions while the release serves", () => {
    const model = modelOf("title: string");
    const bundle = compileModel(model);
    const tables = bundle.tables.map((table) =>
      table.name === "audit_log"
        ? { ...table, indexes: table.indexes.filter(({ name }) => !name.includes("request_id")) }
        : table,
    );
    const { plan } = proposeChange({
      before: { model, bundle: { ...bundle, tables } },
      after: model,
      setAside: [],
      tag: "t1",
      author: "person",
    });
    expect(plan.steps).toMatchObject([
      { class: "online", phase: "before", table: "audit_log", sql: expect.stringContaining("concurrently") },
    ]);
  });

  test("for the live version is empty", () => {
    const model = modelOf("title: string\nnote: text?");
    const { changes, plan, refused, consents } = propose(model, model);
    expect({ changes, plan, refused, consents }).toEqual({
      changes: [],
      plan: { steps: [] },
      refused: [],
      consents: [],
    });
  });

  test("names each required consent once", () => {
    const before = modelOf("title: string\nnote: text?");
    const { plan, consents } = propose(before, modelOf("title: string"));
    expect(consents).toEqual(["breaking listing.note", "destructive listing.note"]);
    expect(plan.steps.map((step) => step.kind)).toContain("set_aside");
  });

  test("names the field of JSON that gets members, not the common schema of JSON", () => {
    const { consents } = propose(modelOf("billing: json"), modelOf('billing: "object{plan: string}"'));
    expect(consents).toEqual(["breaking listing.billing"]);
  });

  test("reports fewer readable fields once, for the permission", () => {
    const read = (fields: string): string => `public: { read: { allow: true, fields: [${fields}] } }`;
    const before = modelOf("title: string\nnote: text?", read("title, note"));
    const { consents } = propose(before, modelOf("title: string\nnote: text?", read("title")));
    expect(consents).toEqual(["breaking listing.permissions.public.read"]);
  });

  test("reports a change of the document that no change of the model explains", () => {
    const before = modelOf("title: string");
    // The singular was an alias of the route, and is now the plural of another entity.
    const ad = { ...before.entities[0]!, name: "ad", plural: "listing" };
    const { changes, consents } = propose(before, { ...before, entities: [...before.entities, ad] });
    expect(consents).toEqual(["breaking api./v1/resources/listing"]);
    expect(changes.at(-1)).toMatchObject({ kind: "api_contract_changed", classes: ["breaking"] });
  });

  test("names the field of a relation, not the records that it expands to", () => {
    const blueprint = (fields: string): Model => {
      const comment = `\n  comment:\n    fields: { ${fields} }\n    permissions: { admin: { all: true } }`;
      const user = "\n  listing:\n    fields: { title: string }\n    permissions: { admin: { all: true } }";
      const head = "project: sample\nmodules: [auth, users, roles]\nentities:";
      return checkBlueprint(`${head}${user}${fields === "" ? "" : comment}\n`).model ?? expect.fail("it has errors");
    };
    const before = blueprint("listing_id: ref(listing)?, body: text, author_id: user_ref?");
    const consents = (fields: string): readonly string[] => propose(before, blueprint(fields)).consents;
    expect(consents("listing_id: ref(listing)?, body: text")).toEqual([
      "breaking comment.author_id",
      "destructive comment.author_id",
    ]);
    expect(consents("body: text, author_id: user_ref?")).toEqual([
      "breaking comment.listing_id",
      "destructive comment.listing_id",
    ]);
    expect(consents("")).toEqual(["breaking comment", "destructive comment"]);
  });

  test("with a rename moves the column, and is breaking once", () => {
    const before = modelOf("title: string\nnote: text?");
    const { plan, consents } = propose(before, modelOf("title: string\nremark: text? was(note)"));
    expect(plan.steps.map((step) => step.kind)).toEqual(plan.steps.map(() => "statement"));
    expect(consents).toEqual(["breaking listing.remark"]);
  });

  test("that makes a field secret, or a secret field plain, is refused by both checks", () => {
    const [open, secret] = [modelOf("token: string?"), modelOf("token: secret?")];
    for (const { refused, changes, plan } of [propose(open, secret), propose(secret, open)]) {
      expect(refused.map(({ path }) => path)).toEqual(["listings.token", "listing.token"]);
      expect(changes[0]?.classes).toContain("unsupported");
      expect(plan.steps).toEqual([]);
    }
  });

  test("has separate consents for loosened access and for the protected core", () => {
    const before = modelOf("title: string\nactive: bool = false", "public: { read: active }");
    const { consents } = propose(before, modelOf("title: string\nactive: bool = false", "public: { read: true }"));
    expect(consents.filter((consent) => consent.startsWith("loosens_access "))).toHaveLength(1);
    expect(consents.filter((consent) => consent.startsWith("protected_core "))).toHaveLength(1);
    expect([...consents].sort()).toEqual(consents);
  });
});
