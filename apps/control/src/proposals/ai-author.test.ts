// Who wrote a change: the credential says it, and what an AI wrote stays an AI's through edits, renewals and promotions.
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

const byPerson = (projectId: string, text: string): Promise<Proposal> =>
  owner.client.proposals.create.mutate({ projectId, text });
const byProgram = async (projectId: string, text: string): Promise<Proposal> =>
  (await programOf(world, owner)).proposals.create.mutate({ projectId, text });

const BODY = "      body: text?\n";
const MOOD = "      mood: string?\n";
const PUBLIC = "      public: { read: true }\n";

describe("the author of a change", () => {
  it("comes from the credential, whatever the request says", async () => {
    const projectId = await liveProject(noteBlueprint());
    const program = await programOf(world, owner);
    const claimed = await program.proposals.create.mutate({ projectId, text: noteBlueprint(BODY), author: "person" });
    expect(claimed).toMatchObject({ author: "ai", aiParts: ["entities.note.fields.body"] });
    const { id: proposalId, hash } = claimed;
    expect(await codeOf(program.proposals.approve.mutate({ proposalId, hash, consents: [] }))).toBe("FORBIDDEN");
    const honest = owner.client.proposals.create.mutate({ projectId, text: noteBlueprint(MOOD), author: "ai" });
    expect(await failureOf(honest)).toContain("Create a token for programs");
    expect(await byPerson(projectId, noteBlueprint(MOOD))).toMatchObject({ author: "person", aiParts: [] });
  }, 60_000);

  it("stays an AI while a person edits around its parts, and is the person when they write them anew", async () => {
    const projectId = await liveProject(noteBlueprint());
    await byProgram(projectId, noteBlueprint(BODY));
    const around = await byPerson(projectId, noteBlueprint(`${BODY}${MOOD}`));
    expect(around).toMatchObject({ author: "ai", aiParts: ["entities.note.fields.body"] });
    const laidOut = await byPerson(projectId, noteBlueprint("      body: { type: text, optional: true }  # mine\n"));
    expect(laidOut.author).toBe("ai");
    const anew = await byPerson(projectId, noteBlueprint("      body: string?\n"));
    expect(anew).toMatchObject({ author: "person", aiParts: [] });
    // What is live is nobody's news any more.
    await finished(owner, await approveAndDeploy(owner, around));
    const later = await byPerson(projectId, noteBlueprint(`${BODY}${MOOD}      pages: int?\n`));
    expect(later).toMatchObject({ author: "person", aiParts: [] });
  }, 60_000);

  it("stays an AI through a removal", async () => {
    const projectId = await liveProject(noteBlueprint(BODY));
    await byProgram(projectId, noteBlueprint());
    expect(await byPerson(projectId, noteBlueprint())).toMatchObject({
      author: "ai",
      aiParts: ["entities.note.fields.body"],
    });
  }, 60_000);
});

describe("the protected core", () => {
  it("is not touched by what an AI wrote in another environment", async () => {
    const projectId = await liveProject(noteBlueprint());
    const wanted = { projectId, kind: "preview", name: "empty", empty: true } as const;
    const { id: preview } = await owner.client.environments.create.mutate(wanted);
    // Nothing is live there, so there is no core yet.
    const first = await byProgram(preview, noteBlueprint(BODY, { rest: PUBLIC }));
    await finished(owner, await approveAndDeploy(owner, first));
    const promote = owner.client.environments.promote.mutate({ projectId, fromProjectId: preview, overwrite: true });
    expect(await failureOf(promote)).toMatch(/^An AI wrote parts .* protected core: note\.permissions\.public\.read\./);
    const copied = byPerson(projectId, noteBlueprint("", { rest: PUBLIC }));
    expect(await codeOf(copied)).toBe("FORBIDDEN");
    // A person wrote the rule, in other words.
    const own = await byPerson(projectId, noteBlueprint(BODY, { rest: "      public: { read: title != null }\n" }));
    expect(own.author).toBe("ai");
    expect(own.consents).toContain("protected_core note.permissions.public.read");
  }, 60_000);
});
