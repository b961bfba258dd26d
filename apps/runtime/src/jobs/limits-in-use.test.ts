// The operator reads in the log that work waits for a limit, and not more often than necessary.
import { createLogger } from "@plinth/service";
import { expect, it } from "vitest";
import { createLimitLog } from "./limits-in-use.ts";

it("warns when work waits for a limit, once a minute for each limit", () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  let nowMs = 0;
  const log = createLimitLog(createLogger({ name: "test", level: "warn", destination }), () => nowMs);
  const full = { limit: "PLINTH_CALLS", used: 400, allowed: 400, waiting: 3 };
  const places = { ...full, limit: "PLINTH_WORK_PLACES" };
  log([
    { ...full, used: 399 },
    { ...places, waiting: 0 },
  ]);
  expect(lines).toEqual([]);
  log([full]);
  nowMs = 3_000;
  log([full, places]);
  nowMs = 61_000;
  log([full, places]);
  expect(lines.map(({ limit }) => limit)).toEqual(["PLINTH_CALLS", "PLINTH_WORK_PLACES", "PLINTH_CALLS"]);
  expect(lines[0]).toMatchObject({ used: 400, allowed: 400, waiting: 3, level: "warn" });
});
