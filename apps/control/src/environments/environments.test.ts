// Environments of a project on a real cell: nothing is shared, and a blueprint moves from one to the next as a proposal.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CreatedEnvironment } from "./api.ts";
import type { Proposal } from "../proposals/api.ts";
import { codeOf, createWorld, finished, goLive, join, type Somebody, type World } from "../testing/control-plane.ts";

const notes = (fields = "", name = "notes"): string => `project: ${name}
modules: [auth, users, roles]
entities:
  note:
    fields:
      title: string
${fields}    permissions:
      admin:
        all: true
`;

let world: World;
let owner: Somebody;
let organizationId: string;
let slugs = 0;

beforeAll(async () => {
  world = await createWorld({ cell: true, env: { PLINTH_MAX_ENVIRONMENTS: "3" } });
  owner = await world.signUp("owner");
  organizationId = (await owner.client.me.get.query()).organizations[0]?.id ?? "";
}, 60_000);

afterAll(() => world?.stop());

interface Live {
  readonly projectId: string;
  readonly slug: string;
  readonly text: (fields?: string) => string;
}

async function liveProject(fields = ""): Promise<Live> {
  const slug = `notes-${++slugs}`;
  const projectId = (await owner.client.projects.create.mutate({ organizationId, slug })).id;
  const text = (more = ""): string => notes(more, slug);
  await goLive(owner, projectId, text(fields));
  return { projectId, slug, text };
}

async function environmentOf(
  projectId: string,
  kind: "development" | "preview",
  name?: string,
): Promise<CreatedEnvironment> {
  const made = await owner.client.environments.create.mutate({ projectId, kind, name });
  if (made.deploymentId !== null) await finished(owner, made.deploymentId);
  return made;
}

async function deploy({ id: proposalId, hash, consents }: Proposal): Promise<string> {
  await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
  return (await owner.client.deployments.create.mutate({ proposalId })).deploymentId;
}

function ask(key: string, init: RequestInit = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.apiUrl}/v1/resources/notes`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
  });
}

const titlesSeenBy = async (key: string): Promise<unknown> =>
  ((await (await ask(key)).json()) as { data: { title: string }[] }).data.map(({ title }) => title);

describe("an environment", () => {
  it("begins with the live blueprint and a key of its own, and shares no data", async () => {
    const { projectId, slug } = await liveProject();
    const { key } = await owner.client.keys.create.mutate({ projectId, name: "production", kind: "secret" });
    const preview = await environmentOf(projectId, "preview", "search-box");
    expect(preview).toMatchObject({ slug: `${slug}--search-box`, kind: "preview", name: "search-box", problem: null });
    await ask(key, { method: "POST", body: JSON.stringify({ title: "real" }) });
    await ask(preview.key ?? "", { method: "POST", body: JSON.stringify({ title: "tried" }) });
    expect([await titlesSeenBy(key), await titlesSeenBy(preview.key ?? "")]).toEqual([["real"], ["tried"]]);
  });
});
