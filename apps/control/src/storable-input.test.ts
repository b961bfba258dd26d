// Every procedure refuses an input that can't be stored, or is nested too deeply, as a bad request.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnstorable } from "./storable-input.ts";
import { CONSOLE, codeOf, createWorld, type Somebody, type World } from "./testing/control-plane.ts";

describe("an input", () => {
  it("is refused by the place of what can't be stored", () => {
    const refusal = "It holds a character that can't be stored (NUL, or half of a surrogate pair).";
    expect(whyUnstorable({ name: "a\0b" })).toBe(`name: ${refusal}`);
    expect(whyUnstorable({ rows: [{ text: "\ud800" }] })).toBe(`rows.0.text: ${refusal}`);
    expect(whyUnstorable("\udc00")).toBe(`input: ${refusal}`);
    expect(whyUnstorable({ input: { "a\0": 1 } })).toBe(`input: The name of a member: ${refusal}`);
  });

  it("may hold every character that can be stored, and be nested as deep as anybody writes", () => {
    expect(whyUnstorable({ name: "\u0001 \ufffd 😀", none: null, empty: {}, list: [true, 1.5, undefined] })).toBeNull();
    expect(whyUnstorable(undefined)).toBeNull();
    expect(whyUnstorable({ input: JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) })).toBeNull();
  });

  it("is refused where it is nested so deep that reading it would fail", () => {
    for (const depth of [65, 100_000]) {
      const deep: unknown = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
      expect(whyUnstorable({ input: deep })).toBe("input: It is nested more than 64 levels deep.");
    }
  });
});

describe("a procedure", () => {
  let world: World;
  let somebody: Somebody;

  beforeAll(async () => {
    world = await createWorld({ cell: false });
    somebody = await world.signUp("odd");
  }, 60_000);
  afterAll(() => world?.stop());

  it("refuses such a text as a bad request", async () => {
    const { client } = somebody;
    const texts = ["a\0b", "a\ud800b"];
    for (const text of texts) {
      const calls = [
        client.me.rename.mutate({ name: text }),
        client.me.endSession.mutate({ sessionId: text }),
        client.organizations.create.mutate({ name: text }),
        client.tokens.create.mutate({ name: text, days: 1 }),
        client.invitations.open.mutate({ token: text }),
      ];
      expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => "BAD_REQUEST"));
    }
  });

  it("needs no body if it has no input, whether it is repeated or not", async () => {
    const made = await somebody.client.tokens.create.mutate({ name: "ci", days: 1 });
    const key = { "idempotency-key": "revoking-my-own-token" };
    const program = world.client(null, { authorization: `Bearer ${made.token}`, ...key });
    expect(await codeOf(program.tokens.revokeOwn.mutate())).toBeNull();
    expect(await codeOf(program.me.get.query())).toBe("UNAUTHORIZED");
  });

  it("refuses deep nesting as a bad request, also where it is one of several tries, and says nothing to strangers", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const send = async (headers: Record<string, string>): Promise<number> => {
      const all = { "content-type": "application/json", origin: CONSOLE, ...headers };
      const body = `{"theme":${deep}}`;
      return (await fetch(`${world.url}/trpc/me.setTheme`, { method: "POST", headers: all, body })).status;
    };
    expect(await send({ cookie: somebody.cookie })).toBe(400);
    expect(await send({ cookie: somebody.cookie, "idempotency-key": "deep-nesting-again" })).toBe(400);
    expect(await send({})).toBe(401);
  });
});
