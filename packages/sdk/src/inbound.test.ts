// Each method for inbound webhooks calls a described route, and each such route has a method.
import { expect, test } from "vitest";
import { describeModules } from "../../blueprint/src/modules/modules.ts";
import { createInbound } from "./inbound.ts";

const described = describeModules({
  modules: ["auth", "users", "roles", "webhooks", "audit_logs"],
  roles: [],
  userFields: [],
})
  .flatMap(({ operations }) => operations)
  .filter(({ path }) => path.startsWith("/v1/webhooks/"))
  .map(({ method, path }) => `${method} ${path.replace("{id}", "id-1")}`);

test("its methods are the described routes", async () => {
  const seen: string[] = [];
  const bodies: unknown[] = [];
  const inbound = createInbound({
    project: "shop",
    apiKey: "plk_sec_x",
    baseUrl: "https://api.example.com/",
    fetch: async (input, init) => {
      const { pathname, search } = new URL(String(input));
      seen.push(`${init?.method} ${pathname}`);
      bodies.push(init?.body === undefined ? search : JSON.parse(String(init.body)));
      return Response.json({ data: { id: "a" }, page: { next_cursor: "c", has_more: true } });
    },
  });
  await inbound.sources();
  expect(await inbound.addSecret("stripe", "whsec_1", 24)).toEqual({ id: "a" });
  expect(await inbound.removeSecret("id-1")).toBeUndefined();
  expect(await inbound.requests({ source: "stripe", limit: 5 })).toMatchObject({ nextCursor: "c", hasMore: true });
  await inbound.request("id-1");
  await inbound.replay("id-1");
  await inbound.replayUnmapped("stripe", "2026-01-31T00:00:00Z");
  expect(seen.toSorted()).toEqual(described.toSorted());
  expect(bodies).toEqual([
    "",
    { source: "stripe", secret: "whsec_1", overlap_hours: 24 },
    {},
    "?source=stripe&limit=5",
    "",
    {},
    { source: "stripe", since: "2026-01-31T00:00:00Z" },
  ]);
});
