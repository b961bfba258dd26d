// Attacks with large requests and large replies. In: a target. Out: the answers.

import { atRate, inParallel, Tally } from "../../pace.ts";
import { createSender } from "../../sender.ts";
import { type Attack, type Outcome, onlyStatuses } from "../attack.ts";
import { attackerAddress, bearer, type Target } from "../target.ts";

export const heavyBodies: readonly Attack[] = [
  {
    name: "large-json",
    about: "5 creates a second with 1 MB of JSON in one field",
    kind: "neighbour",
    run: (target, seconds) => createAtRate(target, 5, seconds, JSON.stringify({ data: nestedJson(1_000_000) })),
    problems: onlyStatuses(201, 413, 429, 503),
  },
  {
    name: "accepted-json",
    about: "5 creates a second with 1 MB of JSON that is within every limit",
    kind: "neighbour",
    run: (target, seconds) => createAtRate(target, 5, seconds, JSON.stringify({ data: fewMembers(980_000) })),
    problems: onlyStatuses(201, 429, 503),
  },
  {
    name: "unknown-keys",
    about: "20 creates a second with 90,000 unknown keys",
    kind: "neighbour",
    run: (target, seconds) => createAtRate(target, 20, seconds, unknownKeys(90_000)),
    problems: onlyStatuses(400, 413, 422, 429, 503),
  },
  {
    name: "large-replies",
    about: "20 lists at a time of 100 records of 1 MB",
    kind: "neighbour",
    run: async (target, seconds) => {
      const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 100 });
      const tally = new Tally();
      const { largeLists, largeRecords } = target.size;
      await inParallel(largeLists, seconds, async () => {
        const path = `/v1/resources/pages?limit=${largeRecords}`;
        tally.add(await send({ method: "GET", path, headers: bearer(target.plain.publishable) }));
      });
      close();
      return { statuses: tally.statuses, facts: {} };
    },
    problems: onlyStatuses(200, 413, 422, 429, 503, 504),
  },
  {
    name: "bulk-writes",
    about: "creates of 60 kB as fast as the rate limit allows",
    kind: "neighbour",
    run: (target, seconds) =>
      createAtRate(target, 100, seconds, JSON.stringify({ text: "Sixty thousand. ".repeat(3_750) })),
    problems: onlyStatuses(201, 429, 503),
  },
];

async function createAtRate(target: Target, perSecond: number, seconds: number, body: string): Promise<Outcome> {
  const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 200 });
  const tally = new Tally();
  const shot = { method: "POST", path: "/v1/resources/documents", headers: bearer(target.plain.publishable), body };
  await atRate({ perSecond, seconds }, async () => tally.add(await send(shot)));
  close();
  return { statuses: tally.statuses, facts: {} };
}

/** A body can have this many members, of about a hundred bytes each. */
function fewMembers(bytes: number): unknown {
  const one = { text: "a".repeat(90) };
  return Array.from({ length: Math.floor(bytes / JSON.stringify(one).length) - 1 }, () => one);
}

/** Many small values cost most to parse, to check and to serialize. */
function nestedJson(bytes: number): unknown {
  const one = { a: 1, b: [true, null], c: "text" };
  const length = JSON.stringify(one).length + 1;
  return Array.from({ length: Math.floor(bytes / length) }, () => one);
}

function unknownKeys(count: number): string {
  return `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(",")}}`;
}
