// Matches patterns. In: the tree of a pattern. Out: a matcher that reads a text once, in all states at the same time
// (Thompson's construction). It never goes back in the text, so its time is the text's length times the pattern's size.
import type { Member, PatternNode } from "./pattern-parse.ts";

export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  readonly test: (text: string) => boolean;
}

type Step =
  | { readonly kind: "members"; readonly members: readonly Member[]; readonly negated: boolean }
  | { readonly kind: "split"; next: number; other: number }
  | { readonly kind: "jump"; next: number }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "match" };

export function patternOf(node: PatternNode): Pattern {
  const steps: Step[] = [];
  emit(node, steps);
  steps.push({ kind: "match" });
  return { test: (text) => walk(steps, text) };
}

function emit(node: PatternNode, steps: Step[]): void {
  switch (node.kind) {
    case "empty":
      return;
    case "start":
    case "end":
      steps.push({ kind: node.kind });
      return;
    case "members":
      steps.push(node);
      return;
    case "sequence":
      for (const item of node.items) emit(item, steps);
      return;
    case "choice":
      emitChoice(node.items, steps);
      return;
    case "repeat":
      for (let times = 0; times < node.min; times++) emit(node.item, steps);
      if (node.max === null) emitLoop(node.item, steps);
      else emitOptional(node.item, node.max - node.min, steps);
  }
}

function emitChoice(items: readonly PatternNode[], steps: Step[]): void {
  const jumps: { next: number }[] = [];
  for (const [index, item] of items.entries()) {
    if (index === items.length - 1) {
      emit(item, steps);
      break;
    }
    const split = { kind: "split", next: steps.length + 1, other: 0 } as const as Extract<Step, { kind: "split" }>;
    steps.push(split);
    emit(item, steps);
    const jump = { kind: "jump" as const, next: 0 };
    steps.push(jump);
    jumps.push(jump);
    split.other = steps.length;
  }
  for (const jump of jumps) jump.next = steps.length;
}

function emitLoop(item: PatternNode, steps: Step[]): void {
  const at = steps.length;
  const split = { kind: "split" as const, next: at + 1, other: 0 };
  steps.push(split);
  emit(item, steps);
  steps.push({ kind: "jump", next: at });
  split.other = steps.length;
}

function emitOptional(item: PatternNode, times: number, steps: Step[]): void {
  const splits: { other: number }[] = [];
  for (let time = 0; time < times; time++) {
    const split = { kind: "split" as const, next: steps.length + 1, other: 0 };
    steps.push(split);
    splits.push(split);
    emit(item, steps);
  }
  for (const split of splits) split.other = steps.length;
}

function walk(steps: readonly Step[], text: string): boolean {
  let current: number[] = [];
  let at = 0;
  const seen = new Int32Array(steps.length).fill(-1);
  for (let round = 0; ; round++) {
    const reached: number[] = [];
    for (const from of [...current, 0]) {
      if (follow(steps, from, { atStart: at === 0, atEnd: at >= text.length }, reached, seen, round)) return true;
    }
    if (at >= text.length) return false;
    const point = text.codePointAt(at) ?? 0;
    at += point > 0xffff ? 2 : 1;
    current = reached.filter((index) => takes(steps[index], point)).map((index) => index + 1);
  }
}

/** Adds every state that is reached without a character; true if one of them is the match. */
function follow(
  steps: readonly Step[],
  from: number,
  place: { readonly atStart: boolean; readonly atEnd: boolean },
  reached: number[],
  seen: Int32Array,
  round: number,
): boolean {
  const waiting = [from];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (seen[index] === round) continue;
    seen[index] = round;
    const step = steps[index];
    if (step === undefined) continue;
    if (step.kind === "match") return true;
    if (step.kind === "members") reached.push(index);
    else if (step.kind === "split") waiting.push(step.other, step.next);
    else if (step.kind === "jump") waiting.push(step.next);
    else if (step.kind === "start" ? place.atStart : place.atEnd) waiting.push(index + 1);
  }
  return false;
}

function takes(step: Step | undefined, point: number): boolean {
  if (step?.kind !== "members") return false;
  return step.members.some(({ from, to }) => point >= from && point <= to) !== step.negated;
}
