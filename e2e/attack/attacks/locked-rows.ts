// Attacks with waits for the lock of one row. A waiting statement occupies a connection and computes nothing. In: a
// target. Out: the answers.
import { inParallel, Tally } from "../../pace.ts";
import { createSender } from "../../sender.ts";
import { type Attack, type Outcome, onlyStatuses } from "../attack.ts";
import { attackerAddress, bearer, type Target } from "../target.ts";

const shop = "00000000-0000-0000-0000-000000000001";
const writers = 50;
/** Longer than the longest statement of a request. */
const heldSeconds = 3;

export const lockedRows: readonly Attack[] = [
  {
    name: "one-record",
    about: `${writers} writers of one record in each of two projects, as fast as the service answers`,
    kind: "neighbour",
    run: writeOneRecord,
    problems: onlyStatuses(200, 429, 503),
  },
  {
    name: "held-record",
    about: `the same, while a transaction holds the records for ${heldSeconds} s`,
    kind: "neighbour",
    prepare: async ({ target, query }) => {
      const lock = target.greedy.map(
        ({ schema }) => `perform 1 from "${schema}".shops where id = '${shop}' for update;`,
      );
      // It ends by itself, so nobody waits for it.
      void query(`do $$ begin ${lock.join(" ")} perform pg_sleep(${heldSeconds}); end $$`).catch(() => {});
      await new Promise((done) => setTimeout(done, 200));
      return null;
    },
    run: writeOneRecord,
    problems: onlyStatuses(200, 429, 503, 504, 0),
  },
];

async function writeOneRecord(target: Target, seconds: number): Promise<Outcome> {
  const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 2 * writers });
  const tally = new Tally();
  const startMs = performance.now();
  await inParallel(2 * writers, seconds, async (index) => {
    const project = target.greedy[index % 2 === 0 ? 0 : 1];
    const body = JSON.stringify({ name: `Shop ${index}` });
    const headers = { ...bearer(project.secret), "content-type": "application/json" };
    tally.add(await send({ method: "PATCH", path: `/v1/resources/shops/${shop}`, headers, body }));
  });
  close();
  return { statuses: tally.statuses, facts: { lastAnswerMs: Math.round(performance.now() - startMs) } };
}
