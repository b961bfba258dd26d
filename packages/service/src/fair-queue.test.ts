import { expect, test } from "vitest";
import { FairQueue, type FairQueueOptions } from "./fair-queue.ts";

const queueOf = (options: Partial<FairQueueOptions> = {}): FairQueue =>
  new FairQueue({
    places: 2,
    placesPerProject: 2,
    waitingMax: 100,
    waitMsMax: 1_000,
    refusal: (why) => new Error(why),
    ...options,
  });
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("gives the next place to the project that has used least", async () => {
  const queue = queueOf({ places: 1 });
  const order: string[] = [];
  const work = (name: string) => async () => {
    await sleep(5);
    order.push(name);
  };
  const crowd = Array.from({ length: 10 }, () => queue.run("crowd", work("crowd")));
  await sleep(12);
  const quiet = queue.run("quiet", work("quiet"));
  await Promise.all([...crowd, quiet]);
  expect(order.indexOf("quiet")).toBeLessThan(5);
  expect(queue.load()).toEqual({ running: 0, waiting: 0 });
});

test("limits each project to its places, even if others are free", async () => {
  const queue = queueOf({ places: 4, placesPerProject: 2 });
  let atOnce = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++atOnce);
    await sleep(5);
    atOnce--;
  };
  await Promise.all(Array.from({ length: 10 }, () => queue.run("one", work)));
  expect(most).toBe(2);
  most = 0;
  await Promise.all(["one", "two", "three"].flatMap((name) => [queue.run(name, work), queue.run(name, work)]));
  expect(most).toBe(4);
});

test("gives a project fewer places when places are scarce, and the last ones to projects without any", async () => {
  const queue = queueOf({ places: 40, placesPerProject: 8, leavesRoom: true });
  const running = new Map<string, number>();
  const ends: (() => void)[] = [];
  const endless = (name: string): Promise<void> =>
    queue.run(name, async () => {
      running.set(name, (running.get(name) ?? 0) + 1);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const held: Promise<void>[] = [];
  for (let project = 0; project < 12; project++) {
    held.push(...Array.from({ length: 10 }, () => endless(`silent ${project}`)));
    await sleep(0);
  }
  const counts = [...running.values()];
  expect(counts[0]).toBe(8);
  expect(counts).toHaveLength(12);
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect(queue.load().running).toBeLessThan(40);
  let answered = false;
  await queue.run("quiet", async () => {
    answered = true;
  });
  expect(answered).toBe(true);
  while (queue.load().running > 0) {
    for (const end of ends.splice(0)) end();
    await sleep(0);
  }
  await Promise.all(held);
  expect([...running.values()]).toEqual(Array.from({ length: 12 }, () => 10));
});

test("refuses work beyond its queue, and work that has waited too long", async () => {
  const queue = queueOf({ places: 1, waitingMax: 2, waitMsMax: 30 });
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => queue.run("one", () => sleep(80))));
  expect(outcomes.map((each) => (each.status === "rejected" ? each.reason.message : "done"))).toEqual([
    "done",
    "late",
    "late",
    "full",
  ]);
  // Refused work takes no place.
  await queue.run("one", async () => {});
  expect(queue.load()).toEqual({ running: 0, waiting: 0 });
});

test("charges the cost that the work reports instead of its time", async () => {
  let now = 0;
  const queue = queueOf({ places: 1, clock: () => now, waitMsMax: 50, budget: { msPerSecond: 1, burstMs: 100 } });
  const work = (ms: number, cost: number | null) =>
    queue.run("one", async (hasCost) => {
      now += ms;
      if (cost !== null) hasCost(cost);
    });
  for (let i = 0; i < 10; i++) await work(1_000, 1);
  await work(1_000, 250);
  await expect(work(1, null)).rejects.toThrow("late");
});

test("leaves a project in debt one place, and the other projects theirs", async () => {
  const queue = queueOf({ places: 4, placesPerProject: 3, budget: { msPerSecond: 100, burstMs: 100 } });
  let atOnce = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++atOnce);
    await sleep(20);
    atOnce--;
  };
  await Promise.all(Array.from({ length: 3 }, () => queue.run("one", work)));
  queue.charge("one", 50);
  expect(most).toBe(3);
  most = 0;
  await Promise.all(Array.from({ length: 3 }, () => queue.run("one", work)));
  expect(most).toBe(1);
  most = 0;
  await Promise.all(Array.from({ length: 3 }, () => queue.run("two", work)));
  expect(most).toBe(3);
});

test("frees the place after a failure", async () => {
  const queue = queueOf({ places: 1 });
  const failed = queue.run("one", async () => {
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await queue.run("one", async () => "yes")).toBe("yes");
});

test("also charges costs that arise elsewhere", async () => {
  const queue = queueOf({ budget: { msPerSecond: 1_000, burstMs: 50 } });
  await queue.run("one", async () => queue.charge("one", 200));
  const startedMs = performance.now();
  await queue.run("two", async () => {});
  expect(performance.now() - startedMs).toBeLessThan(50);
  // Deep in debt: 150 ms below zero, and it can start again at 50 ms below zero.
  await queue.run("one", async () => {});
  expect(performance.now() - startedMs).toBeGreaterThan(70);
});

test("takes a place back from work that never ends, and tells the work", async () => {
  const queue = queueOf({ places: 1, placesPerProject: 1, workMsMax: 50 });
  let isTold = false;
  const endless = queue.run("one", (_, whenLate) => {
    whenLate(() => {
      isTold = true;
    });
    return new Promise(() => {});
  });
  await expect(endless).rejects.toThrow("endless");
  expect(isTold).toBe(true);
  expect(await queue.run("one", async () => "served")).toBe("served");
  expect(queue.load()).toEqual({ running: 0, waiting: 0 });
});

test("knows for how long no place has become free", async () => {
  let now = 0;
  const queue = queueOf({ places: 2, clock: () => now });
  const ends: (() => void)[] = [];
  const held = (): Promise<void> => queue.run("one", () => new Promise((resolve) => ends.push(resolve)));
  const first = held();
  now = 1_000;
  expect(queue.stalledMs()).toBe(0);
  const second = held();
  now = 1_500;
  expect(queue.stalledMs()).toBe(500);
  ends[0]?.();
  await first;
  expect(queue.stalledMs()).toBe(0);
  ends[1]?.();
  await second;
});
