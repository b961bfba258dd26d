// Attacks with statements that take Postgres a long time. In: a target. Out: the answers. Each attack only uses what
// its own project's blueprint allows.

import { atRate, inParallel, Tally } from "../../pace.ts";
import { createSender } from "../../sender.ts";
import { type Attack, type Outcome, onlyStatuses } from "../attack.ts";
import { attackerAddress, bearer, type HostileProject, type Target } from "../target.ts";

/** A slow list is answered, refused because of the rate or the project's share, or timed out. */
const slowOrRefused = onlyStatuses(200, 429, 503, 504);

export const slowStatements: readonly Attack[] = [
  unmatchedList("unmatched-list-20", 20),
  unmatchedList("unmatched-list-100", 100),
  {
    name: "long-statements",
    about: "two projects with `statement_timeout: 30s` send requests that take this long, 10 at a time each",
    kind: "neighbour",
    run: async (target, seconds) => {
      const tally = new Tally();
      const left = await Promise.all(target.greedy.map((project) => askAtOnce(target, project, seconds, tally)));
      return { statuses: tally.statuses, facts: { left_unanswered: left.reduce((sum, count) => sum + count, 0) } };
    },
    problems: slowOrRefused,
  },
  {
    name: "new-shapes",
    about: "20 requests a second, each with another filter and sort",
    kind: "neighbour",
    run: (target, seconds) =>
      listAtRate(target, 20, seconds, target.plain.secret, (index) => `?${shapeOf(index)}&limit=100`),
    problems: slowOrRefused,
  },
];

function unmatchedList(name: string, perSecond: number): Attack {
  return {
    name,
    about: `a publishable key requests a list whose rule matches no row, ${perSecond} times a second`,
    kind: "neighbour",
    run: (target, seconds) => listAtRate(target, perSecond, seconds, target.plain.publishable, () => ""),
    problems: slowOrRefused,
  };
}

async function listAtRate(
  target: Target,
  perSecond: number,
  seconds: number,
  key: string,
  queryOf: (index: number) => string,
): Promise<Outcome> {
  const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 200 });
  const tally = new Tally();
  await atRate({ perSecond, seconds }, async (index) => {
    const path = `/v1/resources/listings${queryOf(index)}`;
    tally.add(await send({ method: "GET", path, headers: bearer(key) }));
  });
  close();
  return { statuses: tally.statuses, facts: {} };
}

/**
 * A user's rule reads the offers of each listing: many seconds for a page without a match. The attacker doesn't wait
 * for the last answers; only their number matters.
 */
async function askAtOnce(target: Target, project: HostileProject, seconds: number, tally: Tally): Promise<number> {
  let left = 0;
  const timeoutMs = seconds * 1000;
  const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 20, timeoutMs });
  await inParallel(10, seconds, async (index) => {
    const token = project.tokens[index % project.tokens.length];
    const path = "/v1/resources/listings";
    const status = await send({ method: "GET", path, headers: bearer(project.publishable, token) });
    if (status === 0) left++;
    else tally.add(status);
  });
  close();
  return left;
}

const sortable = ["title", "note", "price", "stock", "colour", "created_at", "updated_at"];

/** Values that no row has, in an order that no index has. */
function shapeOf(index: number): string {
  const pick = (step: number): string => sortable[(index * step + Math.floor(index / 7)) % sortable.length] as string;
  const [first, second, third] = [pick(1), pick(3), pick(5)];
  const keys = [...new Set([first, second, third])].map((key, at) => ((index >> at) & 1 ? `-${key}` : key));
  const filters = ["stock=3", "colour=colour%202", "title=none", "price=5"].filter(
    (_, at) => ((index >> at) & 1) === 1,
  );
  return [`sort=${keys.join(",")}`, ...filters].join("&");
}
