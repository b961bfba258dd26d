// Removes an environment that is in use: its requests and its work end with it, and those of the others continue.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createWorld, finished, goLive, type Somebody, until, type World } from "../testing/control-plane.ts";

const blueprint = `project: busy
modules: [auth, users, roles, workers]
entities:
  note:
    realtime: true
    fields:
      title: string
      seen: bool = false
    permissions:
      admin:
        all: true
workflows:
  look:
    on: note.created
    steps:
      - delay: 2s
      - record.update: { with: { seen: true } }
`;

let world: World;
let owner: Somebody;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  owner = await world.signUp("owner");
}, 60_000);

afterAll(() => world?.stop());

function call(key: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${world.apiUrl}/v1/resources/notes`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
}

it("answers callers who write at that time, never with a 500, and doesn't disturb the others", async () => {
  const { organizationId } = owner;
  const projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "busy" })).id;
  await goLive(owner, projectId, blueprint);
  const { key } = await owner.client.keys.create.mutate({ projectId, name: "production", kind: "secret" });
  const preview = await owner.client.environments.create.mutate({ projectId, kind: "preview" });
  await finished(owner, preview.deploymentId ?? "");
  const write = (by: string) => call(by, { method: "POST", body: JSON.stringify({ title: "a" }) });
  expect((await write(key)).status).toBe(201);

  const answered: number[] = [];
  let writing = true;
  const writers = Array.from({ length: 4 }, async () => {
    while (writing) answered.push((await write(preview.key ?? "")).status);
  });
  await until(async () => answered.length > 50);
  await owner.client.environments.delete.mutate({ projectId: preview.id });
  // At the first attempt, although its rows and tables are in use.
  expect((await world.pool.query("SELECT FROM control.projects WHERE id = $1", [preview.id])).rowCount).toBe(0);
  await until(async () => answered.slice(-20).every((status) => status === 401 || status === 429));
  writing = false;
  await Promise.all(writers);
  const odd = [...new Set(answered)].filter((status) => ![201, 401, 404, 429, 503].includes(status));
  expect(odd).toEqual([]);

  await until(async () => {
    const { data } = (await (await call(key)).json()) as { data: { seen: boolean }[] };
    return data.every(({ seen }) => seen);
  });
  const { rows } = await world.cellPool.query(
    `SELECT (SELECT count(*) FROM plinth.due_runs WHERE project_id = $1)::int AS runs,
            (SELECT count(*) FROM plinth.outbox WHERE project_id = $1)::int AS events`,
    [preview.id],
  );
  expect(rows).toEqual([{ runs: 0, events: 0 }]);
}, 60_000);
