// A computed field over other records: readers who can read those by an equal rule get no warning, and others do.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

interface Sample {
  readonly bill: string;
  readonly line: string;
  readonly org?: readonly ("bill" | "line")[];
  readonly role?: string;
}

function warned({ bill, line, org = [], role = "user" }: Sample): readonly string[] {
  const scope = (name: "bill" | "line"): string => (org.includes(name) ? "    org_scoped: true\n" : "");
  const text = `project: demo
modules: [auth, users, roles, organizations]
roles: { staff: {} }
entities:
  bill:
${scope("bill")}    fields:
      owner_id: user_ref
      fee: int
      guests: int
      total: computed(lines.sum(l, l.price))
    permissions: { ${role}: { read: '${bill}' } }
  line:
${scope("line")}    fields: { bill_id: ref(bill), price: int, of: computed(bill.fee) }
    permissions: { ${role}: { read: '${line}' } }
`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  const names = diagnostics.filter(({ code }) => code === "computed_beyond_reader");
  return names.map(({ message }) => /reads `(\w+)`/.exec(message)?.[1] ?? message);
}

const own = "owner_id == current_user.id";
const both = ["bill", "line"] as const;

test.each<Sample>([
  { bill: "true", line: "can(read, bill)" },
  { bill: own, line: `bill.${own}` },
  { bill: own, line: "can(read, bill)" },
  { bill: own, line: "can(read, bill)", role: "staff" },
  { bill: own, line: "can(read, bill)", role: "admin" },
  { bill: "fee > 3", line: "can(read, bill)", role: "public" },
  { bill: "true", line: "can(read, bill)", org: both },
  { bill: own, line: "can(read, bill)", org: both },
  { bill: own, line: "can(read, bill)", org: both, role: "admin" },
  { bill: "member(org_id, admin)", line: "can(read, bill)", org: ["bill"] },
  { bill: "fee * guests > 3", line: "bill.guests * bill.fee > 3" },
])("no warning between equal rules: $bill and $line for $role", (sample) => {
  expect(warned(sample)).toEqual([]);
});

test.each<[Sample, readonly string[]]>([
  [{ bill: "true", line: `bill.${own}` }, ["total"]],
  [{ bill: own, line: "true" }, ["of"]],
  [{ bill: "true", line: "true", org: ["line"] }, ["total"]],
  [{ bill: "true", line: "true", org: ["bill"] }, ["of"]],
  [{ bill: "fee - guests > 3", line: "bill.guests - bill.fee > 3" }, ["total", "of"]],
])("a warning between different ones: %o", (sample, expected) => {
  expect(warned(sample)).toEqual(expected);
});
