// Record ids: their form, and that they always increase, whatever the clock does.
import { describe, expect, test } from "vitest";
import { createUuidV7, isUuid } from "./uuid-v7.ts";

const v7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("a UUID v7", () => {
  test("has the right form, and starts with the time", () => {
    const id = createUuidV7({ now: () => 0x017f22e279b0 })();
    expect(id).toMatch(v7);
    expect(id.startsWith("017f22e2-79b0-7")).toBe(true);
    expect(isUuid(id)).toBe(true);
  });

  test("increases strictly while the clock stands still, for more ids than a millisecond allows", () => {
    const next = createUuidV7({ now: () => 1_700_000_000_000 });
    let before = "";
    for (let i = 0; i < 20_000; i++) {
      const id = next();
      expect(id > before).toBe(true);
      expect(id).toMatch(v7);
      before = id;
    }
  });

  test("increases while the clock goes back", () => {
    let now = 1_700_000_000_000;
    const next = createUuidV7({ now: () => now-- });
    const ids = Array.from({ length: 1000 }, next);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
  });

  test("shares no random part with its neighbours", () => {
    let now = 1_700_000_000_000;
    const next = createUuidV7({ now: () => now++ });
    expect(new Set(Array.from({ length: 5000 }, () => next().slice(19))).size).toBe(5000);
  });
});
