// The routes of webhooks: who is let in, what is refused, and that nothing of another project is found. A denial
// changes nothing.

import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callModule, dataOf, deploy, makeKey, makeProject, publicationOf } from "../../modes/testing/cell.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, audit_logs]
roles: { support: {} }
entities:
  ticket:
    fields: { title: string }
    permissions:
      support: { read: true }
      admin: { all: true }
`;
const URL_ = "https://a.example/hook";

let work: WorkCell;
let admin: string;
let other: string;
let id: string;
beforeAll(async () => {
  work = await openWorkCell(blueprint, {}, { works: false });
  admin = (await makeKey(work.cell, work.projectId, { role: "admin" })).key;
  const another = await makeProject(work.cell);
  const { model } = checkBlueprint(blueprint);
  if (model === null) throw new Error("the blueprint is wrong");
  await deploy(work.cell, publicationOf(another, compileModel(model), null));
  other = (await makeKey(work.cell, another, { role: "admin" })).key;
  id = dataOf(await call(admin, "POST", "/v1/webhook-endpoints", { url: URL_, events: ["*"] })).id;
});
afterAll(() => work?.close());

const call = (key: string, method: string, path: string, body?: unknown, query = "") =>
  callModule(work.cell, { key, method, path, query, ...(body === undefined ? {} : { body }) });

const routes: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["GET", "/v1/webhook-endpoints"],
  ["POST", "/v1/webhook-endpoints", { url: URL_, events: ["*"] }],
  ["GET", "/v1/webhook-endpoints/{id}"],
  ["PATCH", "/v1/webhook-endpoints/{id}", { enabled: false }],
  ["POST", "/v1/webhook-endpoints/{id}/rotate-secret", {}],
  ["POST", "/v1/webhook-endpoints/{id}/test", {}],
  ["POST", "/v1/webhook-endpoints/{id}/replay", { since: "2026-01-01T00:00:00Z" }],
  ["GET", "/v1/webhook-deliveries"],
  ["GET", "/v1/webhook-deliveries/{id}"],
  ["POST", "/v1/webhook-deliveries/{id}/replay", {}],
  ["DELETE", "/v1/webhook-endpoints/{id}"],
];

const kept = () =>
  work.sql(
    "SELECT * FROM plinth.webhook_endpoints e JOIN plinth.webhook_secrets s ON s.endpoint_id = e.id ORDER BY s.id",
  );

it.each(routes.map(([method, path, body]) => ({ method, path, body })))(
  "$method $path is only for admins of this project",
  async ({ method, path, body }) => {
    const before = [await kept(), await work.sql("SELECT count(*) FROM {schema}.audit_log")];
    const at = path.replace("{id}", id);
    const support = (await makeKey(work.cell, work.projectId, { role: "support" })).key;
    const open = (await makeKey(work.cell, work.projectId, { kind: "publishable" })).key;
    for (const key of [support, open])
      await expect(call(key, method, at, body)).rejects.toMatchObject({ code: "forbidden" });
    await expect(call("plk_sec_none", method, at, body)).rejects.toMatchObject({ code: "unauthenticated" });
    if (path.includes("{id}")) await expect(call(other, method, at, body)).rejects.toMatchObject({ code: "not_found" });
    expect([await kept(), await work.sql("SELECT count(*) FROM {schema}.audit_log")]).toEqual(before);
  },
);

it("an admin of another project sees none of this one's", async () => {
  expect(dataOf(await call(other, "GET", "/v1/webhook-endpoints"))).toEqual([]);
  expect(dataOf(await call(admin, "GET", "/v1/webhook-endpoints"))).toHaveLength(1);
});

it.each([
  [{ events: ["*"] }, "/url"],
  [{ url: "ftp://a.example", events: ["*"] }, "/url"],
  [{ url: "http://a.example", events: ["*"] }, "/url"],
  [{ url: "https://me:pass@a.example", events: ["*"] }, "/url"],
  [{ url: "https://a.example/#x", events: ["*"] }, "/url"],
  [{ url: "nonsense", events: ["*"] }, "/url"],
  [{ url: "https://a.example/ho ok", events: ["*"] }, "/url"],
  [{ url: "https://a.exa\r\nmple/hook", events: ["*"] }, "/url"],
  [{ url: "https://10.0.0.7/hook", events: ["*"] }, "/url"],
  [{ url: "https://2130706434/hook", events: ["*"] }, "/url"],
  [{ url: "https://[fd00::1]/hook", events: ["*"] }, "/url"],
  [{ url: "https://[::ffff:10.0.0.7]/hook", events: ["*"] }, "/url"],
  [{ url: "http://127.0.0.2/hook", events: ["*"] }, "/url"],
  [{ url: "https://127.1.1.1/hook", events: ["*"] }, "/url"],
  [{ url: "https://168.63.129.16/hook", events: ["*"] }, "/url"],
  [{ url: "https://9.9.9.9:22/hook", events: ["*"] }, "/url"],
  [{ url: URL_, events: [] }, "/events"],
  [{ url: URL_, events: ["ticket.closed"] }, "/events/0"],
  [{ url: URL_, events: ["ticket.created", "tick*"] }, "/events/1"],
  [{ url: URL_, events: ["*"], role: "chief" }, "/role"],
  [{ url: URL_, events: ["*"], signing: "md5" }, "/signing"],
  [{ url: URL_, events: ["*"], user_id: "me" }, "/user_id"],
  [{ url: URL_, events: ["*"], user_id: "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f" }, "/user_id"],
  [{ url: URL_, events: ["*"], organization_id: "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f" }, "/organization_id"],
  [{ url: URL_, events: ["*"], secret: "whsec_AAAA" }, "/secret"],
])("%j is not a valid endpoint", async (body, path) => {
  const before = await kept();
  await expect(call(admin, "POST", "/v1/webhook-endpoints", body)).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ path }],
  });
  expect(await kept()).toEqual(before);
});

it.each([
  ["ticket.creatd", 'Did you mean "ticket.created"?'],
  ["tickt.*", 'Did you mean "ticket.*"?'],
  ["payment.refunded", "the live version doesn't send it."],
])("the message about the unknown event %s helps", async (event, hint) => {
  await expect(call(admin, "POST", "/v1/webhook-endpoints", { url: URL_, events: [event] })).rejects.toMatchObject({
    errors: [{ path: "/events/0", code: "not_allowed", message: expect.stringContaining(hint) }],
  });
});

it("endpoints can be paged and filtered", async () => {
  for (let at = 0; at < 3; at++)
    await call(admin, "POST", "/v1/webhook-endpoints", { url: `${URL_}/${at}`, events: ["*"] });
  const read = async (query: string) =>
    JSON.parse(String((await call(admin, "GET", "/v1/webhook-endpoints", undefined, query)).body));
  const first = await read("limit=3");
  const second = await read(`limit=3&cursor=${encodeURIComponent(first.page.next_cursor)}`);
  expect([first.data.length, second.data.length, second.page.has_more]).toEqual([3, 1, false]);
  expect((await read(`user_id=${id}`)).data).toEqual([]);
  await expect(read("address=x")).rejects.toMatchObject({ code: "unknown_parameter" });
});

it("the audit log says who changes an endpoint, and contains no secret", async () => {
  const { secret } = dataOf(await call(admin, "POST", `/v1/webhook-endpoints/${id}/rotate-secret`, {}));
  await call(admin, "PATCH", `/v1/webhook-endpoints/${id}`, { description: "the shop's" });
  await call(admin, "DELETE", `/v1/webhook-endpoints/${id}`);
  const log = await work.sql(
    "SELECT operation, changes FROM {schema}.audit_log WHERE entity = 'webhook_endpoint' AND record_id = $1 ORDER BY id",
    [id],
  );
  expect(log.map((line) => line["operation"])).toEqual(["create", "rotate", "update", "delete"]);
  expect(JSON.stringify(log)).not.toContain(secret.slice(6));
  expect(await work.sql("SELECT 1 FROM plinth.webhook_secrets WHERE endpoint_id = $1", [id])).toEqual([]);
});

it("an address is stored as it is called, and endpoints are found by address, state and owner", async () => {
  const make = async (url: string, more: object = {}) =>
    dataOf(await call(admin, "POST", "/v1/webhook-endpoints", { url, events: ["*"], ...more }));
  const typed = await make(" HTTPS://Find.Example/%61?b=c \n");
  expect(typed.url).toBe("https://find.example/%61?b=c");
  const path = `/v1/webhook-endpoints/${typed.id}`;
  expect(dataOf(await call(admin, "PATCH", path, { url: "https://FIND.example" })).url).toBe("https://find.example/");
  const off = await make("https://find.example/off", { enabled: false });
  const failing = await make("https://find.example/failing");
  await work.sql("UPDATE plinth.webhook_endpoints SET failures = 3 WHERE id = $1", [failing.id]);
  const found = async (query: string): Promise<readonly string[]> =>
    dataOf(await call(admin, "GET", "/v1/webhook-endpoints", undefined, query)).map(
      (one: { readonly id: string }) => one.id,
    );
  expect(await found("url=FIND.ex")).toEqual([failing.id, off.id, typed.id]);
  expect(await found("url=find.example&state=disabled")).toEqual([off.id]);
  expect(await found("url=find.example&state=failing")).toEqual([failing.id]);
  expect(await found("url=find.example&state=enabled")).toEqual([failing.id, typed.id]);
  expect(await found("url=%25")).toEqual([]);
  expect(await found("url=find.example&user_id=0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f")).toEqual([]);
});
