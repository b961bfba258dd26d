// Changed transitions and existing records: records in states without an outgoing transition are counted.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import type { Change } from "./change.ts";
import { diffModels } from "./diff.ts";

function modelOf(edges: readonly string[], field = "status: enum[draft, sent, paid, lost] = draft"): Model {
  const machine = edges.length === 0 ? [] : ["    transitions:", "      status:", "        initial: draft"];
  const lines = [
    ...["project: demo", "entities:", "  bill:", "    fields:", "      title: string", `      ${field}`],
    ...machine,
    ...edges.map((edge) => `        ${edge}`),
  ];
  const { model, diagnostics } = checkBlueprint(`${lines.join("\n")}\n`);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const send = "send: { from: draft, to: sent, roles: [user] }";
const pay = "pay: { from: sent, to: paid, roles: [user] }";
const counted = (before: Model, after: Model): [string, Change["counted"]][] =>
  diffModels(before, after).flatMap((one) => (one.counted === undefined ? [] : [[one.path, one.counted]]));
const what = "records with a value of `status` that no transition leaves";
const of = { what, table: "bills", column: "status", only: null, except: [] };

test("new transitions count the records in states without an outgoing transition", () => {
  expect(counted(modelOf([]), modelOf([send, pay]))).toEqual([
    ["bill.transitions.status", { ...of, except: ["draft", "sent"] }],
  ]);
});

test("a field that is renamed in the same change is counted by its live name", () => {
  const before = modelOf([], "state: enum[draft, sent, paid, lost] = draft");
  const after = modelOf([send, pay], "status: enum[draft, sent, paid, lost] was(state) = draft");
  expect(counted(before, after)).toEqual([
    ["bill.transitions.status", { ...of, column: "state", except: ["draft", "sent"] }],
  ]);
});

test("a new field has no records to count", () => {
  expect(counted(modelOf([], "note: text?"), modelOf([send]))).toEqual([]);
});

test("a removed or reduced transition counts the records in states without another outgoing transition", () => {
  expect(counted(modelOf([send, pay]), modelOf([send]))).toEqual([["bill.transitions.pay", { ...of, only: ["sent"] }]]);
  const wide = "pay: { from: [draft, sent], to: paid, roles: [user] }";
  expect(counted(modelOf([send, wide]), modelOf([send, pay]))).toEqual([]);
  expect(counted(modelOf([wide]), modelOf([pay]))).toEqual([["bill.transitions.pay", { ...of, only: ["draft"] }]]);
});
