// One timeline of changes: each has a number, a title, its author and one state, the same in every list.
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeOf, createWorld, finished, goLive, type Somebody, type World } from "../testing/control-plane.ts";
import { noteBlueprint } from "../testing/note-blueprint.ts";
import { titleOf } from "./title.ts";

let world: World;
let owner: Somebody;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  owner = await world.signUp("owner");
}, 60_000);
afterAll(() => world?.stop());

async function newProject(slug: string): Promise<string> {
  const { organizationId } = owner;
  return (await owner.client.projects.create.mutate({ organizationId, slug })).id;
}

const propose = (projectId: string, text: string, title?: string) =>
  owner.client.proposals.create.mutate({ projectId, text, ...(title === undefined ? {} : { title }) });
const timeline = async (projectId: string, filter = {}) =>
  (await owner.client.proposals.timeline.query({ projectId, ...filter })).changes.map(
    ({ number, title, state }) => `${number} ${title}: ${state}`,
  );

it("previews a text without an entry in the timeline", async () => {
  const projectId = await newProject("shown");
  await goLive(owner, projectId, noteBlueprint("      body: text?\n", { project: "shown" }));
  const before = await timeline(projectId);
  const text = noteBlueprint("      mood: string?\n", { project: "shown" });
  const shown = await owner.client.proposals.preview.mutate({ projectId, text });
  expect(await timeline(projectId)).toEqual(before);
  const { text: proposed, diff, plan, consents, measures } = await propose(projectId, text);
  // Each comparison creates new ids of steps.
  const named = (steps: typeof plan.steps) => steps.map(({ kind, summary }) => ({ kind, summary }));
  expect(shown).toMatchObject({ text: proposed, diff, consents });
  expect(named(shown.plan.steps)).toEqual(named(plan.steps));
  expect(shown.consents).toContain("destructive note.body");
  expect(shown.measures?.steps).toHaveLength(measures?.steps.length ?? 0);
  const wrong = owner.client.proposals.preview.mutate({
    projectId,
    text: noteBlueprint("      mood: strin\n", { project: "shown" }),
  });
  await expect(wrong).rejects.toMatchObject({ data: { code: "BAD_REQUEST", diagnostics: [{ severity: "error" }] } });
});

it("shows the number, title and state of every change", async () => {
  const projectId = await newProject("notes");
  const first = await goLive(owner, projectId, noteBlueprint());
  const second = await propose(projectId, noteBlueprint("      body: text?\n"));
  const rejected = await propose(projectId, noteBlueprint("      mood: string?\n"), "Moods");
  await owner.client.proposals.reject.mutate({ proposalId: rejected.id });
  const outdated = await propose(projectId, noteBlueprint("      pages: string?\n"));
  await owner.client.proposals.approve.mutate({ proposalId: second.id, hash: second.hash, consents: [] });
  await finished(owner, (await owner.client.deployments.create.mutate({ proposalId: second.id })).deploymentId);
  const entries = await timeline(projectId);
  expect(entries).toEqual([
    `4 ${outdated.title}: outdated`,
    "3 Moods: rejected",
    `2 ${second.title}: live`,
    "1 First version: replaced",
  ]);
  expect(second.title).toMatch(/body/);
  expect((await owner.client.proposals.get.query({ proposalId: rejected.id })).rejected).toMatchObject({
    by: { email: owner.email },
    at: expect.stringMatching(/^\d{4}-/),
  });
  expect(second.rejected).toBeNull();
  const listed = await owner.client.proposals.list.query({ projectId });
  expect(listed.map(({ number, title, state }) => `${number} ${title}: ${state}`)).toEqual(entries);
  expect(await owner.client.proposals.get.query({ proposalId: first.proposalId })).toMatchObject({
    number: 1,
    state: "replaced",
  });

  const back = await owner.client.proposals.createFromVersion.mutate({
    projectId,
    versionId: (await owner.client.proposals.get.query({ proposalId: first.proposalId })).versionId,
  });
  expect(back.title).toBe("Go back to #1: First version");
  const renamed = await owner.client.proposals.rename.mutate({ proposalId: back.id, title: "  Without bodies " });
  expect(renamed.title).toBe("Without bodies");
  for (const title of [" ", "two\nlines", "x".repeat(121)])
    expect(await codeOf(owner.client.proposals.rename.mutate({ proposalId: back.id, title }))).toBe("BAD_REQUEST");

  expect(await timeline(projectId, { states: ["rejected", "live"] })).toEqual(entries.slice(1, 3));
  expect(await timeline(projectId, { search: "mood" })).toEqual([entries[1]]);
  expect(await timeline(projectId, { search: "#2" })).toEqual([entries[2]]);
  expect(await timeline(projectId, { search: "100%_" })).toEqual([]);
  expect(await timeline(projectId, { before: 3 })).toEqual(entries.slice(2));

  const removed = await propose(projectId, noteBlueprint());
  expect(removed.title).toMatch(/body/);
  const [newest] = (await owner.client.proposals.timeline.query({ projectId })).changes;
  expect(newest).toMatchObject({ number: removed.number, risks: expect.arrayContaining(["destructive"]) });
});

it("pages through many without missing or repeating one", async () => {
  const projectId = await newProject("many");
  const { id, versionId } = await propose(projectId, noteBlueprint("", { project: "many" }));
  await world.pool.query(
    `INSERT INTO control.proposals SELECT (jsonb_populate_record(p, jsonb_build_object(
       'id', 'prp_' || lpad(n::text, 20, '0'), 'number', n))).* FROM control.proposals p, generate_series(2, 60) n WHERE p.id = $1`,
    [id],
  );
  const seen: number[] = [];
  for (let before: number | null | undefined; before !== null; ) {
    const page = await owner.client.proposals.timeline.query({ projectId, before });
    seen.push(...page.changes.map(({ number }) => number));
    before = page.next;
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
  expect(versionId).toMatch(/^ver_/);
});

it("a failed change is shown as failed everywhere, and an unavailable cell is shown", async () => {
  const projectId = await newProject("failing");
  await goLive(owner, projectId, noteBlueprint("", { project: "failing" }));
  const { id: proposalId, hash } = await propose(
    projectId,
    noteBlueprint("      body: text?\n", { project: "failing" }),
  );
  await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] });
  // The table of the plan already exists, created by hand.
  await world.cellPool.query(`ALTER TABLE t_${projectId.slice(4)}.notes ADD COLUMN body text`);
  await world.stopCell();
  const { deploymentId } = await owner.client.deployments.create.mutate({ proposalId });
  const deployment = () => owner.client.deployments.get.query({ deploymentId });
  await expect.poll(async () => (await deployment()).waitingSince, { timeout: 10_000 }).toEqual(expect.any(String));
  expect((await owner.client.proposals.timeline.query({ projectId })).changes[0]).toMatchObject({
    state: "deploying",
    waitingSince: expect.any(String),
  });
  await world.startCell();
  await expect.poll(async () => (await deployment()).status, { timeout: 20_000 }).toBe("failed");
  expect((await deployment()).waitingSince).toBeNull();
  const [entry] = (await owner.client.proposals.timeline.query({ projectId })).changes;
  expect(entry).toMatchObject({ state: "failed", error: (await deployment()).error });
  expect((await owner.client.proposals.get.query({ proposalId })).state).toBe("failed");
  expect((await owner.client.proposals.list.query({ projectId }))[0]?.state).toBe("failed");
}, 60_000);

it("a title names the author's change before its consequences", () => {
  const change = (kind: string, summary: string) => ({ kind, path: "x", summary, classes: ["safe"] }) as never;
  expect(titleOf([], false)).toBe("Change the text only");
  expect(titleOf([change("index_added", "Index a."), change("entity_added", "Add b.")], false)).toBe(
    "Add b and one more change",
  );
  const long = titleOf(
    Array.from({ length: 9 }, () => change("field_added", "a".repeat(300))),
    false,
  );
  expect(long).toHaveLength(120);
  expect(long).toMatch(/a… and 8 more changes$/);
});

it("a title begins with the gravest change", () => {
  const change = (summary: string, ...classes: string[]) => ({ kind: "field_added", path: "x", summary, classes });
  const changes = [
    change("Add a.", "safe"),
    change("Mails go to b.", "widens_egress"),
    change("Everybody reads c.", "loosens_access"),
    change("Drop d.", "destructive", "breaking"),
  ];
  expect(titleOf(changes as never, false)).toBe("Drop d and 3 more changes");
  expect(titleOf(changes.slice(0, 3) as never, false)).toBe("Everybody reads c and 2 more changes");
  expect(titleOf(changes.slice(0, 2) as never, false)).toBe("Mails go to b and one more change");
});

it("a title is the first sentence of what the change does", () => {
  const renamed = {
    kind: "entity_renamed",
    path: "x",
    summary: "Rename `a` to `b`. Its records are kept.",
    classes: [],
  };
  const added = { kind: "field_added", path: "y", summary: "Add the field c (decimal(3.2)) to `b`.", classes: [] };
  expect(titleOf([renamed, added] as never, false)).toBe("Rename a to b and one more change");
  expect(titleOf([added] as never, false)).toBe("Add the field c (decimal(3.2)) to b");
});
