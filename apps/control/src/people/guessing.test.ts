// Guarantee 11 over HTTP: guesses of passwords and accounts are limited, and don't lock out other people.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AuthFixture, type Call, createAuthFixture, PASSWORD } from "./testing/auth.ts";

let fixture: AuthFixture;
let call: AuthFixture["call"];
let signUp: AuthFixture["signUp"];

beforeAll(async () => {
  fixture = await createAuthFixture();
  ({ call, signUp } = fixture);
});

afterAll(() => fixture?.stop());

describe("guessing", () => {
  const guess = async (email: string, where: Omit<Call, "body">) =>
    (await call("/sign-in/email", { body: { email, password: "a guess" }, ...where })).status;
  const guesses = async (count: number, email: string, where: Omit<Call, "body">): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < count; i++) statuses.push(await guess(email, where));
    return statuses;
  };
  const eightThenNoMore = [...Array(8).fill(401), 429];

  it("is refused after a few times a minute from one address, for any account", async () => {
    expect(await guesses(9, "guess@example.com", { ip: "10.3.0.1" })).toEqual(eightThenNoMore);
    expect(await guess("other@example.com", { ip: "10.3.0.1" })).toBe(429);
    expect(await guess("guess@example.com", { ip: "10.3.0.2" })).toBe(401);
  });

  it("gains nothing from a forged address: only the console can set it", async () => {
    const forged = (number: number): Omit<Call, "body"> => ({ ip: `10.3.1.${number}`, proof: "guessed" });
    const statuses: number[] = [];
    for (let i = 0; i < 9; i++) statuses.push(await guess("forged@example.com", forged(i)));
    expect(statuses).toEqual(eightThenNoMore);
    expect(await guess("forged@example.com", { ip: "10.3.1.1" })).toBe(401);
  });

  it("is counted by the /64 of an IPv6 address, and by the IPv4 address in a mapped one", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 9; i++) statuses.push(await guess("six@example.com", { ip: `2001:db8:1:2:${i}::${i}` }));
    expect(statuses).toEqual(eightThenNoMore);
    expect(await guess("six@example.com", { ip: "2001:db8:1:3::1" })).toBe(401);
    await guesses(9, "mapped@example.com", { ip: "::ffff:10.3.2.1" });
    expect(await guess("mapped@example.com", { ip: "10.3.2.1" })).toBe(429);
  });

  it("doesn't lock out a device that the account knows, even at the guesser's address", async () => {
    const { cookie } = await signUp("real@example.com");
    const device = cookie.split("; ").find((one) => one.startsWith("plinth.device=")) ?? "";
    expect(device).not.toBe("");
    const ip = "10.3.3.1";
    expect(await guesses(9, "real@example.com", { ip })).toEqual(eightThenNoMore);
    const signIn = (more: Call) =>
      call("/sign-in/email", { body: { email: "real@example.com", password: PASSWORD }, ip, ...more });
    expect((await signIn({ cookie: device })).status).toBe(200);
    expect((await signIn({ cookie: `${device}x` })).status).toBe(429);
    expect((await signIn({})).status).toBe(429);
    expect(await guess("other@example.com", { ip, cookie: device })).toBe(429);
  });

  it("at the current password is refused after ten, although the session is valid", async () => {
    const { cookie } = await signUp("stolen@example.com");
    const change = { currentPassword: "a guess", newPassword: "another horse battery" };
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      // The session stays the same, although it is escaped in another way each time and sent with other cookies.
      const escaped = cookie.replace(/session_token=(.)/, (_all, first: string) =>
        i % 2 === 0 ? `session_token=${first}` : `session_token=%${first.charCodeAt(0).toString(16)}`,
      );
      statuses.push((await call("/change-password", { body: change, cookie: `n=${i}; ${escaped}` })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
  });

  it("which addresses have an account, by signing up, is refused after a few from one address", async () => {
    await signUp("has@example.com");
    const statuses: number[] = [];
    for (let i = 0; i < 9; i++) statuses.push((await signUp("has@example.com", "10.3.5.1")).status);
    expect(statuses).toEqual([...Array(8).fill(422), 429]);
  });
});
