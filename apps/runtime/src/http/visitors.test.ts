// Visitors of a page share its publishable key. In: requests from two addresses. Out: one is refused, the other is
// served.
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell } from "./testing/test-cell.ts";

let cell: TestCell;

beforeAll(async () => {
  cell = await createTestCell({
    limits: { caller: { perSecond: 5, burst: 10 }, project: { perSecond: 20, burst: 40 } },
    clock: { now: () => 1_700_000_000_000 },
  });
  const project = await cell.addProject(testBlueprint);
  cell.addCaller("page", project, keyPrincipal("key_page", []));
});
afterAll(() => cell?.close());

function statusFrom(localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(cell.url).port), localAddress });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
    socket.write("GET /api/listings HTTP/1.1\r\nhost: x\r\nauthorization: Bearer page\r\nconnection: close\r\n\r\n");
  });
}

test("one visitor at full speed only uses up their own share", async () => {
  const greedy: number[] = [];
  for (let i = 0; i < 120; i++) greedy.push(await statusFrom("127.0.0.1"));
  expect(greedy.filter((status) => status === 200)).toHaveLength(10);
  expect(greedy.filter((status) => status === 429)).toHaveLength(110);
  expect(await statusFrom("127.0.0.3")).toBe(200);
});
