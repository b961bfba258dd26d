// A small part of `npm run crash`: each part of a cell is killed once under load. Guarantees 1, 2, 3, 4 and 6; each
// follower also gets each change once, mails about accounts arrive, and lost connections leave no place taken.
import { expect, test } from "vitest";
import { runConnectionCuts } from "./crash/connection-run.ts";
import { runCrash } from "./crash/crash-run.ts";
import { runMailCrash } from "./crash/mail-run.ts";
import { runStreamCrash } from "./crash/stream-run.ts";

test("kill -9 of a web process, workers and Postgres loses no work and repeats none", {
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

test("after kill -9 of web processes and Postgres, each subscriber gets each change once and need not read again", {
  timeout: 180_000,
}, async () => {
  const figures = await runStreamCrash({ kills: 4, secondsBetween: 2.5, writers: 8 });
  expect(figures.together).toBeGreaterThan(0);
  expect(figures.refused).toBeGreaterThan(0);
  expect(figures.expected).toBeGreaterThan(100);
  expect(figures.resumed).toBeGreaterThan(figures.subscribers);
  expect(figures).toMatchObject({ missed: 0, unexpected: 0, stale: 0, failed: 0, begunAgain: 0, examples: [] });
});

test("kill -9 between the answer and the mail about an account loses no mail, and a repeated one has the same id", {
  timeout: 180_000,
}, async () => {
  const figures = await runMailCrash({ kills: 3, secondsBetween: 1.5, writers: 8 });
  expect(figures.promised).toBeGreaterThan(20);
  expect(figures).toMatchObject({ lost: 0, renamed: 0, unowed: 0, left: 0 });
});

test("connections that are lost or go silent cost requests a 503, and every place comes back without a restart", {
  timeout: 240_000,
}, async () => {
  const figures = await runConnectionCuts({ cuts: 10, secondsBetween: 1.5 });
  expect(figures.refused).toBeGreaterThan(0);
  expect(figures).toMatchObject({
    wrong: 0,
    refusedAfterwards: 0,
    unfinishedRuns: 0,
    forgottenTransactions: 0,
    examples: [],
  });
});
