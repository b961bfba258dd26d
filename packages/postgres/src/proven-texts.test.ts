// The memory for proofs is limited in bytes, for each project and in total.
import { expect, test } from "vitest";
import { Pace } from "./pace.ts";
import { createProvenTexts, type ProvenText } from "./proven-texts.ts";

const proven = (): ProvenText => ({ proof: true, pace: new Pace(true), lastBytes: 0 });
const text = (i: number): string => `SELECT ${i} ${"x".repeat(1_000)}`;

test("a project keeps its share at most, and loses its least recently used text", () => {
  const texts = createProvenTexts({ provenBytesPerProject: 20_000, provenBytesMax: 1_000_000 });
  for (let i = 0; i < 100; i++) {
    texts.of("one").set(text(i), proven());
    texts.of("one").get(text(0));
  }
  expect(texts.bytes()).toBeLessThanOrEqual(21_000);
  const kept = [0, 1, 99].map((i) => texts.of("one").get(text(i)) !== undefined);
  expect(kept).toEqual([true, false, true]);
});

test("all projects together keep the limit at most, and the least recently used project is removed", () => {
  const texts = createProvenTexts({ provenBytesPerProject: 20_000, provenBytesMax: 100_000 });
  for (let i = 0; i < 500; i++) {
    texts.of(`project ${i}`).set(text(0), proven());
    texts.of("project 0");
    expect(texts.bytes()).toBeLessThanOrEqual(100_000);
  }
  const kept = [0, 1, 499].map((i) => texts.of(`project ${i}`).get(text(0)) !== undefined);
  expect(kept).toEqual([true, false, true]);
  // Projects that never ran a statement count, too.
  for (let i = 0; i < 1_000; i++) texts.of(`idle ${i}`);
  expect(texts.bytes()).toBeLessThanOrEqual(100_000);
});

test("a removed project starts again, and its old references count for nothing", () => {
  const texts = createProvenTexts({ provenBytesPerProject: 20_000, provenBytesMax: 100_000 });
  const old = texts.of("one");
  old.set(text(0), proven());
  texts.forget("one");
  texts.forget("one");
  expect(texts.bytes()).toBe(0);
  old.set(text(1), proven());
  expect(texts.bytes()).toBe(0);
  expect(texts.of("one").get(text(0))).toBeUndefined();
});
