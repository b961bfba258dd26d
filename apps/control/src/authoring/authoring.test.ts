// An author's blueprint doesn't slow down anybody else in control. Guarantee 22.
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeOf, createWorld, goLive, type Somebody, type World } from "../testing/control-plane.ts";
import { longText, slowToCompare } from "./testing/costly-blueprints.ts";

let world: World;
let owner: Somebody;
let neighbour: Somebody;
let organizationId: string;

beforeAll(async () => {
  // Other tests on the machine must not make control end the jobs of this test. `workers.test.ts` shows that long jobs are ended.
  const env = {
    PLINTH_AUTHORING_MS: "120000",
    PLINTH_AUTHORING_SHARE_MS: "600000",
    PLINTH_MAX_BUNDLE_BYTES: "4000000",
  };
  world = await createWorld({ cell: true, env });
  owner = await world.signUp("owner");
  neighbour = await world.signUp("neighbour");
  organizationId = owner.organizationId;
}, 120_000);

afterAll(() => world?.stop());

/**
 * The longest turn of the thread that serves requests, in milliseconds, while something runs. Control runs in this thread. Only
 * the computing time of a turn counts. `monitorEventLoopDelay` would also count the time in which other processes use the
 * processor.
 */
async function longestTurnDuring(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let done = false;
  let before = process.threadCpuUsage();
  const sample = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    if (!done) setTimeout(sample, 1);
  };
  sample();
  await work;
  done = true;
  sample();
  return longest;
}

test("a blueprint of a quarter of a megabyte doesn't delay other requests while it is checked", async () => {
  const text = longText();
  expect(Buffer.byteLength(text)).toBeGreaterThan(240_000);
  await owner.client.blueprints.validate.mutate({ text });
  expect(await longestTurnDuring(owner.client.blueprints.validate.mutate({ text }))).toBeLessThanOrEqual(20);
}, 120_000);

test("a change that takes long to compare delays nobody", async () => {
  const [before, after] = slowToCompare("slow");
  const { id: projectId } = await owner.client.projects.create.mutate({ organizationId, slug: "slow" });
  await goLive(owner, projectId, before);
  const proposing = owner.client.proposals.create.mutate({ projectId, text: after });
  let answers = 0;
  let done = false;
  const asking = (async () => {
    while (!done) {
      await neighbour.client.blueprints.validate.mutate({ text: "project: mine\n" });
      answers++;
    }
  })();
  const longest = await longestTurnDuring(
    proposing.finally(() => {
      done = true;
    }),
  );
  await asking;
  expect((await proposing).diff).toHaveLength(10);
  expect(longest).toBeLessThanOrEqual(20);
  expect(answers).toBeGreaterThan(2);
}, 120_000);

test("a caller with too many requests at the same time must wait, and others are served", async () => {
  const greedy = await world.signUp("greedy");
  const validate = (by: Somebody, text: string): Promise<string | null> =>
    codeOf(by.client.blueprints.validate.mutate({ text }));
  // The requests of one address begin four at a time, so there are more than fit: they come faster than they are read.
  const asked = Array.from({ length: 60 }, () => validate(greedy, longText()));
  expect(await validate(neighbour, "project: mine\n")).toBeNull();
  const codes = await Promise.all(asked);
  // One is read and ten wait, which is the limit for a person.
  expect(codes.filter((code) => code === "TOO_MANY_REQUESTS").length).toBeGreaterThan(0);
  expect(codes.filter((code) => code !== "TOO_MANY_REQUESTS").every((code) => code === null)).toBe(true);
}, 120_000);

test("a bundle above the operator's limit is refused, and delays nobody", async () => {
  const { id: projectId } = await owner.client.projects.create.mutate({ organizationId, slug: "long" });
  const proposing = owner.client.proposals.create.mutate({ projectId, text: longText() });
  const refused = proposing.catch((error: unknown) => error);
  const longest = await longestTurnDuring(refused);
  expect(await refused).toMatchObject({
    data: { code: "BAD_REQUEST", diagnostics: [{ code: "blueprint_too_large", severity: "error" }] },
  });
  expect(longest).toBeLessThanOrEqual(20);
}, 120_000);
