import type { Entity, Field } from "@plinth/blueprint";
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { planMigration } from "./migration.ts";
import { entity, field, modelOf, optional } from "./sample-model.ts";

const title = field("title", { kind: "string", max: 80 });
const status = field("status", { kind: "enum", values: ["draft", "active"] }, { kind: "literal", value: "draft" });

function tablesWith(...entities: readonly Entity[]) {
  return compileModel(modelOf(...entities)).tables;
}

/** From an entity of these fields to one of those. */
function planFields(before: readonly Field[], after: readonly Field[], uniques: readonly string[][] = []) {
  return planMigration(
    tablesWith(entity("listing", { fields: before })),
    tablesWith(entity("listing", { fields: after, uniques })),
  );
}

describe("what is planned", () => {
  test("a first schema is tables, then references", () => {
    const { plan, refused } = planMigration(null, tablesWith(entity("listing", { fields: [title] })));
    expect(refused).toEqual([]);
    expect(plan.steps.map((step) => step.id)).toEqual([
      "001-create-table-users",
      "002-create-table-sessions",
      "003-create-table-audit-log",
      "004-create-table-listings",
      "005-reference-sessions-user-id",
      "006-reference-listings-created-by",
    ]);
    expect(plan.steps.every((step) => step.transactional && step.risk === "safe")).toBe(true);
  });

  test("from a schema to itself there is nothing to do", () => {
    const tables = tablesWith(entity("listing", { fields: [title, status] }));
    expect(planMigration(tables, tables)).toEqual({ plan: { steps: [] }, refused: [] });
  });

  test("an optional field, and one with a default", () => {
    const { plan } = planFields(
      [title],
      [title, optional("note", { kind: "text" }), field("hot", { kind: "bool" }, { kind: "literal", value: false })],
    );
    expect(plan.steps.map((step) => step.sql)).toEqual([
      'alter table {schema}."listings" add column "note" text collate "C";',
      'alter table {schema}."listings" add column "hot" boolean not null default false;',
    ]);
  });

  test("an enum value swaps the check without a long lock", () => {
    const wider = field(
      "status",
      { kind: "enum", values: ["draft", "active", "sold"] },
      { kind: "literal", value: "draft" },
    );
    const { plan } = planFields([status], [wider]);
    expect(plan.steps.map((step) => [step.risk, step.sql])).toEqual([
      [
        "safe",
        'alter table {schema}."listings" drop constraint "listings__status__check";\n' +
          `alter table {schema}."listings" add constraint "listings__status__check" check ("status" in ('draft', 'active', 'sold')) not valid;`,
      ],
      ["online", 'alter table {schema}."listings" validate constraint "listings__status__check";'],
    ]);
  });

  test("enum values in another order are no change", () => {
    const turned = field("status", { kind: "enum", values: ["active", "draft"] }, { kind: "literal", value: "draft" });
    expect(planFields([status], [turned]).plan.steps).toEqual([]);
  });

  test("a new reference brings its index, built beside the traffic", () => {
    const { plan } = planFields([title], [title, optional("parent_id", { kind: "ref", entity: "listing" })]);
    expect(plan.steps.map((step) => [step.id, step.transactional])).toEqual([
      ["001-add-column-listings-parent-id", true],
      ["002-reference-listings-parent-id", true],
      ["003-validate-listings-parent-id", true],
      ["004-index-listings-parent-id", false],
    ]);
    expect(plan.steps[3]?.cleanup).toBe('drop index concurrently if exists {schema}."listings__parent_id__idx"');
  });

  test("a new optional field can be unique: nothing stands in it yet", () => {
    const { plan, refused } = planFields([title], [title, optional("code", { kind: "string", max: 9 })], [["code"]]);
    expect(refused).toEqual([]);
    expect(plan.steps.map((step) => step.id)).toContain("005-unique-listings-code");
  });

  test("what only loosens is planned", () => {
    const longer = optional("title", { kind: "string", max: 200 }, { kind: "literal", value: "none" });
    const { plan, refused } = planFields([title], [longer]);
    expect(refused).toEqual([]);
    expect(plan.steps.map((step) => step.id)).toEqual([
      "001-relax-listings-title",
      "002-default-listings-title",
      "003-widen-check-listings-title",
      "004-validate-listings-title",
    ]);
    expect(planFields([title], [field("title", { kind: "text" })]).plan.steps.map((step) => step.id)).toEqual([
      "001-drop-check-listings-title",
    ]);
  });
});

describe("what is refused", () => {
  const note = field("note", { kind: "text" });
  const reference = optional("parent_id", { kind: "ref", entity: "listing" });
  test.each([
    ["a removed field", [title, note], [title], "listings.note", "would delete what it holds"],
    ["a required field without a default", [title], [title, note], "listings.note", "would have no value for it"],
    ["another type", [title, note], [title, field("note", { kind: "int" })], "listings.note", "from text to integer"],
    [
      "an optional field made required",
      [optional("note", { kind: "text" })],
      [note],
      "listings.note",
      "made required|required could fail",
    ],
    [
      "an enum value taken away",
      [status],
      [field("status", { kind: "enum", values: ["draft"] })],
      "listings.status",
      "Taking active away",
    ],
    ["a shorter text", [title], [field("title", { kind: "string", max: 10 })], "listings.title", "Narrowing"],
    ["a text made an enum", [note], [field("note", { kind: "enum", values: ["a"] })], "listings.note", "Narrowing"],
    [
      "an id made a reference",
      [optional("parent_id", { kind: "uuid" })],
      [reference],
      "listings.parent_id",
      "may name no record",
    ],
    [
      "a reference made an id",
      [reference],
      [optional("parent_id", { kind: "uuid" })],
      "listings.parent_id",
      "stop being a reference",
    ],
    [
      "a reference made optional",
      [field("parent_id", { kind: "ref", entity: "listing" })],
      [reference],
      "listings.parent_id",
      "what a delete there does",
    ],
  ])("%s", (_, before, after, path, reason) => {
    const { plan, refused } = planFields(before, after);
    expect(plan.steps).toEqual([]);
    expect(refused.map((refusal) => refusal.path)).toEqual([path]);
    expect(refused[0]?.reason).toMatch(new RegExp(reason));
  });

  test("a unique rule over what stands already, and one taken away", () => {
    expect(planFields([title], [title], [["title"]]).refused[0]?.path).toBe("listings.title");
    const unique = tablesWith(entity("listing", { fields: [title], uniques: [["title"]] }));
    expect(planMigration(unique, tablesWith(entity("listing", { fields: [title] }))).refused).toHaveLength(1);
  });

  test("a removed entity, and all reasons at once", () => {
    const before = tablesWith(entity("listing", { fields: [title, note] }), entity("inquiry"));
    const after = tablesWith(entity("listing", { fields: [title, field("extra", { kind: "int" })] }));
    expect(planMigration(before, after).refused.map((refusal) => refusal.path)).toEqual([
      "inquirys",
      "listings.note",
      "listings.extra",
    ]);
  });
});
