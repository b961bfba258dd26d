// Values in hostile bodies: the cost of reading them, and that none of them makes it throw.
import { expect, it } from "vitest";
import { itemsAt, readRequest, textAt } from "./request-value.ts";

const deep = "[".repeat(20_000) + "]".repeat(20_000);

it("the digits of a large number next to a list are searched once, not once for each item", () => {
  const events = Array.from({ length: 1_000 }, (_, at) => ({ id: at, values: Array(120).fill(1) }));
  const read = readRequest({}, Buffer.from(`{"n":12345678901234567890,"events":${JSON.stringify(events)}}`));
  const items = itemsAt(read, "body.events", 2_000);
  if (items === null || items === "too_many") throw new Error("no list");
  const texts = new Set(items.map((item) => textAt({ ...read, item }, "body.n")));
  expect([...texts]).toEqual(["12345678901234567890"]);
  expect([...read.digits]).toEqual([["body.n", "12345678901234567890"]]);
});

it("a list with a deeply nested item is read, and so are its neighbours", () => {
  const body = `{"n":12345678901234567890,"type":"made","events":[{"id":"a"},${deep}]}`;
  const read = readRequest({}, Buffer.from(body));
  const items = itemsAt(read, "body.events", 2_000);
  if (items === null || items === "too_many") throw new Error("no list");
  expect(items.map(({ json }) => json.length)).toEqual([10, 40_000]);
  expect([textAt(read, "body.n"), textAt(read, "body.type")]).toEqual(["12345678901234567890", "made"]);
});
