// A job can't harm others. A thread that never ends or takes too much memory is ended, and the next job gets another thread.
import { afterEach, expect, test } from "vitest";
import type { AuthoringBudget, OperatorLimits } from "../operator-limits.ts";
import { operatorLimits, operatorLimitVariables } from "../operator-limits.ts";
import { createWorkers, type Workers } from "./workers.ts";
import { createWorkshop, type Workshop } from "./workshop.ts";

const jobs = new URL("./testing/hostile-jobs.ts", import.meta.url);
const ana = { personId: "ana", organizationId: "org_a" };
const bob = { personId: "bob", organizationId: "org_b" };
const budget: AuthoringBudget = { threadsMax: 2, memoryMbMax: 64, jobMsMax: 30_000, shareMsMax: 60_000 };

let parts: readonly (Workers | Workshop)[] = [];
const keep = <Part extends Workers | Workshop>(part: Part): Part => {
  parts = [...parts, part];
  return part;
};
afterEach(async () => {
  await Promise.all(parts.map((part) => part.stop()));
  parts = [];
});

test("one that never ends is ended, while others are served", async () => {
  const workers = keep(createWorkers({ budget, jobs }));
  const spinning = workers.run(ana, "spin", {}, 3_000).catch((error: unknown) => error);
  expect(await workers.run(bob, "greet", { name: "bob" })).toBe("hello bob");
  expect(await spinning).toMatchObject({ name: "OverBudget", resource: "time" });
  expect(await workers.run(ana, "greet", { name: "ana" })).toBe("hello ana");
});

test("one that is slow because the machine is busy is not ended", async () => {
  const workers = keep(createWorkers({ budget, jobs }));
  expect(await workers.run(ana, "greet", { name: "ana" })).toBe("hello ana");
  expect(await workers.run(ana, "idle", { ms: 3_000 }, 2_000)).toBe("done");
});

test("the computing time of earlier jobs is not counted", async () => {
  const workers = keep(createWorkers({ budget: { ...budget, threadsMax: 1 }, jobs }));
  for (let i = 0; i < 4; i++) expect(await workers.run(ana, "compute", { ms: 700 }, 1_500)).toBe("done");
});

test("one that waits forever is ended too", async () => {
  const workers = keep(createWorkers({ budget, jobs }));
  const waiting = workers.run(ana, "idle", { ms: 3_600_000 }, 1_000).catch((error: unknown) => error);
  expect(await workers.run(bob, "greet", { name: "bob" })).toBe("hello bob");
  expect(await waiting).toMatchObject({ name: "OverBudget", resource: "time" });
});

test("one that takes all memory is ended without the others", async () => {
  const workers = keep(createWorkers({ budget, jobs }));
  const hoarding = workers.run(ana, "hoard", {}).catch((error: unknown) => error);
  expect(await workers.run(bob, "greet", { name: "bob" })).toBe("hello bob");
  expect(await hoarding).toMatchObject({ name: "OverBudget", resource: "memory" });
  expect(await workers.run(ana, "greet", { name: "ana" })).toBe("hello ana");
});

test("a change that takes too long to read is refused with a diagnostic", async () => {
  const usual = operatorLimits(
    Object.fromEntries(
      Object.entries(operatorLimitVariables).map(([name, schema]) => [name, schema.parse(undefined)]),
    ) as Parameters<typeof operatorLimits>[0],
  );
  const limits: OperatorLimits = { ...usual, authoring: { ...budget, jobMsMax: 3_000 } };
  const workshop = keep(createWorkshop(limits, jobs));
  const asked = {
    text: "",
    author: "person",
    isEarlier: false,
    name: "x",
    live: null,
    setAside: [],
    tag: "x",
    aiParts: [],
  } as const;
  expect(await workshop.propose(ana, asked)).toMatchObject({
    kind: "invalid",
    diagnostics: [{ code: "blueprint_too_large", message: expect.stringContaining("more time than the operator") }],
  });
});
