// Slots for calls: limited by number and by the bytes of bodies, for a process and for a project.
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { type CallSlot, type CallSlots, createCallSlots } from "./call-slots.ts";

const MEGABYTE = 1_048_576;
const limits = {
  callsMax: 20,
  callsPerProject: 4,
  bytesMax: 4 * MEGABYTE,
  bytesPerProject: 2 * MEGABYTE,
  workMsMax: 60_000,
};

interface Call {
  readonly project: string;
  readonly bytes: number;
  sent: boolean;
  end(answerBytes?: number): Promise<void>;
}

async function start(slots: CallSlots, project: string, bytes: number): Promise<Call> {
  const answer = Promise.withResolvers<number>();
  const call: Call = {
    project,
    bytes,
    sent: false,
    async end(answerBytes = 0) {
      answer.resolve(answerBytes);
      await ended;
      for (let i = 0; i < 5; i++) await turn();
    },
  };
  const ended = slots.run(project, async (slot: CallSlot) => {
    await slot.send(bytes);
    call.sent = true;
    slot.received(await answer.promise);
  });
  for (let i = 0; i < 5; i++) await turn();
  return call;
}

const sentOf = (calls: readonly Call[]): number => calls.filter(({ sent }) => sent).length;

it("a project has at most its number of calls, and fewer when few slots are free", async () => {
  const slots = createCallSlots(limits);
  const calls: Call[] = [];
  for (const project of ["a", "b", "c", "d", "e"]) {
    for (let at = 0; at < 4; at++) calls.push(await start(slots, project, 10));
  }
  expect(slots.load()).toMatchObject({ calls: 13, waiting: 7, byProject: { a: 4, b: 3, c: 2, d: 2, e: 2 } });
  expect(sentOf(calls)).toBe(13);
  for (const call of calls) await call.end();
  expect([sentOf(calls), slots.load()]).toEqual([20, { calls: 0, waiting: 0, bytes: 0, byProject: {} }]);
});

it("a call whose body has no room waits for others of its project, and delays no other project", async () => {
  const slots = createCallSlots(limits);
  const first = await start(slots, "a", 1.5 * MEGABYTE);
  const second = await start(slots, "a", MEGABYTE);
  const other = await start(slots, "b", MEGABYTE);
  expect([first.sent, second.sent, other.sent]).toEqual([true, false, true]);
  await first.end();
  expect(second.sent).toBe(true);
  await Promise.all([second.end(), other.end()]);
  expect(slots.load().bytes).toBe(0);
});

it("answers count, and the next call of a project counts one of the size that it got lately", async () => {
  const slots = createCallSlots(limits);
  await (await start(slots, "a", 10)).end(MEGABYTE);
  const first = await start(slots, "a", 10);
  expect(slots.load().bytes).toBe(10 + MEGABYTE);
  const second = await start(slots, "a", 10);
  expect([first.sent, second.sent]).toEqual([true, false]);
  await first.end(10);
  await second.end(10);
  expect(slots.load().bytes).toBe(0);
});

it("a body that is larger than the limit is sent alone", async () => {
  const slots = createCallSlots(limits);
  const large = await start(slots, "a", 9 * MEGABYTE);
  const small = await start(slots, "a", 10);
  expect([large.sent, small.sent]).toEqual([true, false]);
  await large.end();
  expect(small.sent).toBe(true);
  await small.end();
});
