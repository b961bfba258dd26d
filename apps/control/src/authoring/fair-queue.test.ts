// The order of turns. Guarantee 22: a neighbour with many requests doesn't delay others.
import { describe, expect, test } from "vitest";
import {
  Busy,
  createFairQueue,
  type EndTurn,
  type FairQueue,
  type FairQueueOptions,
  type Party,
} from "./fair-queue.ts";

let now = 0;
const open = (more: Partial<FairQueueOptions> = {}): FairQueue =>
  createFairQueue({
    turnsMax: 2,
    waitingMax: 5,
    waitingPerPartyMax: 4,
    waitMsMax: 60_000,
    shareMsMax: 1_000,
    clock: () => now,
    ...more,
  });
const of = (personId: string | null, organizationId: string | null = null): Party => ({ personId, organizationId });

/** Requests a turn. The result shows whether it has begun. */
function takeTurn(queue: FairQueue, party: Party): { readonly turn: Promise<EndTurn>; readonly begun: () => boolean } {
  let begun = false;
  const turn = queue.enter(party).then((end) => {
    begun = true;
    return end;
  });
  turn.catch(() => {});
  return { turn, begun: () => begun };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a turn", () => {
  test("is kept free for others, for each person and organization", async () => {
    const queue = open();
    const first = takeTurn(queue, of("ana", "org_a"));
    const sameOrganization = takeTurn(queue, of("bob", "org_a"));
    const samePerson = takeTurn(queue, of("ana"));
    const other = takeTurn(queue, of("cem", "org_c"));
    await settle();
    expect([first, sameOrganization, samePerson, other].map((one) => one.begun())).toEqual([true, false, false, true]);
    (await first.turn)();
    await settle();
    expect([sameOrganization.begun(), samePerson.begun()]).toEqual([true, false]);
    (await sameOrganization.turn)();
    (await other.turn)();
    await settle();
    expect(samePerson.begun()).toBe(true);
  });

  test("goes to the party with the least use; among equals, to the first", async () => {
    const queue = open({ turnsMax: 1 });
    const greedy = takeTurn(queue, of("greedy"));
    await settle();
    const again = takeTurn(queue, of("greedy"));
    const [modest, later] = [takeTurn(queue, of("modest")), takeTurn(queue, of("later"))];
    now += 400;
    (await greedy.turn)();
    await settle();
    expect([again, modest, later].map((one) => one.begun())).toEqual([false, true, false]);
    (await modest.turn)();
    await settle();
    expect([again, later].map((one) => one.begun())).toEqual([false, true]);
  });
});

describe("waiting is limited", () => {
  test("to a share of the places, and to all places", async () => {
    const queue = open({ turnsMax: 1, waitingPerPartyMax: 2, waitingMax: 3 });
    await queue.enter(of("ana"));
    const waiting = [takeTurn(queue, of("ana")), takeTurn(queue, of("ana"))];
    await expect(queue.enter(of("ana"))).rejects.toMatchObject({ name: "Busy", ownShare: true });
    takeTurn(queue, of("bob"));
    await expect(queue.enter(of("cem"))).rejects.toMatchObject({ name: "Busy", ownShare: false });
    expect(waiting.map((one) => one.begun())).toEqual([false, false]);
  });

  test("in time, and an abandoned request takes no place", async () => {
    const queue = open({ turnsMax: 1, waitMsMax: 20, waitingMax: 1 });
    const end = await queue.enter(of("ana"));
    await expect(queue.enter(of("bob"))).rejects.toThrow(Busy);
    const next = takeTurn(queue, of("bob"));
    end();
    await settle();
    expect(next.begun()).toBe(true);
  });
});

test("a party that has used up its share waits until it is restored; others don't wait", async () => {
  const queue = open();
  const end = await queue.enter(of("ana", "org_a"));
  now += 3_000;
  end();
  const refused = { name: "Busy", ownShare: true, message: expect.stringContaining("Try again in") };
  await expect(queue.enter(of("ana"))).rejects.toMatchObject(refused);
  await expect(queue.enter(of("bob", "org_a"))).rejects.toMatchObject(refused);
  (await queue.enter(of("bob", "org_b")))();
  // The debt is 2,000 ms. Each millisecond restores half a millisecond.
  now += 4_100;
  (await queue.enter(of("ana", "org_a")))();
});
