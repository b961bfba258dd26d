// Guarantee 11: guesses are limited by address and slowed down by account, and don't lock out people elsewhere.
import { describe, expect, it } from "vitest";
import { createSignInGuard, type SignInGuard } from "./sign-in-guard.ts";

function guardWithClock() {
  let time = 0;
  const waits: number[] = [];
  const guard = createSignInGuard({
    attemptsMax: 8,
    now: () => time,
    wait: async (ms) => waits.push(ms),
  });
  const pass = (seconds: number): void => {
    time += seconds * 1000;
  };
  return { guard, waits, pass };
}

const email = "real@example.com";

async function guesses(guard: SignInGuard, count: number, address: string, account = email): Promise<number> {
  let refused = 0;
  for (let i = 0; i < count; i++) {
    const { waitSeconds } = await guard.signIn({ email: account, address, device: null });
    if (waitSeconds > 0) refused++;
  }
  return refused;
}

/** Failures for one account from three addresses, each within its own limit. */
async function underAttack(guard: SignInGuard, account = email): Promise<void> {
  for (const address of ["1", "2", "3"]) expect(await guesses(guard, 8, address, account)).toBe(0);
}

describe("an account under attack from many addresses", () => {
  it("is slow for unknown devices, but refuses none", async () => {
    const { guard, waits } = guardWithClock();
    await guesses(guard, 8, "1");
    await guesses(guard, 8, "2");
    expect(waits).toEqual([]);
    await guesses(guard, 8, "3");
    expect(waits).toEqual(Array(4).fill(5_000));
    expect(await guard.signIn({ email: email.toUpperCase(), address: "4", device: null })).toMatchObject({
      waitSeconds: 0,
    });
    expect(waits).toHaveLength(5);
  });

  it("is neither slow for a known device nor refuses it, at any address", async () => {
    const { guard, waits } = guardWithClock();
    await underAttack(guard);
    const before = waits.length;
    for (const address of ["1", "9"])
      expect(await guard.signIn({ email, address, device: "d" })).toMatchObject({ waitSeconds: 0 });
    expect(waits).toHaveLength(before);
  });

  it("doesn't affect other accounts, and is normal again after ten minutes", async () => {
    const { guard, waits, pass } = guardWithClock();
    await underAttack(guard);
    const before = waits.length;
    await guard.signIn({ email: "other@example.com", address: "9", device: null });
    pass(600);
    await guard.signIn({ email, address: "9", device: null });
    expect(waits).toHaveLength(before);
  });
});

describe("one address", () => {
  it("has eight failures a minute for all accounts, and ten in ten minutes for one", async () => {
    const { guard, pass } = guardWithClock();
    expect(await guesses(guard, 9, "1")).toBe(1);
    expect(await guesses(guard, 1, "1", "other@example.com")).toBe(1);
    pass(60);
    expect(await guesses(guard, 3, "1")).toBe(1);
    expect(await guesses(guard, 5, "1", "other@example.com")).toBe(0);
    pass(540);
    expect(await guesses(guard, 1, "1")).toBe(0);
  });

  it("also has a limit for simultaneous attempts, and correct ones aren't counted", async () => {
    const { guard } = guardWithClock();
    const admissions = await Promise.all(
      Array.from({ length: 20 }, () => guard.signIn({ email, address: "1", device: null })),
    );
    const admitted = admissions.filter(({ waitSeconds }) => waitSeconds === 0);
    expect(admitted).toHaveLength(8);
    // Releasing twice has the effect of once, so the count can't go below what was charged.
    for (const admission of admitted.slice(0, 2)) {
      admission.forgive();
      admission.forgive();
    }
    expect(await guesses(guard, 9, "1")).toBe(7);
  });

  it("signs up eight times an hour", () => {
    const { guard, pass } = guardWithClock();
    const waits = Array.from({ length: 9 }, () => guard.signUp("1").waitSeconds);
    expect(waits).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 3600]);
    expect(guard.signUp("2").waitSeconds).toBe(0);
    pass(3600);
    expect(guard.signUp("1").waitSeconds).toBe(0);
  });
});

it("a known device has ten failures in ten minutes, and another has its own", async () => {
  const { guard } = guardWithClock();
  const attempt = async (device: string) => (await guard.signIn({ email, address: "1", device })).waitSeconds;
  for (let i = 0; i < 10; i++) expect(await attempt("d")).toBe(0);
  expect(await attempt("d")).toBe(600);
  expect(await attempt("e")).toBe(0);
});

it("the counters stay bounded with any number of keys", async () => {
  const { guard } = guardWithClock();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 300_000; i++) guard.signUp(`2001:db8:${(i >> 16).toString(16)}:${(i & 65535).toString(16)}::/64`);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024);
});
