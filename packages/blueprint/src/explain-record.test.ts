// Real records are evaluated with their own values; missing values are never invented.
import { expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import { explainRecord, type RecordQuestion, type Somebody } from "./explain-record.ts";

const text = `project: shop
modules: [auth, users, roles]
roles: { clerk: {} }
entities:
  shop:
    fields: { name: string, owner_id: user_ref }
    permissions: { admin: { all: true } }
  bike:
    fields:
      name: string
      price: int = 5
      shop_id: ref(shop)
      sold_at: datetime?
    permissions:
      public: { read: sold_at == null }
      user:
        read: shop.owner_id == current_user.id
        update: price > 3
      clerk: { read: sold_at < now }
tests:
  users: { ana: {} }
`;

const [ANA, BEN, SHOP, BIKE] = [1, 2, 3, 4].map((number) => `0192f000-0000-7000-8000-00000000000${number}`) as [
  string,
  string,
  string,
  string,
];
const somebody = (id: string, roles: readonly string[] = ["user"]): Somebody => ({
  id,
  email: "a@example.com",
  roles,
  values: {},
  organizations: [],
});
const shop = { entity: "shop", values: { id: SHOP, name: "S", owner_id: ANA } };
const bike = { id: BIKE, name: "B", price: 2, shop_id: SHOP, sold_at: "2026-05-01T00:00:00Z" };

function explained(question: Partial<RecordQuestion>) {
  const checked = checkBlueprint(text);
  if (checked.model === null) throw new Error(JSON.stringify(checked.diagnostics));
  return explainRecord(
    { model: checked.model, places: checked.places },
    {
      who: somebody(ANA),
      operation: "read",
      entity: "bike",
      record: bike,
      input: {},
      others: [shop],
      now: "2026-06-01T00:00:00Z",
      ...question,
    },
  );
}

test("grants access to a user through a related record, denies it to another, and shows the values that it read", () => {
  expect(explained({}).allowed).toBe(true);
  const ben = explained({ who: somebody(BEN) });
  expect(ben.allowed).toBe(false);
  const at = ben.grants.findIndex(({ role }) => role === "user");
  expect(ben.grants[at]?.culprit?.place?.start.line).toBe(17);
  expect(ben.seen[at]).toEqual([
    { text: "shop_id.owner_id", value: ANA },
    { text: "current_user.id", value: BEN },
  ]);
});

test("evaluates rules about the time with the current time", () => {
  expect(explained({ who: somebody(BEN, ["clerk"]) }).allowed).toBe(true);
  expect(explained({ who: somebody(BEN, ["clerk"]), now: "2026-04-01T00:00:00Z" }).allowed).toBe(false);
});

test("treats values that the record doesn't show as empty, and names them", () => {
  const { price: _, ...hidden } = bike;
  const told = explained({ operation: "update", record: hidden });
  expect([told.allowed, told.grants[0]?.unknown, told.missing]).toEqual([false, true, ["price"]]);
  expect(explained({ others: [] }).allowed).toBe(false);
});

test("evaluates visitors as public only", () => {
  const told = explained({ who: null });
  expect([told.allowed, told.grants.map(({ role }) => role)]).toEqual([false, ["public"]]);
  expect(explained({ who: null, record: { ...bike, sold_at: null } }).allowed).toBe(true);
});
