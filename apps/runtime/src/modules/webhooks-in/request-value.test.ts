// What stands where in hostile bodies: what reading them costs, and that none of them makes it throw.
import { expect, it } from "vitest";
import { itemsAt, readRequest, textAt } from "./request-value.ts";

const deep = "[".repeat(20_000) + "]".repeat(20_000);

it("the digits of a large number beside a list are read once, not once for each item", () => {
  const events = Array.from({ length: 1_000 }, (_, at) => ({ id: at, values: Array(120).fill(1) }));
  const read = readRequest({}, Buffer.from(`{"n":12345678901234567890,"events":${JSON.stringify(events)}}`));
  const items = itemsAt(read, "body.events") ?? [];
  const start = performance.now();
  const texts = new Set(items.map((item) => textAt({ ...read, item }, "body.n")));
  expect([...texts]).toEqual(["12345678901234567890"]);
  expect(performance.now() - start).toBeLessThan(5_000);
}, 300_000);

it("a list with an item that is nested too deeply is no list", () => {
  const read = readRequest({}, Buffer.from(`{"events":[{"id":"a"},${deep}]}`));
  expect(itemsAt(read, "body.events")).toBeNull();
});

it("a large number beside a value that is nested too deeply is no text", () => {
  const read = readRequest({}, Buffer.from(`{"id":12345678901234567890,"type":"made","x":${deep}}`));
  expect(textAt(read, "body.id")).toBeNull();
  expect(textAt(read, "body.type")).toBe("made");
});
