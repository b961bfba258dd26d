// A change of background work that lets somebody do more, or lets data out, is never called safe: generated changes,
// each tried on a real cell before and after, with twenty callers. RUNS chooses how many, SEED which ones.
import { type Change, diffModels } from "@plinth/blueprint";
import { sampleOf } from "@plinth/testkit";
import { expect, test } from "vitest";
import { type EffectPair, pairOf } from "./testing/effect-pairs.ts";
import { type EffectStage, modelOf, openEffectStage, openReceiver } from "./testing/effect-stage.ts";
import { type Seen, trySide } from "./testing/effect-trial.ts";

const { runs: COUNT, seed: first } = sampleOf(5, 300);
/** Each pair has a seed of its own; the samples of two days have none in common. */
const FIRST = first * 1_000;
/** Pairs in one project. */
const AT_ONCE = 15;

const needsConsent = ({ classes }: Change): boolean =>
  classes.includes("loosens_access") || classes.includes("widens_egress");

test(`${COUNT} changes of background work`, { timeout: 60_000 + COUNT * 20_000 }, async () => {
  const receiver = await openReceiver();
  const counts = { pairs: 0, gained: 0, "gained, named": 0, "neutral, named": 0, "named, nothing seen": 0 };
  const wrong: unknown[] = [];
  const unseen: string[] = [];
  for (let at = 0; at < COUNT; at += AT_ONCE) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, COUNT - at) }, (_, i) => FIRST + at + i);
    const pairs = seeds.map((seed) => pairOf(seed, receiver.url));
    const stage = await openEffectStage(pairs, receiver);
    const found = await gainsOf(stage, pairs);
    const silent = pairs.filter((pair) => found.get(pair)?.length !== 0 && consentsOf(pair).length === 0);
    // Two runs on one record can overtake each other, on one side only: a gain must be seen twice.
    if (silent.length > 0)
      for (const [pair, again] of await gainsOf(stage, silent))
        found.set(pair, found.get(pair)?.filter((one) => again.includes(one)) ?? []);
    await stage.close();
    for (const pair of pairs) {
      const gained = found.get(pair) ?? [];
      const named = consentsOf(pair);
      counts.pairs++;
      if (gained.length > 0) counts.gained++;
      if (gained.length > 0 && named.length > 0) counts["gained, named"]++;
      if (gained.length === 0 && named.length > 0) {
        counts["named, nothing seen"]++;
        unseen.push(`${pair.seed} ${pair.change}`);
      }
      if (pair.isNeutral && named.length > 0) counts["neutral, named"]++;
      const { seed, change, before: was, after: is } = pair;
      if ((gained.length > 0 && named.length === 0) || (pair.isNeutral && named.length > 0))
        wrong.push({ seed, change, gained: gained.slice(0, 3), named, was, is });
    }
    if (wrong.length > 0) console.info(JSON.stringify(wrong.at(-1)));
    if (COUNT > AT_ONCE) console.info(JSON.stringify(counts));
  }
  await receiver.close();
  console.info("changes of background work:", counts, `named, nothing seen: ${unseen.join(", ")}`);
  expect(wrong, JSON.stringify(wrong, null, 1)).toEqual([]);
});

async function gainsOf(stage: EffectStage, pairs: readonly EffectPair[]): Promise<Map<EffectPair, readonly string[]>> {
  const before = await trySide(stage, pairs, (pair) => pair.before);
  const after = await trySide(stage, pairs, (pair) => pair.after);
  return new Map(pairs.map((pair) => [pair, newlySeen(before, after, pair)]));
}

function newlySeen(before: Seen, after: Seen, { name }: EffectPair): readonly string[] {
  const [was, is] = [before.get(name) ?? [], after.get(name) ?? []];
  return is.flatMap((phase, at) => [...phase].filter((one) => was[at]?.has(one) !== true).map((one) => `${at} ${one}`));
}

function consentsOf({ name, before, after }: EffectPair): readonly string[] {
  const changes = diffModels(modelOf([name], [before]), modelOf([name], [after]));
  return changes
    .filter(needsConsent)
    .map(({ path, summary, witness }) => `${path}: ${summary} ${witness?.summary ?? ""}`);
}
