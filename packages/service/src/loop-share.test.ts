// The order in which work starts if much arrives in one turn of the event loop. The loop is real; only time is set by
// the test.
import { expect, test } from "vitest";
import { createLoopShare } from "./loop-share.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function arrivals() {
  let nowMs = 0;
  const share = createLoopShare(() => nowMs);
  const begun: string[] = [];
  const arrive = (source: string): void => {
    const turn = share.enter(source);
    const work = (): void => {
      nowMs += 1;
      begun.push(source);
    };
    if (turn === null) work();
    else void turn.then(work);
  };
  return { arrive, begun };
}

test("work that arrives in a short turn starts at once", () => {
  const { arrive, begun } = arrivals();
  for (const source of ["a", "b", "a"]) arrive(source);
  expect(begun).toEqual(["a", "b", "a"]);
});

test("a burst is spread over turns, and a new caller doesn't wait behind it", async () => {
  const { arrive, begun } = arrivals();
  for (let i = 0; i < 50; i++) arrive("burst");
  expect(begun).toHaveLength(4);
  arrive("other");
  await nextTurn();
  await nextTurn();
  expect(begun.indexOf("other")).toBeLessThan(7);
  while (begun.length < 51) await nextTurn();
  expect(begun.filter((source) => source === "burst")).toHaveLength(50);
});

test("among more than a thousand waiting callers, none is preferred", async () => {
  const { arrive, begun } = arrivals();
  for (let i = 0; i < 2_000; i++) arrive(`source ${i}`);
  await Promise.resolve();
  expect(begun.length).toBeGreaterThan(900);
  while (begun.length < 2_000) await nextTurn();
});

test("a caller with much past use does not wait forever behind new callers", async () => {
  const { arrive, begun } = arrivals();
  for (let i = 0; i < 50; i++) arrive("steady");
  for (let turn = 0; turn < 200; turn++) {
    for (let i = 0; i < 2; i++) arrive(`made up ${turn} ${i}`);
    await nextTurn();
  }
  expect(begun.filter((source) => source === "steady")).toHaveLength(50);
});

test("with too many callers, each waiting one starts before two thousand later ones", async () => {
  const { arrive, begun } = arrivals();
  for (let i = 0; i < 1_000; i++) arrive(`first ${i}`);
  for (let i = 0; i < 2_100; i++) arrive(`second ${i}`);
  await Promise.resolve();
  expect(begun.filter((source) => source.startsWith("first"))).toHaveLength(1_000);
});
