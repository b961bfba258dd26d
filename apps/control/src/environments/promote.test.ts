// Promotes a blueprint from one environment to the next: the proposal's content and required consents, and that nothing is
// reverted silently.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Proposal } from "../proposals/api.ts";
import {
  approveAndDeploy,
  codeOf,
  createWorld,
  failureOf,
  finished,
  goLive,
  type Somebody,
  type World,
} from "../testing/control-plane.ts";
import { noteBlueprint } from "../testing/note-blueprint.ts";

const BODY = "      body: text?\n";
const MOOD = "      mood: string?\n";

let world: World;
let owner: Somebody;
let organizationId: string;
let slugs = 0;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
}, 60_000);

afterAll(() => world?.stop());

interface Family {
  readonly production: string;
  readonly development: string;
  readonly preview: string;
  readonly text: (fields?: string) => string;
}

/** All three are live with the same text. */
async function family(fields = ""): Promise<Family> {
  const slug = `promoted-${++slugs}`;
  const text = (more = ""): string => noteBlueprint(more, { project: slug });
  const production = (await owner.client.projects.create.mutate({ organizationId, slug })).id;
  await goLive(owner, production, text(fields));
  const environment = async (kind: "development" | "preview"): Promise<string> => {
    const { id, deploymentId } = await owner.client.environments.create.mutate({ projectId: production, kind });
    await finished(owner, deploymentId ?? "");
    return id;
  };
  return { production, development: await environment("development"), preview: await environment("preview"), text };
}

const promote = (fromProjectId: string, projectId: string, overwrite = false): Promise<Proposal> =>
  owner.client.environments.promote.mutate({ projectId, fromProjectId, overwrite });
const standing = async (fromProjectId: string, projectId: string) =>
  (await owner.client.environments.compare.query({ projectId, fromProjectId })).standing;

const liveText = async (projectId: string) => (await owner.client.blueprints.current.query({ projectId }))?.text;
async function write(projectId: string, record: object): Promise<Response> {
  const { key } = await owner.client.keys.create.mutate({ projectId, name: "writes", kind: "secret" });
  return fetch(`${world.apiUrl}/v1/resources/notes`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(record),
  });
}

describe("promoting", () => {
  it("moves a version from development to preview to production, and shows its origin", async () => {
    const { production, development, preview, text } = await family();
    await goLive(owner, development, text(BODY));
    expect(await standing(development, preview)).toBe("ready");
    const first = await promote(development, preview);
    expect(first.diff.map(({ kind }) => kind)).toEqual(["field_added"]);
    const live = (await owner.client.projects.get.query({ projectId: development })).live;
    expect(first.promotedFrom).toEqual({
      environmentId: development,
      kind: "development",
      name: "development",
      versionId: live?.versionId,
      deploymentId: live?.deploymentId,
      hash: live?.hash,
      deployedAt: live?.deployedAt,
      takesBack: [],
    });
    expect(await liveText(preview)).toBe(text());
    await finished(owner, await approveAndDeploy(owner, first));
    await finished(owner, await approveAndDeploy(owner, await promote(preview, production)));
    expect(await liveText(production)).toBe(text(BODY));
    const { rows } = await world.pool.query(
      `SELECT detail->'promotedFrom'->>'name' AS name FROM control.audit
       WHERE project_id = $1 AND action = 'proposal.created' AND detail->'promotedFrom' IS NOT NULL`,
      [production],
    );
    expect(rows).toEqual([{ name: "preview" }]);
    const [listed] = await owner.client.proposals.list.query({ projectId: production });
    expect(listed?.promotedFrom?.environmentId).toBe(preview);
  }, 60_000);

  it("requires the consents of the target, and is measured on the target's own data", async () => {
    const { production, preview, text } = await family(BODY);
    await write(production, { title: "kept", body: "here" });
    await write(production, { title: "without" });
    await goLive(owner, preview, text());
    const proposal = await promote(preview, production);
    expect(proposal.consents).toContain("destructive note.body");
    const { id: proposalId, hash } = proposal;
    expect(await codeOf(owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] }))).toBe(
      "PRECONDITION_FAILED",
    );
    await goLive(owner, preview, text("      body: text\n"));
    const filled = await promote(preview, production);
    const violators = filled.measures?.steps.flatMap((step) => (step.violators === null ? [] : [step.violators.count]));
    expect(violators).toEqual([1]);
  }, 60_000);

  it("reports if nothing is live, or nothing differs", async () => {
    const { production, preview } = await family();
    const { id: empty } = await owner.client.environments.create.mutate({
      projectId: production,
      kind: "preview",
      name: "empty",
      empty: true,
    });
    expect(await standing(empty, production)).toBe("nothing_live");
    expect(await failureOf(promote(empty, production))).toContain("Nothing is live in empty");
    expect(await standing(preview, production)).toBe("same");
    expect(await failureOf(promote(preview, production))).toBe("production already serves the same blueprint.");
    expect(await failureOf(promote(production, production))).toContain("Name two environments");
    // Only the live version is promoted, although a proposal waits in the source.
    await owner.client.proposals.create.mutate({
      projectId: preview,
      text: noteBlueprint(BODY, { project: "waiting" }),
    });
    expect(await standing(preview, production)).toBe("same");
    await finished(owner, await approveAndDeploy(owner, await promote(production, empty)));
  }, 60_000);
});

describe("a change of the target alone", () => {
  it("is shown, and reverted only with `overwrite`", async () => {
    const { production, preview, text } = await family();
    await goLive(owner, production, text(MOOD));
    await goLive(owner, preview, text(BODY));
    const compared = await owner.client.environments.compare.query({ projectId: production, fromProjectId: preview });
    expect(compared.standing).toBe("diverged");
    expect(compared.takenBack.map(({ path }) => path)).toEqual(["note.mood"]);
    expect(compared.changes?.map(({ path }) => path).toSorted()).toEqual(["note.body", "note.mood"]);
    const made = (await owner.client.proposals.list.query({ projectId: production })).length;
    expect(await failureOf(promote(preview, production))).toMatch(
      /^production has changes that preview lacks\. .*mood.* Make these changes in preview first/,
    );
    const proposal = await promote(preview, production, true);
    expect(await owner.client.proposals.list.query({ projectId: production })).toHaveLength(made + 1);
    expect(proposal.promotedFrom?.takesBack).toEqual([expect.stringContaining("mood")]);
    expect(proposal.consents).toContain("destructive note.mood");
    // After the same change in the source, nothing is lost any more.
    await goLive(owner, preview, text(BODY + MOOD));
    expect(await standing(preview, production)).toBe("ready");
    const merged = await promote(preview, production);
    expect(merged.diff.map(({ path }) => path)).toEqual(["note.body"]);
    // A different change of the same thing there would still revert it.
    await goLive(owner, preview, text(`${BODY}      mood: text?\n`));
    expect(await standing(preview, production)).toBe("diverged");
  }, 60_000);

  it("is known across deleted environments, and if the source is only behind", async () => {
    const { production, development, preview, text } = await family();
    await goLive(owner, development, text(BODY));
    await finished(owner, await approveAndDeploy(owner, await promote(development, production)));
    expect(await standing(preview, production)).toBe("behind");
    expect(await failureOf(promote(preview, production))).toContain("had this version of preview earlier");
    await goLive(owner, development, text(BODY + MOOD));
    await finished(owner, await approveAndDeploy(owner, await promote(development, preview)));
    await owner.client.environments.delete.mutate({ projectId: development });
    // Production's version is in the lineage of preview's version, although it was never live in preview.
    expect(await standing(preview, production)).toBe("ready");
    const proposal = await promote(preview, production);
    expect(proposal.diff.map(({ path }) => path)).toEqual(["note.mood"]);
    await owner.client.environments.delete.mutate({ projectId: preview });
    await finished(owner, await approveAndDeploy(owner, proposal));
    const { promotedFrom } = await owner.client.proposals.get.query({ proposalId: proposal.id });
    expect(promotedFrom).toMatchObject({ name: "preview", environmentId: preview });
  }, 60_000);
});

describe("an outdated promotion", () => {
  it("is promoted again when it is renewed: a hotfix in production is not taken back", async () => {
    const { production, preview, text } = await family();
    await goLive(owner, preview, text(BODY));
    const promoted = await promote(preview, production);
    // Taking it back needs no consent.
    const hotfix = (fields: string): string => text(fields).replace("title: string", "title: string(0, 50)");
    await goLive(owner, production, hotfix(""));
    const renew = () => owner.client.proposals.renew.mutate({ proposalId: promoted.id });
    const made = (await owner.client.proposals.list.query({ projectId: production })).length;
    expect(await failureOf(renew())).toMatch(/^production has changes that preview lacks\. .*title/);
    expect(await owner.client.proposals.list.query({ projectId: production })).toHaveLength(made);
    await goLive(owner, preview, hotfix(BODY));
    const renewed = await renew();
    expect(renewed).toMatchObject({ text: hotfix(BODY), promotedFrom: { name: "preview", takesBack: [] } });
    expect(renewed.diff.map(({ path }) => path)).toEqual(["note.body"]);
    await owner.client.environments.delete.mutate({ projectId: preview });
    expect(await failureOf(renew())).toBe("The environment preview doesn't exist any more. Promote from another.");
  }, 60_000);
});

describe("at once", () => {
  it("two promotions: the second is stale when the first is live, and can't be renewed over the first", async () => {
    const { production, development, preview, text } = await family();
    await goLive(owner, development, text(BODY));
    await goLive(owner, preview, text(MOOD));
    const [one, two] = await Promise.all([promote(development, production), promote(preview, production)]);
    const approve = ({ id: proposalId, hash, consents }: Proposal) =>
      owner.client.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
    await Promise.all([approve(one), approve(two)]);
    const begin = ({ id: proposalId }: Proposal) => codeOf(owner.client.deployments.create.mutate({ proposalId }));
    const outcomes = await Promise.all([begin(one), begin(two)]);
    expect(outcomes.toSorted()).toEqual(["CONFLICT", null]);
    const [won, lost] = outcomes[0] === null ? [one, two] : [two, one];
    const { deploymentId } = await owner.client.proposals.get.query({ proposalId: won.id });
    await finished(owner, deploymentId ?? "");
    expect(await liveText(production)).toBe(won.text);
    expect((await owner.client.proposals.get.query({ proposalId: lost.id })).status).toBe("stale");
    const renewal = owner.client.proposals.renew.mutate({ proposalId: lost.id });
    expect(await failureOf(renewal)).toMatch(/^production has changes that \w+ lacks\. .*(body|mood)/);
  }, 60_000);

  it("a promotion while the target deploys is compared with the live version, and is stale afterwards", async () => {
    const { production, preview, text } = await family();
    await goLive(owner, preview, text(BODY));
    const other = await owner.client.proposals.create.mutate({ projectId: production, text: text(MOOD) });
    await world.stopCell();
    const deploymentId = await approveAndDeploy(owner, other);
    expect(await codeOf(promote(preview, production))).toBe("SERVICE_UNAVAILABLE");
    await world.startCell();
    await finished(owner, deploymentId);
    expect(await standing(preview, production)).toBe("diverged");
  }, 60_000);

  it("a promotion to an environment that is being deleted either succeeds or is refused", async () => {
    const { development, preview, text } = await family();
    await goLive(owner, development, text(BODY));
    const [promoted, deleted] = await Promise.all([
      codeOf(promote(development, preview)),
      codeOf(owner.client.environments.delete.mutate({ projectId: preview })),
    ]);
    expect(deleted).toBeNull();
    // The third can call the cell while the schema is being dropped.
    expect([null, "NOT_FOUND", "SERVICE_UNAVAILABLE"]).toContain(promoted);
    expect(await codeOf(owner.client.proposals.list.query({ projectId: preview }))).toBe("NOT_FOUND");
  }, 60_000);
});
