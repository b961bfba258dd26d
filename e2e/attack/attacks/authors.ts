// Attacks with the text of a blueprint. In: a target. Out: the answers to the author. The neighbour is another person
// at the console.
import { largeBlueprint } from "../../bench/large-blueprint.ts";
import { atRate, Tally } from "../../pace.ts";
import { createSender } from "../../sender.ts";
import { type Attack, type Outcome, onlyStatuses } from "../attack.ts";
import { intricateBlueprint } from "../intricate-blueprint.ts";
import { attackerAddress, type Target } from "../target.ts";

export const authors: readonly Attack[] = [
  {
    name: "author-large",
    about: "an author checks a blueprint of 500 entities twice a second",
    kind: "author",
    run: (target, seconds) => validate(target, 2, seconds, largeBlueprint({ entities: 500, fields: 20 })),
    problems: onlyStatuses(200, 400, 413, 429, 503),
  },
  {
    name: "author-rules",
    about: "an author proposes a change of twenty rules, each with about a hundred comparisons of ten variables",
    kind: "author",
    run: async ({ console, size }, _seconds) => {
      const sender = createSender({ origin: console.origin, from: attackerAddress, socketsMax: 1, timeoutMs: 50_000 });
      const tally = new Tally();
      const startMs = performance.now();
      const body = JSON.stringify({
        projectId: console.projectId,
        text: intricateBlueprint(size.casesPerRule, 1 + Math.floor(Math.random() * (size.casesPerRule - 1))),
      });
      tally.add(await sender.send({ method: "POST", path: "/trpc/proposals.create", headers: console.author, body }));
      sender.close();
      return {
        statuses: tally.statuses,
        facts: { proposed_after_s: Math.round((performance.now() - startMs) / 100) / 10 },
      };
    },
    problems: onlyStatuses(200, 400, 413, 429, 503),
  },
];

async function validate({ console }: Target, perSecond: number, seconds: number, text: string): Promise<Outcome> {
  const sender = createSender({ origin: console.origin, from: attackerAddress, socketsMax: 20 });
  const tally = new Tally();
  const body = JSON.stringify({ text });
  await atRate({ perSecond, seconds }, async () => {
    tally.add(await sender.send({ method: "POST", path: "/trpc/blueprints.validate", headers: console.author, body }));
  });
  sender.close();
  return { statuses: tally.statuses, facts: {} };
}
