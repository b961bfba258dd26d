// The SDK's methods for modules match the modules' descriptions: each method calls its described route, and none is
// missing.
import { expect, test } from "vitest";
import type { ModuleOperation } from "../../blueprint/src/modules/description.ts";
import { describeModules } from "../../blueprint/src/modules/modules.ts";
import { type Client, createClient } from "./client.ts";

const modules = describeModules({
  modules: ["auth", "users", "roles", "organizations", "workers", "audit_logs"],
  roles: [],
  userFields: [],
});
const offered = modules.flatMap(({ operations }) =>
  operations.flatMap((operation) => (operation.sdk === null ? [] : [[operation.sdk, operation] as const])),
);

const session = {
  user: { id: "u", email: "ana@example.com" },
  accessToken: "a",
  refreshToken: "r",
  expiresAt: Date.now() + 900_000,
};

interface Seen {
  readonly method: string;
  readonly path: string;
}

function clientThatTells(seen: Seen[]): Client {
  return createClient({
    project: "desk",
    apiKey: "plk_pub_x",
    session,
    fetch: async (input, init) => {
      seen.push({ method: init?.method ?? "GET", path: new URL(String(input)).pathname });
      const data = { user: session.user, access_token: "a", refresh_token: "r", expires_in: 900 };
      return Response.json({ data, page: { next_cursor: null, has_more: false } });
    },
  });
}

function methodAt(client: Client, name: string): (...given: readonly unknown[]) => Promise<unknown> {
  // biome-ignore lint/suspicious/noExplicitAny: names are data here
  return name.split(".").reduce<any>((value, part) => value?.[part], client);
}

test.each(offered)("%s calls the described route", async (name, { method, path }: ModuleOperation) => {
  const seen: Seen[] = [];
  const ids = [...path.matchAll(/\{\w+\}/g)].map((_, i) => `id-${i + 1}`);
  const given = name === "can" ? [] : {};
  await methodAt(clientThatTells(seen), name)(...ids, name === "organizations.choose" ? "id-1" : given);
  let at = 0;
  expect(seen).toEqual([{ method, path: path.replaceAll(/\{\w+\}/g, () => ids[at++] ?? "") }]);
});

test("every call of the SDK to a module is described", () => {
  const client = clientThatTells([]);
  // Methods of entities, which modules also have, and methods that send no request.
  const others = [...Object.keys(client.entity("organization")), "session"];
  const found = (["auth", "organizations", "approvals"] as const).flatMap((part) =>
    Object.keys(client[part])
      .filter((name) => !others.includes(name))
      .map((name) => `${part}.${name}`),
  );
  expect([...found, "can"].toSorted()).toEqual(offered.map(([name]) => name).toSorted());
});
