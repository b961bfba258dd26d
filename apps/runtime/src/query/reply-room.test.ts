import { expect, test } from "vitest";
import { type MeasuredReplies, ReplyRoom } from "./reply-room.ts";

const MAX = 64_000;

function roomWith(byCaller: Readonly<Record<string, number>>): {
  readonly has: (caller: string) => Promise<boolean>;
  readonly room: ReplyRoom;
  readonly measured: () => number;
} {
  let count = 0;
  const room = new ReplyRoom(MAX, () => 0);
  const measure = async (): Promise<MeasuredReplies> => {
    count++;
    const bytes = Object.values(byCaller).reduce((sum, each) => sum + each, 0);
    return { bytes, byCaller: new Map(Object.entries(byCaller)) };
  };
  return { has: (caller) => room.has(caller, measure), room, measured: () => count };
}

test("one caller fills at most half of the room", async () => {
  const { has, room } = roomWith({ eve: 31_000 });
  expect(await has("eve")).toBe(true);
  room.add("eve", 1_000);
  expect([await has("eve"), await has("ana")]).toEqual([false, true]);
});

test("if several callers have filled it, callers with few replies continue, until it is full twice", async () => {
  const { has, room } = roomWith({ eve: 31_000, mallory: 31_000, bob: 2_000 });
  expect([await has("eve"), await has("bob"), await has("ana")]).toEqual([false, false, true]);
  room.add("ana", 900);
  expect(await has("ana")).toBe(true);
  room.add("ana", 100);
  expect(await has("ana")).toBe(false);
  const over = roomWith({ eve: 31_000, mallory: 31_000, bob: 31_000, peggy: 31_000, trent: 4_000 });
  expect(await over.has("ana")).toBe(false);
});

test("it is measured once for simultaneous callers, again when much was added, and counted in between", async () => {
  const { has, room, measured } = roomWith({ eve: 0 });
  await Promise.all([has("eve"), has("ana"), has("bob")]);
  expect(measured()).toBe(1);
  room.add("eve", MAX / 8 - 1);
  await has("eve");
  expect(measured()).toBe(1);
  room.add("eve", 1);
  await has("eve");
  expect(measured()).toBe(2);
});

test("after a failed measurement, the counts stay", async () => {
  const room = new ReplyRoom(MAX, () => 0);
  room.add("eve", MAX);
  await expect(room.has("eve", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  // Nothing is stored: additions before a measurement are part of it, or were rolled back.
  expect(await room.has("eve", async () => ({ bytes: 0, byCaller: new Map() }))).toBe(true);
});
