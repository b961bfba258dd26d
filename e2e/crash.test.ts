// A bounded share of `npm run crash`: each part of a cell is killed once under load. Guarantees 1, 2, 3, 4 and 6.
import { expect, test } from "vitest";
import { runCrash } from "./crash/crash-run.ts";

test("kill -9 of a web process, workers and Postgres loses nothing and does nothing twice", {
  timeout: 180_000,
}, async () => {
  const figures = await runCrash({ kills: 4, secondsBetween: 1.5, writers: 8 });
  const { committed } = figures;
  expect(committed).toBeGreaterThan(50);
  expect(figures.inboundAcknowledged).toBeGreaterThan(20);
  expect(figures.owed).toBeGreaterThan(committed);
  expect(figures).toMatchObject({
    auditRows: committed,
    events: committed,
    runs: committed,
    lost: 0,
    unfinishedRuns: 0,
    missingEffects: 0,
    duplicatedEffects: 0,
    inboundLost: 0,
    inboundDoubled: 0,
    undelivered: 0,
    renamed: 0,
    unowed: 0,
  });
});
