// Drafts are stored on the server, one for each person and project. No save overwrites a version that it hasn't seen, and undo
// works after reloads, within limits.
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeOf, createWorld, goLive, join, type Somebody, type World } from "../testing/control-plane.ts";
import { noteBlueprint } from "../testing/note-blueprint.ts";

let world: World;
let owner: Somebody;
let second: Somebody;
let organizationId: string;

beforeAll(async () => {
  world = await createWorld({ cell: true, env: { PLINTH_MAX_DRAFT_STEPS: "3", PLINTH_MAX_DRAFT_BYTES: "1000" } });
  [owner, second] = [await world.signUp("owner"), await world.signUp("second")];
  organizationId = owner.organizationId;
  await join(owner, second, organizationId, "owner");
}, 60_000);
afterAll(() => world?.stop());

const newProject = async (slug: string): Promise<string> =>
  (await owner.client.projects.create.mutate({ organizationId, slug })).id;
const save = (
  who: Somebody,
  projectId: string,
  text: string,
  after: number | null,
  baseVersionId: string | null = null,
) => who.client.drafts.save.mutate({ projectId, text, after, baseVersionId });
const get = (who: Somebody, projectId: string) => who.client.drafts.get.query({ projectId });
/** Simulates that the last save is older, because saves within a few seconds are one step. */
const later = (projectId: string) =>
  world.pool.query(
    "UPDATE control.earlier_drafts SET saved_at = saved_at - interval '1 minute' WHERE project_id = $1",
    [projectId],
  );

it("a save based on another version is refused, a repeated save isn't, and two people have separate drafts", async () => {
  const projectId = await newProject("shared");
  expect(await get(owner, projectId)).toEqual({ draft: null, ended: null });
  expect((await save(owner, projectId, "a", null)).version).toBe(1);
  expect((await save(owner, projectId, "a", null)).version, "sent again").toBe(1);
  expect(await codeOf(save(owner, projectId, "other tab", null))).toBe("CONFLICT");
  expect((await save(owner, projectId, "b", 1)).version).toBe(2);
  expect(await codeOf(save(owner, projectId, "c", 1))).toBe("CONFLICT");
  const both = await Promise.allSettled([save(owner, projectId, "x", 2), save(owner, projectId, "y", 2)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);

  expect((await save(second, projectId, "mine", null)).version).toBe(1);
  expect((await get(owner, projectId)).draft?.text).toMatch(/[xy]/);
  expect((await get(second, projectId)).draft?.text).toBe("mine");
});

it("undo goes back as far as the operator allows, in number and bytes", async () => {
  const projectId = await newProject("undone");
  let after: number | null = null;
  for (const text of ["one", "two", "three", "four", "five", "six"]) {
    after = (await save(owner, projectId, text, after)).version;
    await later(projectId);
  }
  const history = await owner.client.drafts.history.query({ projectId });
  expect(history.map(({ version, bytes }) => [version, bytes])).toEqual([
    [5, 4],
    [4, 4],
    [3, 5],
  ]);
  const earlier = await owner.client.drafts.earlier.query({ projectId, version: 4 });
  expect(earlier.text).toBe("four");
  expect(await codeOf(second.client.drafts.earlier.query({ projectId, version: 4 }))).toBe("NOT_FOUND");
  for (const text of ["a".repeat(600), "b".repeat(600), "c"]) {
    after = (await save(owner, projectId, text, after)).version;
    await later(projectId);
  }
  expect((await owner.client.drafts.history.query({ projectId })).map(({ bytes }) => bytes)).toEqual([600]);
});

it("saves within a few seconds are one step", async () => {
  const projectId = await newProject("quick");
  let after: number | null = null;
  for (const text of ["one", "two", "three", "four"]) after = (await save(owner, projectId, text, after)).version;
  expect(await owner.client.drafts.history.query({ projectId })).toHaveLength(1);
});

it("a draft ends when its text goes live, and can be restored; the drafts of others stay", async () => {
  const projectId = await newProject("ending");
  const text = noteBlueprint("", { project: "ending" });
  await save(owner, projectId, text, null);
  await save(second, projectId, noteBlueprint("      body: text?\n", { project: "ending" }), null);
  await goLive(owner, projectId, text);
  expect(await get(owner, projectId)).toMatchObject({ draft: null, ended: { endedBy: "deployed" } });
  const theirs = (await get(second, projectId)).draft;
  const live = (await owner.client.blueprints.current.query({ projectId }))?.versionId ?? "";
  expect(theirs?.baseVersionId, "the live version moved on").not.toBe(live);
  expect((await save(second, projectId, `${theirs?.text}# rebased\n`, 1, live)).version).toBe(2);
  expect((await get(second, projectId)).draft?.baseVersionId).toBe(live);

  expect((await owner.client.drafts.restore.mutate({ projectId })).text).toBe(text);
  expect(await codeOf(owner.client.drafts.restore.mutate({ projectId }))).toBe("CONFLICT");
  const { version = 0 } = (await get(owner, projectId)).draft ?? {};
  expect(await codeOf(owner.client.drafts.discard.mutate({ projectId, version: version - 1 }))).toBe("CONFLICT");
  await owner.client.drafts.discard.mutate({ projectId, version });
  expect((await get(owner, projectId)).ended?.endedBy).toBe("discarded");
  expect((await save(owner, projectId, "anew", null)).version).toBe(version + 1);
  const [before] = await owner.client.drafts.history.query({ projectId });
  expect(before?.version, "a discarded text is a step of undo").toBe(version);
  await owner.client.drafts.discard.mutate({ projectId, version: version + 1 });
  await world.pool.query("UPDATE control.drafts SET ended_at = ended_at - interval '8 days'");
  expect((await get(owner, projectId)).ended).toBeNull();
  expect(await codeOf(owner.client.drafts.restore.mutate({ projectId }))).toBe("NOT_FOUND");
});

it("refuses a text that is too long, a base of another project, and too many saves", async () => {
  const projectId = await newProject("refused");
  const other = await newProject("other");
  await goLive(owner, other, noteBlueprint("", { project: "other" }));
  const base = (await owner.client.blueprints.current.query({ projectId: other }))?.versionId ?? "";
  expect(await codeOf(save(owner, projectId, "x", null, base))).toBe("NOT_FOUND");
  expect(await codeOf(save(owner, projectId, "x".repeat(1_048_577), null))).toBe("BAD_REQUEST");
  const busy = await world.signUp("busy");
  await join(owner, busy, organizationId, "owner");
  // More than the limit, because it grows again while they are saved.
  const saves = await Promise.all(Array.from({ length: 320 }, () => codeOf(save(busy, projectId, "same", null))));
  const refused = saves.filter((code) => code === "TOO_MANY_REQUESTS").length;
  expect([refused > 0, refused <= 80]).toEqual([true, true]);
});
