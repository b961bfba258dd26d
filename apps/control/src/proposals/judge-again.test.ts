// Proposals that were stored by an older version of the service, which judged them less strictly.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  approveAndDeploy,
  createWorld,
  failureOf,
  finished,
  goLive,
  type Somebody,
  type World,
} from "../testing/control-plane.ts";
import { noteBlueprint } from "../testing/note-blueprint.ts";
import type { Proposal } from "./api.ts";

let world: World;
let owner: Somebody;

beforeAll(async () => {
  world = await createWorld({ cell: true });
}, 60_000);

afterAll(() => world?.stop());

async function liveProject(text: string): Promise<string> {
  owner = await world.signUp("owner");
  const { id } = await owner.client.projects.create.mutate({ organizationId: owner.organizationId, slug: "notes" });
  await goLive(owner, id, text);
  return id;
}

const propose = (projectId: string, text: string): Promise<Proposal> =>
  owner.client.proposals.create.mutate({ projectId, text });

describe("a proposal that an older version of the service judged", () => {
  /** As an older version stored it, which didn't know of a consent. */
  async function judgedBefore({ id, consents }: Proposal, status: "open" | "approved"): Promise<string> {
    const hash = "a".repeat(64);
    await world.pool.query(
      `UPDATE control.proposals SET consents = $2, hash = $3, status = $4, approved_by = created_by WHERE id = $1`,
      [id, JSON.stringify(consents.filter((one) => !one.startsWith("loosens_access "))), hash, status],
    );
    return hash;
  }

  const opened = noteBlueprint("", { rest: "      user: { read: true }\n" });
  const consent = "loosens_access note.permissions.user.read";

  it("is judged again before it is approved, and compared again with the new consents", async () => {
    const projectId = await liveProject(noteBlueprint());
    const proposal = await propose(projectId, opened);
    expect(proposal.consents).toEqual([consent]);
    const { id: proposalId } = proposal;
    const hash = await judgedBefore(proposal, "open");
    const approval = owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] });
    expect(await failureOf(approval)).toContain(`a consent for each of these too: ${consent}.`);
    expect((await owner.client.proposals.get.query({ proposalId })).status).toBe("stale");
    const renewed = await owner.client.proposals.renew.mutate({ proposalId });
    expect(renewed).toMatchObject({ text: opened, consents: [consent], status: "open" });
    await finished(owner, await approveAndDeploy(owner, renewed));
  }, 60_000);

  it("is judged again before it is deployed, even if it was approved", async () => {
    const projectId = await liveProject(noteBlueprint());
    const proposal = await propose(projectId, opened);
    await judgedBefore(proposal, "approved");
    const deployment = owner.client.deployments.create.mutate({ proposalId: proposal.id });
    expect(await failureOf(deployment)).toContain(consent);
    expect(await owner.client.deployments.list.query({ projectId })).toHaveLength(1);
    expect((await owner.client.proposals.get.query({ proposalId: proposal.id })).status).toBe("stale");
  }, 60_000);

  it("keeps its approval if today's judgement finds nothing more", async () => {
    const projectId = await liveProject(noteBlueprint());
    const proposal = await propose(projectId, opened);
    const { id: proposalId, hash, consents } = proposal;
    await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
    await world.restartControl();
    await finished(owner, (await owner.client.deployments.create.mutate({ proposalId })).deploymentId);
  }, 60_000);
});
