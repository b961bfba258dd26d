// Attempts are taken before the work, and given back unless the work failed in the way that the limit counts.
import { Fault } from "@plinth/service";
import { expect, it } from "vitest";
import { createAttemptLimit } from "../identity/attempt-limit.ts";
import { charged } from "./take-attempt.ts";

const limitOf = (attemptsMax: number) => createAttemptLimit({ attemptsMax, windowMs: 1_000_000, clock: () => 0 });
const isWrong = (error: unknown): boolean => error instanceof Fault && error.code === "invalid_credentials";

it("lets no more work begin than there are attempts, even for simultaneous callers", async () => {
  const limit = limitOf(3);
  let begun = 0;
  const work = async (): Promise<void> => {
    begun++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw new Fault("invalid_credentials");
  };
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => charged(limit, "a", isWrong, work)));
  expect(begun).toBe(3);
  const codes = results.map((result) => result.status === "rejected" && result.reason.code);
  expect(codes.filter((code) => code === "rate_limited")).toHaveLength(17);
});

it("gives an attempt back for a success and for a failure of the service, and keeps it for a wrong guess", async () => {
  const limit = limitOf(1);
  for (let i = 0; i < 3; i++) expect(await charged(limit, "a", isWrong, async () => i)).toBe(i);
  for (let i = 0; i < 3; i++) {
    const busy = charged(limit, "a", isWrong, () => Promise.reject(new Fault("unavailable")));
    await expect(busy).rejects.toMatchObject({ code: "unavailable" });
  }
  const wrong = (): Promise<unknown> =>
    charged(limit, "a", isWrong, () => Promise.reject(new Fault("invalid_credentials")));
  await expect(wrong()).rejects.toMatchObject({ code: "invalid_credentials" });
  await expect(wrong()).rejects.toMatchObject({ code: "rate_limited", headers: { "retry-after": expect.any(String) } });
});
