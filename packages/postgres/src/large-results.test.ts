// Large results are sent at a limited rate, with the projects in turn. The test uses real time, so it only checks the
// order and lower bounds.
import { Fault } from "@plinth/service";
import { expect, test } from "vitest";
import { createLargeResults } from "./large-results.ts";

const MEGABYTE = 1_000_000;

function results() {
  return createLargeResults({ waitingMax: 100, waitMsMax: 5_000, refusal: () => new Fault("unavailable") });
}

test("the first large result starts at once, and small ones never wait", async () => {
  const { turn } = results();
  const order: string[] = [];
  const wait = async (name: string, bytes: number): Promise<void> => {
    await turn("a", bytes);
    order.push(name);
  };
  await Promise.all([wait("first", MEGABYTE), wait("second", MEGABYTE), wait("small", 1_000)]);
  expect(order).toHaveLength(3);
  expect(order.at(-1)).toBe("second");
});

test("ten megabytes of one project take half a second, and another project's first result doesn't wait for them", async () => {
  const { turn } = results();
  const startedMs = performance.now();
  const order: string[] = [];
  const wait = async (project: string): Promise<void> => {
    await turn(project, MEGABYTE);
    order.push(project);
  };
  await Promise.all([...Array.from({ length: 10 }, () => wait("greedy")), wait("other")]);
  expect(order.indexOf("other")).toBeLessThan(3);
  expect(performance.now() - startedMs).toBeGreaterThan(490);
});

test("callers beyond the queue are refused", async () => {
  const { turn } = createLargeResults({ waitingMax: 1, waitMsMax: 5_000, refusal: () => new Fault("unavailable") });
  const turns = await Promise.allSettled([turn("a", MEGABYTE), turn("a", MEGABYTE), turn("a", MEGABYTE)]);
  expect(turns.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
});
