// What an author's blueprint does to everybody else in control: nothing that they could feel. Guarantee 22.
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeOf, createWorld, goLive, organizationOf, type Somebody, type World } from "../testing/control-plane.ts";
import { longText, slowToCompare } from "./testing/costly-blueprints.ts";

let world: World;
let owner: Somebody;
let neighbour: Somebody;
let organizationId: string;

beforeAll(async () => {
  // A machine that is busy with other tests must not end what is looked at here; `workers.test.ts` shows that it ends.
  const env = {
    PLINTH_AUTHORING_MS: "120000",
    PLINTH_AUTHORING_SHARE_MS: "600000",
    PLINTH_MAX_BUNDLE_BYTES: "4000000",
  };
  world = await createWorld({ cell: true, env });
  owner = await world.signUp("owner");
  neighbour = await world.signUp("neighbour");
  organizationId = await organizationOf(owner);
}, 120_000);

afterAll(() => world?.stop());

/**
 * The longest turn of the thread that serves requests, in milliseconds, while something runs; control runs in this very
 * thread. Counted is what the thread computes in a turn: how long it waits for a processor is this machine's affair, and
 * `monitorEventLoopDelay` counts that too.
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

test("a blueprint of a quarter of a megabyte is checked beside the requests, not before them", async () => {
  const text = longText();
  expect(Buffer.byteLength(text)).toBeGreaterThan(240_000);
  await owner.client.blueprints.validate.mutate({ text });
  expect(await longestTurnDuring(owner.client.blueprints.validate.mutate({ text }))).toBeLessThanOrEqual(20);
}, 120_000);

test("a change that takes long to compare holds up nobody", async () => {
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

test("who asks for too much at once is told to wait, and others are served", async () => {
  const greedy = await world.signUp("greedy");
  const validate = (by: Somebody, text: string): Promise<string | null> =>
    codeOf(by.client.blueprints.validate.mutate({ text }));
  const asked = Array.from({ length: 15 }, () => validate(greedy, longText()));
  expect(await validate(neighbour, "project: mine\n")).toBeNull();
  const codes = await Promise.all(asked);
  // One is read and ten wait; a person has no more than that.
  expect(codes.filter((code) => code === "TOO_MANY_REQUESTS").length).toBeGreaterThan(0);
  expect(codes.filter((code) => code !== "TOO_MANY_REQUESTS").every((code) => code === null)).toBe(true);
}, 120_000);

test("what compiles to more than the operator allows is refused, and holds up nobody either", async () => {
  const { id: projectId } = await owner.client.projects.create.mutate({ organizationId, slug: "long" });
  const proposing = owner.client.proposals.create.mutate({ projectId, text: longText() });
  const refused = proposing.catch((error: unknown) => error);
  const longest = await longestTurnDuring(refused);
  expect(await refused).toMatchObject({
    data: { code: "BAD_REQUEST", diagnostics: [{ code: "blueprint_too_large", severity: "error" }] },
  });
  expect(longest).toBeLessThanOrEqual(20);
}, 120_000);
