// Proposals with a real cell: required consents, measurements of the live database, drift, restoring an earlier version, and
// resuming a deployment.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  approveAndDeploy,
  codeOf,
  createWorld,
  failureOf,
  finished,
  goLive,
  programOf,
  type Somebody,
  until,
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

/** With its own owner, because the name of a project is unique in its organization. */
async function liveProject(text: string): Promise<string> {
  owner = await world.signUp("owner");
  const { organizationId } = owner;
  const { id } = await owner.client.projects.create.mutate({ organizationId, slug: "notes" });
  await goLive(owner, id, text);
  return id;
}

function propose(projectId: string, text: string): Promise<Proposal> {
  return owner.client.proposals.create.mutate({ projectId, text });
}

/** Runs statements as the owner of the cell's database, like a person with a password who changes it by hand. */
async function inCell(projectId: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await world.cellPool.query(sql.replaceAll("SCHEMA", `t_${projectId.slice(4)}`));
  return rows;
}

async function api(projectId: string): Promise<(method: string, path: string, body?: unknown) => Promise<unknown>> {
  const { key } = await owner.client.keys.create.mutate({ projectId, name: "test", kind: "secret" });
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${world.apiUrl}${path}`, { method, headers, ...sent });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: unknown }).data;
  };
}

describe("an approval", () => {
  it("gives exactly the required consents, which are in the audit log and in the signed publication", async () => {
    const projectId = await liveProject(noteBlueprint("      body: text?\n"));
    const proposal = await propose(projectId, noteBlueprint());
    expect(proposal.consents).toContain("destructive note.body");
    const { id: proposalId, hash } = proposal;
    const approve = (consents: string[]): Promise<unknown> =>
      owner.client.proposals.approve.mutate({ proposalId, hash, consents });
    expect(await codeOf(approve([]))).toBe("PRECONDITION_FAILED");
    expect(await failureOf(approve([]))).toContain("destructive note.body");
    expect(await codeOf(approve([...proposal.consents, "destructive note.title"]))).toBe("PRECONDITION_FAILED");
    expect((await owner.client.proposals.get.query({ proposalId })).status).toBe("open");
    await finished(owner, await approveAndDeploy(owner, proposal));
    const { rows } = await world.pool.query(
      "SELECT detail FROM control.audit WHERE subject = $1 AND action = 'proposal.approved'",
      [proposalId],
    );
    expect(rows[0].detail.consents).toEqual(proposal.consents);
    const [release] = await inCell(
      projectId,
      "SELECT r.approval FROM plinth.releases r JOIN plinth.projects p ON p.active_release_id = r.id WHERE p.id = 'prj_SCHEMA'".replace(
        "prj_SCHEMA",
        projectId,
      ),
    );
    expect(JSON.parse(String(release?.["approval"])).consents).toEqual(proposal.consents);
  });

  it("is not deployed if the consents were changed afterwards", async () => {
    const projectId = await liveProject(noteBlueprint("      body: text?\n"));
    const proposal = await propose(projectId, noteBlueprint());
    await owner.client.proposals.approve.mutate({
      proposalId: proposal.id,
      hash: proposal.hash,
      consents: [...proposal.consents],
    });
    await world.pool.query(`UPDATE control.proposals SET consents = '[]' WHERE id = $1`, [proposal.id]);
    const { deploymentId } = await owner.client.deployments.create.mutate({ proposalId: proposal.id });
    await until(async () => (await owner.client.deployments.get.query({ deploymentId })).status === "failed");
  });
});

describe("an AI's proposal", () => {
  it("can't change the protected core, and the refusal names the changed parts", async () => {
    const projectId = await liveProject(noteBlueprint());
    const program = await programOf(world, owner);
    const byAi = (text: string): Promise<Proposal> => program.proposals.create.mutate({ projectId, text });
    expect(await byAi(noteBlueprint("      body: text?\n"))).toMatchObject({ author: "ai", status: "open" });
    const widened = noteBlueprint("", { rest: "      public:\n        read: true\n" });
    expect(await codeOf(byAi(widened))).toBe("FORBIDDEN");
    expect(await failureOf(byAi(widened))).toMatch(/^Only a person can propose a change to the protected core: note\./);
    const person = await propose(projectId, widened);
    expect(person.author).toBe("person");
    expect(person.consents.some((consent) => consent.startsWith("protected_core note."))).toBe(true);
  });
});

describe("measures", () => {
  it("show violating records and can be repeated; the deployment fails, and is resumed after the records are corrected", async () => {
    const projectId = await liveProject(noteBlueprint("      body: text?\n"));
    const call = await api(projectId);
    for (const title of ["a", "b", "c"]) await call("POST", "/v1/resources/notes", { title });
    const proposal = await propose(projectId, noteBlueprint("      body: text\n"));
    const blocked = (shown: Proposal): unknown =>
      shown.measures?.steps.find((step) => step.violators !== null)?.violators;
    expect(proposal.plan.refused).toEqual([]);
    expect(blocked(proposal)).toMatchObject({ count: 3 });
    expect(proposal.measures?.rates).toContain("Estimated");
    const step = proposal.measures?.steps.find((each) => each.violators !== null);
    expect(step).toMatchObject({ rows: 3, rowsExact: true });
    await inCell(projectId, "UPDATE SCHEMA.notes SET body = 'x' WHERE title = 'a'");
    const again = await owner.client.proposals.measure.mutate({ proposalId: proposal.id });
    expect(blocked(again)).toMatchObject({ count: 2 });
    expect(again.hash).toBe(proposal.hash);

    const deploymentId = await approveAndDeploy(owner, again);
    await until(async () => (await owner.client.deployments.get.query({ deploymentId })).finishedAt !== null);
    const failed = await owner.client.deployments.get.query({ deploymentId });
    expect(failed).toMatchObject({ status: "failed", error: expect.stringContaining("2 records of notes have") });
    expect(await codeOf(owner.client.proposals.create.mutate({ projectId, text: noteBlueprint() }))).toBeNull();
    await inCell(projectId, "UPDATE SCHEMA.notes SET body = 'x'");
    await owner.client.deployments.resume.mutate({ deploymentId });
    await finished(owner, deploymentId);
    expect(await codeOf(owner.client.deployments.resume.mutate({ deploymentId }))).toBe("CONFLICT");
    expect((await owner.client.projects.get.query({ projectId })).live?.deploymentId).toBe(deploymentId);
  });

  it("count the records that deletes newly destroy, by today's names, and can be repeated", async () => {
    const shelves = (shelf: string, book: string, name = "book"): string => `project: shelves
modules: [auth, users, roles]
entities:
  shelf:
${shelf}    fields: { name: string? }
    permissions: { admin: { all: true } }
  ${name}:
${name === "book" ? "" : "    was: book\n"}    fields: { shelf_id: "ref(shelf)? ${book}" }
    permissions: { admin: { all: true } }
`;
    const soft = "    soft_delete: true\n";
    const projectId = await liveProject(shelves(soft, "on_delete(restrict)"));
    const call = await api(projectId);
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) ids.push(((await call("POST", "/v1/resources/shelves", {})) as { id: string }).id);
    for (const shelf_id of [ids[0], ids[0], ids[1], null]) await call("POST", "/v1/resources/books", { shelf_id });
    const proposal = await propose(projectId, shelves(soft, "on_delete(cascade)", "volume"));
    const consequence = proposal.diff.find(({ kind }) => kind === "cascade_destroys");
    expect(consequence).toMatchObject({ path: "volume.shelf_id", classes: ["safe"] });
    expect(consequence?.summary).toContain("permanently deletes each `volume` that refers to it by `shelf_id`");
    expect(proposal.measures?.destroyed).toEqual([{ path: "volume.shelf_id", records: 3 }]);
    // A shelf that is already deleted can't be deleted again.
    await inCell(projectId, `UPDATE SCHEMA.shelves SET deleted_at = now() WHERE id = '${ids[1]}'`);
    const again = await owner.client.proposals.measure.mutate({ proposalId: proposal.id });
    expect(again.measures?.destroyed).toEqual([{ path: "volume.shelf_id", records: 2 }]);
    expect(again.hash).toBe(proposal.hash);
    // There is no step at all, and the records are still counted.
    const unrenamed = await propose(projectId, shelves(soft, "on_delete(cascade)"));
    expect(unrenamed.measures).toMatchObject({ steps: [], destroyed: [{ path: "book.shelf_id", records: 2 }] });
  });
});

describe("existing records of a change", () => {
  it("are counted: deleted ones that are removed, and those in a state without transitions", async () => {
    const bills = (options: string): string => `project: bills
modules: [auth, users, roles]
entities:
  bill:
${options}    fields: { title: string, status: "enum[draft, sent, lost] = draft" }
    permissions: { admin: { all: true } }
`;
    const edges = `    transitions:
      status:
        initial: draft
        send: { from: draft, to: sent, roles: [admin] }
`;
    const projectId = await liveProject(bills("    soft_delete: true\n"));
    const call = await api(projectId);
    for (const status of ["draft", "sent", "lost", "lost"])
      await call("POST", "/v1/resources/bills", { title: "a", status });
    await inCell(projectId, "UPDATE SCHEMA.bills SET deleted_at = now() WHERE status = 'draft'");
    const proposal = await propose(projectId, bills(edges));
    expect(proposal.measures?.counted).toEqual([
      { path: "bill.soft_delete", what: "deleted records, which are removed", records: 1 },
      {
        path: "bill.transitions.status",
        what: "records with a value of `status` that no transition leaves",
        records: 3,
      },
    ]);
  });
});

describe("a change that moves values", () => {
  it("goes live on a real cell completely: links of a reference, and deleted records", async () => {
    const shop = (label: string, options: string): string => `project: notes
modules: [auth, users, roles]
entities:
  tag:
    fields: { name: string }
    permissions: { admin: { all: true } }
  note:
${options}    fields: { title: string, ${label} }
    permissions: { admin: { all: true } }
`;
    const projectId = await liveProject(shop("label: ref(tag)?", "    soft_delete: true\n"));
    const call = await api(projectId);
    const { id: label } = (await call("POST", "/v1/resources/tags", { name: "a" })) as { id: string };
    const { id } = (await call("POST", "/v1/resources/notes", { title: "x", label })) as { id: string };
    await call("POST", "/v1/resources/notes", { title: "y" });
    await inCell(projectId, "UPDATE SCHEMA.notes SET deleted_at = now() WHERE title = 'y'");
    await goLive(owner, projectId, shop("labels: refs(tag) was(label)", ""));
    expect(await call("GET", `/v1/resources/notes/${id}`)).toMatchObject({ labels: [label] });
    expect(await inCell(projectId, "SELECT title FROM SCHEMA.notes")).toEqual([{ title: "x" }]);
    const again = await propose(projectId, `${shop("labels: refs(tag)", "")}# tidied up\n`);
    expect([again.diff, again.plan.steps]).toEqual([[], []]);
    await goLive(owner, projectId, shop("label: ref(tag)? was(labels)", ""));
    expect(await call("GET", `/v1/resources/notes/${id}`)).toMatchObject({ label });
  });
});

describe("drift", () => {
  it("refuses a proposal, and the refusal names the differences", async () => {
    const projectId = await liveProject(noteBlueprint());
    await inCell(
      projectId,
      "ALTER TABLE SCHEMA.notes ADD COLUMN mine int; ALTER TABLE SCHEMA.notes ALTER title DROP NOT NULL",
    );
    const refused = propose(projectId, noteBlueprint("      body: text?\n"));
    expect(await failureOf(refused)).toMatch(
      /Undo that first: notes\.mine exists and should not; notes\.title is `text.*` and should be `text.* not null`\./,
    );
    expect(await owner.client.proposals.list.query({ projectId })).toHaveLength(1);
    await inCell(
      projectId,
      "ALTER TABLE SCHEMA.notes DROP COLUMN mine; ALTER TABLE SCHEMA.notes ALTER title SET NOT NULL",
    );
    expect((await propose(projectId, noteBlueprint("      body: text?\n"))).status).toBe("open");
  });
});

describe("a live deployment whose last steps failed", () => {
  it("is served, shows the failure, and finishes when it is resumed", async () => {
    const projectId = await liveProject(noteBlueprint());
    const { live } = await owner.client.projects.get.query({ projectId });
    const deploymentId = live?.deploymentId ?? "";
    const { releaseId } = await owner.client.deployments.get.query({ deploymentId });
    // The state on both sides after a failed step that follows the switch.
    await inCell(projectId, `UPDATE plinth.releases SET error = 'Step: it did not go' WHERE id = '${releaseId}'`);
    await world.pool.query("UPDATE control.deployments SET error = 'Step: it did not go' WHERE id = $1", [
      deploymentId,
    ]);
    const next = await propose(projectId, noteBlueprint("      body: text?\n"));
    const refused = await approveAndDeploy(owner, next);
    await until(async () => (await owner.client.deployments.get.query({ deploymentId: refused })).finishedAt !== null);
    expect((await owner.client.deployments.get.query({ deploymentId: refused })).error).toContain(
      "Resume that deployment first",
    );

    expect(await owner.client.deployments.resume.mutate({ deploymentId })).toMatchObject({ status: "active" });
    await until(async () => (await owner.client.deployments.get.query({ deploymentId })).finishedAt !== null);
    const whole = await owner.client.deployments.get.query({ deploymentId });
    expect(whole).toMatchObject({ status: "active", error: null });
    await owner.client.deployments.resume.mutate({ deploymentId: refused });
    await finished(owner, refused);
    expect((await owner.client.projects.get.query({ projectId })).live?.deploymentId).toBe(refused);
  });
});

describe("an earlier version", () => {
  it("is restored like any other change: data that was set aside with its values, expired data without them", async () => {
    const projectId = await liveProject(noteBlueprint("      body: text?\n"));
    const first = await owner.client.blueprints.current.query({ projectId });
    const call = await api(projectId);
    await call("POST", "/v1/resources/notes", { title: "a", body: "kept" });
    await finished(owner, await approveAndDeploy(owner, await propose(projectId, noteBlueprint())));
    const second = await owner.client.blueprints.current.query({ projectId });
    const back = await owner.client.proposals.createFromVersion.mutate({
      projectId,
      versionId: first?.versionId ?? "",
    });
    expect(back).toMatchObject({ text: first?.text, losses: [], status: "open" });
    expect(back.plan.steps.map((step) => step.kind)).toContain("restore");
    await finished(owner, await approveAndDeploy(owner, back));
    expect(await call("GET", "/v1/resources/notes")).toMatchObject([{ title: "a", body: "kept" }]);

    const versionId = second?.versionId ?? "";
    await finished(
      owner,
      await approveAndDeploy(owner, await owner.client.proposals.createFromVersion.mutate({ projectId, versionId })),
    );
    await inCell(projectId, "UPDATE plinth.set_aside SET until = now()");
    const late = await owner.client.proposals.createFromVersion.mutate({
      projectId,
      versionId: first?.versionId ?? "",
    });
    expect(late.losses).toEqual([
      "The values of notes.body are no longer stored. It will be empty or have its default.",
    ]);
    await finished(owner, await approveAndDeploy(owner, late));
    expect(await call("GET", "/v1/resources/notes")).toMatchObject([{ title: "a", body: null }]);
    const elsewhere = await liveProject(noteBlueprint());
    expect(await codeOf(owner.client.proposals.createFromVersion.mutate({ projectId: elsewhere, versionId }))).toBe(
      "NOT_FOUND",
    );
  }, 60_000);

  it("is restored across a rename with the data", async () => {
    const projectId = await liveProject(noteBlueprint("      body: text?\n"));
    const first = await owner.client.blueprints.current.query({ projectId });
    const call = await api(projectId);
    await call("POST", "/v1/resources/notes", { title: "a", body: "kept" });
    const renamed = noteBlueprint("      words: text? was(body)\n").replace("  note:", "  memo:\n    was: note");
    await finished(owner, await approveAndDeploy(owner, await propose(projectId, renamed)));
    expect(await call("GET", "/v1/resources/memos")).toMatchObject([{ title: "a", words: "kept" }]);
    const versionId = first?.versionId ?? "";
    const back = await owner.client.proposals.createFromVersion.mutate({ projectId, versionId });
    expect(back.losses).toEqual([]);
    await finished(owner, await approveAndDeploy(owner, back));
    expect(await call("GET", "/v1/resources/notes")).toMatchObject([{ title: "a", body: "kept" }]);
  }, 60_000);

  it("can be renewed after another change went live, and is still restored across a rename", async () => {
    const projectId = await liveProject(noteBlueprint("      body: text?\n"));
    const first = await owner.client.blueprints.current.query({ projectId });
    await goLive(owner, projectId, noteBlueprint("      words: text? was(body)\n"));
    const versionId = first?.versionId ?? "";
    const back = await owner.client.proposals.createFromVersion.mutate({ projectId, versionId });
    expect(await codeOf(owner.client.proposals.renew.mutate({ proposalId: back.id }))).toBe("CONFLICT");
    await goLive(owner, projectId, noteBlueprint("      words: text? was(body)\n      mood: string?\n"));
    const renewed = await owner.client.proposals.renew.mutate({ proposalId: back.id });
    expect(renewed).toMatchObject({ text: back.text, fromVersionId: versionId, losses: [], status: "open" });
    const kinds = (proposal: Proposal): readonly string[] => proposal.diff.map((change) => change.kind);
    expect(kinds(renewed)).toContain("field_renamed");
    // The same text, uploaded again, is the same change.
    const written = await propose(projectId, back.text);
    expect(written.fromVersionId).toBeNull();
    expect(kinds(written)).toEqual(kinds(renewed));
  }, 60_000);
});

describe("a stale proposal", () => {
  it("is merged with the live version when it is renewed, as another proposal with its author", async () => {
    const projectId = await liveProject(noteBlueprint());
    const text = noteBlueprint("      body: text?\n");
    const program = await programOf(world, owner);
    const stale = await program.proposals.create.mutate({ projectId, text });
    const hotfix = (blueprint: string): string => `${blueprint}      user: { read: true }\n`;
    await goLive(owner, projectId, hotfix(noteBlueprint()));
    const renewed = await owner.client.proposals.renew.mutate({ proposalId: stale.id });
    expect(renewed).toMatchObject({ text: hotfix(text), author: "ai", fromVersionId: null, status: "open" });
    expect(renewed.diff.map(({ path }) => path)).toEqual(["note.body"]);
    expect(renewed.id).not.toBe(stale.id);
    expect((await owner.client.proposals.get.query({ proposalId: stale.id })).status).toBe("stale");
  }, 60_000);

  it("is refused if the live version has changed the same lines", async () => {
    const projectId = await liveProject(noteBlueprint());
    const stale = await propose(projectId, noteBlueprint("      body: text?\n"));
    await goLive(owner, projectId, noteBlueprint("      mood: string?\n"));
    const made = (await owner.client.proposals.list.query({ projectId })).length;
    const renewal = owner.client.proposals.renew.mutate({ proposalId: stale.id });
    expect(await failureOf(renewal)).toMatch(/has changed the same lines/);
    expect(await owner.client.proposals.list.query({ projectId })).toHaveLength(made);
  }, 60_000);
});
