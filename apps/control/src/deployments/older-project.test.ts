// Projects that an older version of Plinth deployed, with a real cell: in an older format of the bundle, or with a text that
// today's language refuses. Both are served, compared with a change, and deployed again.
import { readFileSync } from "node:fs";
import { hashOf } from "@plinth/bundle";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { proposalHash } from "../proposals/hash.ts";
import { codeOf, createWorld, finished, goLive, type Somebody, type World } from "../testing/control-plane.ts";

const testdata = new URL("../../../../packages/bundle/src/upgrades/testdata/", import.meta.url);
const format1 = JSON.parse(readFileSync(new URL("format-1/market-square.json", testdata), "utf8"));

let world: World;
let owner: Somebody;
let slugs = 0;

beforeAll(async () => {
  world = await createWorld({ cell: true });
}, 60_000);

afterAll(() => world?.stop());

/** With its own owner, because the name of a project is unique in its organization. */
async function newProject(): Promise<string> {
  owner = await world.signUp(`owner${slugs}`);
  const { organizationId } = owner;
  return (await owner.client.projects.create.mutate({ organizationId, slug: `older-${++slugs}` })).id;
}

async function status(projectId: string, path: string): Promise<number> {
  const { key } = await owner.client.keys.create.mutate({ projectId, name: "test", kind: "secret" });
  const response = await fetch(`${world.apiUrl}${path}`, { headers: { authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.status;
}

async function deploy(proposalId: string): Promise<void> {
  const { hash, consents } = await owner.client.proposals.get.query({ proposalId });
  await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
  const { deploymentId } = await owner.client.deployments.create.mutate({ proposalId });
  await finished(owner, deploymentId);
}

describe("a project of format 1", () => {
  it("is deployed under the hash of that format, then changed and deployed in the newest format", async () => {
    const projectId = await newProject();
    const { id } = await owner.client.proposals.create.mutate({ projectId, text: format1.text });
    // As the old version stored it.
    const { rows } = await world.pool.query("SELECT * FROM control.proposals WHERE id = $1", [id]);
    const { diff, refused, author, consents, losses } = rows[0];
    const { text, bundle, plan } = format1;
    const hash = proposalHash({ base: null, text, diff, plan, refused, bundle, author, consents, losses });
    await world.pool.query(
      "UPDATE control.proposals SET bundle = $2, plan = $3, bundle_hash = $4, hash = $5 WHERE id = $1",
      [id, JSON.stringify(bundle), JSON.stringify(plan), hashOf(bundle), hash],
    );
    await world.pool.query("UPDATE control.blueprint_versions SET model = NULL, model_version = NULL");
    // The console shows its plan like any other.
    const shown = await owner.client.proposals.get.query({ proposalId: id });
    expect(shown.plan.steps[0]).toMatchObject({ kind: "statement", class: "safe", phase: "before" });
    await deploy(id);
    expect(await status(projectId, "/api/listings")).toBe(200);

    // In today's syntax: the old language emptied optional references.
    const live = text.replace("created_by: user_ref?", "created_by: user_ref? on_delete(set_null)");
    const next = await owner.client.proposals.create.mutate({
      projectId,
      text: live.replace("price: int\n", "price: int\n      colour: string?\n"),
    });
    // The documents of two versions of Plinth also differ in descriptions of users; the project itself differs in one field.
    expect(next.diff.map(({ path }) => path).filter((path) => !path.startsWith("api."))).toEqual(["listing.colour"]);
    expect(next.consents.filter((consent) => !consent.startsWith("breaking api."))).toEqual([]);
    expect(next.plan.refused).toEqual([]);
    // The parts that format 1 created differently are updated too, visible to the approver.
    const summaries = next.plan.steps.map(({ summary }) => summary);
    expect(summaries).toContain("Remove the old unique constraint on users (email); the new one replaces it.");
    expect(summaries).toContain("Add a foreign key from inquiries.listing_id to listings.");
    await deploy(next.id);
    expect(await status(projectId, "/api/listings?colour=red")).toBe(200);
  });
});

const NOTES = `project: notes
modules: [auth, users, roles]
entities:
  note:
    fields:
      title: string
      body: text?
    permissions:
      admin:
        all: true
`;
/** Simulates that an older version read it. */
const WITH_OLD_KEY = `${NOTES}spell_checking: strict\n`;

describe("a text of a language that emptied optional references", () => {
  const blueprint = (reference: string): string =>
    NOTES.replace("text?\n", `text?\n      about_id: ref(note)?${reference} as(notes_about) # another\n`);
  const [then, today] = [blueprint(""), blueprint(" on_delete(set_null)")];

  it("is shown in today's syntax after the next start, keeps its meaning, and can be uploaded again with today's meaning", async () => {
    const projectId = await newProject();
    await goLive(owner, projectId, today);
    const { versionId } = (await owner.client.blueprints.current.query({ projectId }))!;
    await world.pool.query(
      "UPDATE control.blueprint_versions SET text = $2, hash = $3, model = NULL, model_version = NULL WHERE id = $1",
      [versionId, then, hashOf(then)],
    );
    // Also before it is stored.
    const early = await owner.client.proposals.create.mutate({ projectId, text: today });
    expect([early.diff, early.plan.steps]).toEqual([[], []]);
    await world.restartControl();
    await expect
      .poll(async () => (await owner.client.blueprints.current.query({ projectId }))?.text, { timeout: 20_000 })
      .toBe(today);
    expect(await owner.client.blueprints.get.query({ versionId })).toMatchObject({ text: today });

    const same = await owner.client.proposals.create.mutate({ projectId, text: today });
    expect([same.diff, same.plan.steps]).toEqual([[], []]);
    const again = await owner.client.proposals.create.mutate({ projectId, text: then });
    expect(again.text).toBe(then);
    expect(again.diff.map(({ path, classes }) => [path, classes])).toEqual([["note.about_id", ["breaking"]]]);
    await deploy(again.id);
    expect(await owner.client.blueprints.current.query({ projectId })).toMatchObject({ text: then });
  });
});

describe("a live text that today's language refuses", () => {
  /** @param keepsModel Whether the version that deployed it stored models. */
  async function liveWith(text: string, keepsModel: boolean): Promise<string> {
    const projectId = await newProject();
    await goLive(owner, projectId, NOTES);
    await world.pool.query(
      `UPDATE control.blueprint_versions SET text = $2 ${keepsModel ? "" : ", model = NULL, model_version = NULL, model_hash = 'of then'"}
       WHERE project_id = $1`,
      [projectId, text],
    );
    expect((await owner.client.blueprints.validate.mutate({ text })).model).toBeNull();
    return projectId;
  }

  async function correct(projectId: string): Promise<void> {
    expect(await status(projectId, "/api/notes")).toBe(200);
    expect(await owner.client.data.entities.query({ projectId })).toMatchObject([{ name: "note", plural: "notes" }]);
    const corrected = await owner.client.proposals.create.mutate({
      projectId,
      text: NOTES.replace("      body: text?\n", ""),
    });
    expect(corrected.consents).toContain("destructive note.body");
    expect(corrected.diff.filter(({ classes }) => classes.includes("destructive")).map(({ path }) => path)).toEqual([
      "note.body",
    ]);
    await deploy(corrected.id);
    expect(await status(projectId, "/api/notes")).toBe(200);
    expect(await owner.client.blueprints.current.query({ projectId })).toMatchObject({ text: corrected.text });
  }

  it("is served, compared with the stored model, and corrected", async () => {
    await correct(await liveWith(WITH_OLD_KEY, true));
  });

  it("is compared with the stored model even if almost none of the text can be read", async () => {
    await correct(await liveWith("project: notes\nentities: [a, b]\n", true));
  });

  it("is compared with its readable parts, if they compile to exactly the served bundle", async () => {
    await correct(await liveWith(WITH_OLD_KEY, false));
  });

  it("is served, and a change is refused with an explanation, if nothing else is known", async () => {
    const projectId = await liveWith(NOTES.replace("body: text?", "body: poem?"), false);
    expect(await status(projectId, "/api/notes")).toBe(200);
    const change = (): Promise<unknown> => owner.client.proposals.create.mutate({ projectId, text: NOTES });
    expect(await codeOf(change())).toBe("PRECONDITION_FAILED");
    await expect(change()).rejects.toThrow(/is still served, but .* no longer valid.* line 7: /);
  });

  it("gets a stored model at the next start, while the language still accepts it", async () => {
    const projectId = await newProject();
    await goLive(owner, projectId, NOTES);
    await world.pool.query(
      "UPDATE control.blueprint_versions SET model = NULL, model_version = NULL WHERE project_id = $1",
      [projectId],
    );
    await world.restartControl();
    for (;;) {
      const { rows } = await world.pool.query(
        "SELECT model_version, model->'entities'->0->>'name' AS name FROM control.blueprint_versions WHERE project_id = $1",
        [projectId],
      );
      if (rows[0].model_version === null) continue;
      expect(rows).toEqual([{ model_version: 1, name: "note" }]);
      break;
    }
  });
});
