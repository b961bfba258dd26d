// The cells of projects: each is a row, and its address is read again for every call.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeOf, createWorld, type Somebody, type World } from "../testing/control-plane.ts";

let world: World;
let owner: Somebody;
let organizationId: string;

beforeAll(async () => {
  world = await createWorld({ cell: false });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
}, 60_000);

afterAll(() => world?.stop());

const create = (slug: string) => owner.client.projects.create.mutate({ organizationId, slug });

it("a new project goes to the open cell with the fewest projects, and stays there", async () => {
  const first = await create("first");
  expect(first.apiUrl).toBe(world.apiUrl);
  await world.pool.query(
    "INSERT INTO control.cells (id, internal_url, public_url) VALUES ('second', 'http://127.0.0.1:9', 'https://second.example')",
  );
  const second = await create("second");
  expect(second.apiUrl).toBe("https://second.example");
  await world.pool.query("UPDATE control.cells SET status = 'closed' WHERE id = 'second'");
  expect((await create("third")).apiUrl).toBe(world.apiUrl);
  expect((await owner.client.projects.get.query({ projectId: second.id })).apiUrl).toBe("https://second.example");
  await world.pool.query("UPDATE control.cells SET status = 'closed'");
  expect(await codeOf(create("fourth"))).toBe("SERVICE_UNAVAILABLE");
  expect(await owner.client.projects.list.query({ organizationId })).toHaveLength(3);
  await world.pool.query("UPDATE control.cells SET status = 'open'");
});

it("a cell's address is read from its row for each call, and the settings store that of their own cell", async () => {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const project = await create("moved");
    await world.pool.query("UPDATE control.cells SET internal_url = $1", [address]);
    await owner.client.keys.create.mutate({ projectId: project.id, name: "k", kind: "secret" });
    expect(calls.map((call) => call.replace(/key_.*/, "key"))).toEqual([
      `PUT /internal/projects/${project.id}`,
      `PUT /internal/projects/${project.id}/keys/key`,
    ]);
    await world.restartControl();
    const { rows } = await world.pool.query("SELECT id, internal_url FROM control.cells ORDER BY id");
    expect(rows).toEqual([
      { id: "second", internal_url: address },
      { id: "test", internal_url: world.config.cell.internalUrl },
    ]);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
