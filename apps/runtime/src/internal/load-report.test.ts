import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createLoadReporter, type LoadReporter } from "./load-report.ts";

let reporter: LoadReporter | null = null;
afterEach(() => reporter?.stop());

/** Blocks the event loop like a long synchronous piece of work. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("a blocked event loop only shows in the next report", async () => {
  reporter = createLoadReporter();
  expect(reporter.read().eventLoopMs).toBeNull();
  await pause(50);
  block(300);
  await pause(50);
  const blocked = reporter.read();
  expect(blocked.eventLoopMs?.max).toBeGreaterThan(250);
  expect(blocked.memoryBytes.rss).toBeGreaterThan(blocked.memoryBytes.heapUsed);
  await pause(50);
  expect(reporter.read().eventLoopMs?.max).toBeLessThan(250);
});

test("the measuring ends when nobody reads the report any longer", async () => {
  reporter = createLoadReporter(20);
  reporter.read();
  await pause(100);
  expect(reporter.read().eventLoopMs).toBeNull();
});
