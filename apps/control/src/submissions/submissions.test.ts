// One effect for each submission: double clicks, retries after a lost answer, two tabs.
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeOf, createWorld, finished, goLive, join, type Somebody, type World } from "../testing/control-plane.ts";

const NOTE = `project: notes
entities:
  note:
    fields:
      title: string
    permissions:
      admin:
        all: true
`;

let world: World;
let owner: Somebody;
let projectId: string;
let organizationId: string;
let keys = 0;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
  projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "notes" })).id;
}, 60_000);
afterAll(() => world?.stop());

/** A client that sends each call as one submission. */
const submitting = (who: Somebody, key = `submission-number-${++keys}`) =>
  world.client(who.cookie, { "idempotency-key": key });

it("two simultaneous equal submissions create one key, and both get its secret", async () => {
  const client = submitting(owner);
  const input = { projectId, name: "twice", kind: "secret" } as const;
  const [first, second] = await Promise.all([client.keys.create.mutate(input), client.keys.create.mutate(input)]);
  expect(second).toEqual(first);
  expect(await client.keys.create.mutate(input), "a retry soon after").toEqual(first);
  const listed = await owner.client.keys.list.query({ projectId });
  expect(listed.filter(({ name }) => name === "twice")).toHaveLength(1);
});

it("a retry in another process is refused as already done, and does nothing", async () => {
  const client = submitting(owner, "sent-before-the-restart");
  await client.keys.create.mutate({ projectId, name: "restarted", kind: "secret" });
  await world.restartControl();
  const again = submitting(owner, "sent-before-the-restart");
  await expect(again.keys.create.mutate({ projectId, name: "restarted", kind: "secret" })).rejects.toThrow(
    "Your first attempt did this, but its answer was lost.",
  );
  const listed = await owner.client.keys.list.query({ projectId });
  expect(listed.filter(({ name }) => name === "restarted")).toHaveLength(1);
});

it("a key belongs to one input of one person, and a refusal doesn't use it up", async () => {
  const client = submitting(owner);
  await client.keys.create.mutate({ projectId, name: "one", kind: "secret" });
  expect(await codeOf(client.keys.create.mutate({ projectId, name: "other", kind: "secret" }))).toBe("BAD_REQUEST");
  const short = submitting(owner, "short");
  expect(await codeOf(short.keys.create.mutate({ projectId, name: "one", kind: "secret" }))).toBe("BAD_REQUEST");

  const other = await world.signUp("other");
  await join(owner, other, organizationId, "owner");
  const shared = "the-key-of-two-people";
  const input = { projectId, name: "of two", kind: "secret" } as const;
  const mine = await submitting(owner, shared).keys.create.mutate(input);
  expect((await submitting(other, shared).keys.create.mutate(input)).id).not.toBe(mine.id);

  const refused = submitting(owner);
  const slug = { organizationId, slug: "notes" };
  expect(await codeOf(refused.projects.create.mutate(slug))).toBe("CONFLICT");
  expect(await codeOf(refused.projects.create.mutate(slug)), "it is decided again").toBe("CONFLICT");
});

it("a retry by a person who has lost the right is refused", async () => {
  const leaving = await world.signUp("leaving");
  await join(owner, leaving, organizationId, "owner");
  const client = submitting(leaving);
  const input = { projectId, name: "leaving", kind: "secret" } as const;
  await client.keys.create.mutate(input);
  const personId = (await leaving.client.me.get.query()).person.id;
  await owner.client.organizations.removeMember.mutate({ organizationId, personId });
  expect(await codeOf(client.keys.create.mutate(input))).toBe("NOT_FOUND");
});

it("two tabs that propose one text create one proposal, and approving or deploying twice has one effect", async () => {
  const propose = () => owner.client.proposals.create.mutate({ projectId, text: NOTE });
  const [proposal, second] = await Promise.all([propose(), propose()]);
  expect(second?.id).toBe(proposal?.id);
  const { id: proposalId, hash, consents } = proposal;
  const approve = () => owner.client.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
  await Promise.all([approve(), approve()]);
  const deploy = () => owner.client.deployments.create.mutate({ proposalId });
  const [one, two] = await Promise.all([deploy(), deploy()]);
  expect(two).toEqual(one);
  await finished(owner, one.deploymentId);
  const { rows } = await world.pool.query("SELECT action FROM control.audit WHERE subject = $1", [proposalId]);
  expect(rows.map(({ action }) => action).sort()).toEqual(["proposal.approved", "proposal.created"]);
});

it("a text whose proposal is decided gets a new proposal", async () => {
  await goLive(owner, projectId, NOTE.replace("title: string", "title: string\n      body: text?"));
  const text = NOTE.replace("title: string", "title: string\n      kind: string?");
  const rejected = await owner.client.proposals.create.mutate({ projectId, text });
  await owner.client.proposals.reject.mutate({ proposalId: rejected.id });
  expect((await owner.client.proposals.create.mutate({ projectId, text })).id).not.toBe(rejected.id);
});
