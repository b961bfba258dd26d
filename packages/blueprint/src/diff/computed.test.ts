// Readers who can see hidden fields through a computed field: fields of other records, with those records' rules.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import { protect } from "./protect.ts";

interface Parts {
  readonly total?: string;
  readonly bills?: string;
  readonly lines?: string;
  readonly price?: string;
  readonly note?: string;
}

const mine = "{ read: owner_id == current_user.id }";
const ofBill = "{ read: bill.owner_id == current_user.id }";

function model({ total = "", bills = mine, lines = ofBill, price = "int", note = "" }: Parts): Model {
  const { model: found, diagnostics } = checkBlueprint(
    `project: demo\nmodules: [auth, users, roles]\nentities:\n  bill:\n    fields:\n      owner_id: user_ref = current_user.id\n` +
      `      title: string\n${total === "" ? "" : `      total: computed(${total})\n`}` +
      `    permissions:\n      admin: { read: true }\n      user: ${bills}\n` +
      `  line:\n    fields:\n      bill_id: ref(bill)\n      price: ${price}\n      paid: bool = false\n` +
      `    permissions:\n      admin: { read: true }\n      user: ${lines}\n${note}`,
  );
  if (found === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return found;
}

function looser(before: Parts, after: Parts): readonly string[] {
  return diffModels(model(before), model(after))
    .filter((one) => one.classes.includes("loosens_access"))
    .map((one) => `${one.path}: ${one.witness?.role}`);
}

describe("a new computed field", () => {
  test.each<[string, Parts, readonly string[]]>([
    ["of records that its readers read", { total: "lines.sum(l, l.price)" }, []],
    ["of how many there are", { total: "size(lines)" }, []],
    ["of the owner, who is the reader", { total: "owner.email" }, []],
    ["of a record through its own reference", { total: "lines.max(l, l.bill.title)" }, []],
    ["where others read it", { total: "lines.sum(l, l.price)", bills: "{ read: true }" }, ["bill.total: user"]],
    [
      "of the paid, which all may read",
      { total: "lines.filter(l, l.paid).sum(l, l.price)", bills: "{ read: true }", lines: "{ read: paid }" },
      [],
    ],
    [
      "of all, where all may read the paid",
      { total: "lines.sum(l, l.price)", lines: "{ read: paid }" },
      ["bill.total: user"],
    ],
    ["of whether all are paid", { total: "lines.all(l, l.paid)", lines: "{ read: paid }" }, ["bill.total: user"]],
    [
      "of a field that nobody reads",
      { total: "lines.sum(l, l.price)", price: "int internal = 0" },
      ["bill.total: admin"],
    ],
    [
      "of a field that a grant leaves out",
      { total: "lines.sum(l, l.price)", lines: "{ read: { allow: true, fields: [paid] } }" },
      ["bill.total: user"],
    ],
    ["of the creator's address", { total: "created_by.email" }, ["bill.total: user"]],
  ])("%s", (_, after, expected) => {
    const { total: __, ...before } = after;
    expect(looser(before, after)).toEqual(expected);
  });

  test("touches the protected core if it shows more than its readers can read", () => {
    const touched = (after: Parts): readonly string[] =>
      protect(model({ ...after, total: "" }), model(after), "ai").map(({ path, rule }) => `${path} ${rule}`);
    expect(touched({ total: "lines.sum(l, l.price)" })).toEqual([]);
    expect(touched({ total: "lines.sum(l, l.price)", lines: "{ read: paid }" })).toContain("bill.total computed");
  });

  test("of an amount that is masked in logs", () => {
    const found = diffModels(model({ price: "int pii" }), model({ total: "lines.sum(l, l.price)", price: "int pii" }));
    expect(found.map(({ witness }) => witness?.summary)).toEqual([
      "An `admin` can now read in logs, through `total`, values for which `line.price` is masked.",
    ]);
  });
});

test("hiding a field that another entity's computed field reads", () => {
  const total = "lines.sum(l, l.price)";
  expect(looser({ total }, { total, price: "int internal = 0" })).toEqual(["line.price: admin"]);
  expect(looser({ total: "size(lines)" }, { total: "size(lines)", price: "int internal = 0" })).toEqual([]);
});

test("a new entity that shows existing records", () => {
  const note = (rule: string): string =>
    `  note:\n    fields:\n      bill_id: ref(bill)\n      sum: computed(bill.lines.sum(l, l.price))\n    permissions:\n      user: { read: ${rule} }\n`;
  expect(looser({}, { note: note("true") })).toEqual(["note: user"]);
  expect(looser({}, { note: note("bill.owner_id == current_user.id") })).toEqual([]);
});
