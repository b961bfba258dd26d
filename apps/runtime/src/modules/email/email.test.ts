// Connections are only stored if they work, and never show their secrets; mails, suppressed addresses and previews are
// for admins.

import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { ProjectId } from "@plinth/bundle";
import { networksOf } from "@plinth/service";
import {
  type Certificate,
  type MailServer,
  makeCertificate,
  securedSettingsOf,
  startMailServer,
} from "@plinth/testkit/mail-server";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { bundleOf } from "../../http/testing/test-cell.ts";
import { createSecretBox } from "../../identity/secret-box.ts";
import { createConnections } from "../../mail/connections.ts";
import {
  callModule,
  createTestDatabase,
  dataOf,
  deploy,
  kek,
  makeKey,
  makeProject,
  openTestCell,
  publicationOf,
  type TestCell,
  type TestDatabase,
} from "../../modes/testing/cell.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";

const blueprint = `project: desk
modules: [auth, users, workers]
integrations:
  mail: { kind: email, provider: smtp }
emails:
  welcome:
    help: For whoever is new.
    variables: { name: string, link: string?, note: text? }
    subject: "Welcome, \${{ name }}"
    body: |
      # Hello \${{ name }}

      - [Look](\${{ link }}) at **it**\${{ note }}
    translations:
      de: { subject: "Willkommen, \${{ name }}", body: "Hallo \${{ name }}." }
`;

let database: TestDatabase;
let cell: TestCell;
let server: MailServer;
let projectId: ProjectId;
let key: string;
const own = getCACertificates("default");
let certificate: Certificate;
beforeAll(async () => {
  certificate = await makeCertificate("localhost");
  setDefaultCACertificates([...own, certificate.cert]);
});
afterAll(() => setDefaultCACertificates(own));
beforeEach(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database, { outboundAllowed: networksOf(["127.0.0.1"]) });
  server = await startMailServer({ tls: { ...certificate, mode: "starttls" } });
  projectId = await makeProject(cell);
  await deploy(cell, publicationOf(projectId, bundleOf(blueprint), null));
  ({ key } = await makeKey(cell, projectId, { role: "admin" }));
});
afterEach(async () => {
  await cell.close();
  await server.close();
  await database.drop();
});

const call = (path: string, body?: unknown, as = key): ReturnType<typeof callModule> =>
  callModule(cell, {
    key: as,
    path,
    method: body === undefined ? "GET" : "POST",
    ...(body === undefined ? {} : { body }),
  });
const connection = (more: object = {}): object => ({
  name: "mail",
  provider: "smtp",
  settings: { ...securedSettingsOf(server), ...more },
});

it("a connection is only stored if it works, and its secret is never shown", async () => {
  const set = await call("/v1/connections", connection());
  const listed = await call("/v1/connections");
  expect(dataOf(listed)).toEqual([dataOf(set)]);
  expect(dataOf(set)).toMatchObject({
    name: "mail",
    provider: "smtp",
    settings: { user: "desk" },
    secrets: ["password"],
  });
  const { rows } = await cell.pool.query("SELECT * FROM plinth.connections");
  for (const shown of [set, listed, rows]) expect(JSON.stringify(shown)).not.toContain("correct horse");
  const opened = await createConnections({ pool: cell.pool, box: createSecretBox(kek) }).open(projectId, "mail");
  expect(opened?.secrets).toEqual({ password: "correct horse" });
  await call("/v1/connections/remove", { name: "mail" });
  expect(dataOf(await call("/v1/connections"))).toEqual([]);
  await expect(call("/v1/connections/remove", { name: "mail" })).rejects.toMatchObject({ code: "not_found" });
  const { rows: log } = await cell.pool.query(
    `SELECT operation, changes FROM "t_${projectId.slice(4)}".audit_log WHERE entity = 'connection' ORDER BY id`,
  );
  expect(log.map(({ operation }) => operation)).toEqual(["set", "remove", "remove"]);
});

it.each([
  ["a wrong password", { password: "wrong" }, "/settings"],
  ["a host that projects can't call", { host: "10.0.0.1" }, "/settings"],
  ["a public server without encryption", { host: "192.0.9.1", security: "none", user: null }, "/settings"],
  ["a password without encryption", { security: "none" }, "/settings"],
  ["no sender", { from_address: null }, "/settings/from_address"],
  ["an unknown setting", { api_key: "x" }, "/settings/api_key"],
  ["a line break in a setting", { from_name: "a\r\nBcc: b@example.com" }, "/settings/from_name"],
])("%s is refused, and nothing is stored", async (_, more, path) => {
  const settings = Object.fromEntries(
    Object.entries({ ...securedSettingsOf(server), ...more }).filter(([, value]) => value !== null),
  );
  const refused = call("/v1/connections", { name: "mail", provider: "smtp", settings });
  await expect(refused).rejects.toMatchObject({ code: "validation_failed", errors: [{ path }] });
  expect(dataOf(await call("/v1/connections"))).toEqual([]);
});

it("a name that the blueprint doesn't use is refused", async () => {
  await expect(call("/v1/connections", { ...connection(), name: "email" })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ path: "/name", message: "The live version has no mail connection with this name. It has: mail." }],
  });
});

it("a preview is in the requested language, or the template's own, and values are text", async () => {
  const values = { name: "<Ana>", link: "https://example.com/?a=1&b=2" };
  const preview = async (language: string, given: object = values): Promise<unknown> =>
    dataOf(await call("/v1/emails/preview", { template: "welcome", values: given, language }));
  expect(await preview("de-AT")).toEqual({
    subject: "Willkommen, <Ana>",
    text: "Hallo <Ana>.\n",
    html: "<p>Hallo &lt;Ana&gt;.</p>\n",
  });
  expect(await preview("fr")).toEqual({
    subject: "Welcome, <Ana>",
    text: "Hello <Ana>\n\n- Look (https://example.com/?a=1&b=2) at it\n",
    html: '<h1>Hello &lt;Ana&gt;</h1>\n<ul>\n<li><a href="https://example.com/?a=1&amp;b=2">Look</a> at <strong>it</strong></li>\n</ul>\n',
  });
  const hostile = await preview("en", { name: "[x](y)", link: "javascript:alert(1)" });
  expect((hostile as { html: string }).html).not.toContain("javascript");
  expect((hostile as { html: string }).html).toContain("[x](y)");
});

it("a preview of an unknown template names the nearest one", async () => {
  await expect(call("/v1/emails/preview", { template: "welcom" })).rejects.toMatchObject({
    code: "not_found",
    detail: 'This template does not exist. Did you mean "welcome"?',
  });
});

it("previews of one project wait for each other, and too many at once are refused", async () => {
  const values = { name: "n", note: "&".repeat(19_000) };
  const asked = await Promise.allSettled(
    Array.from({ length: 150 }, () => call("/v1/emails/preview", { template: "welcome", values })),
  );
  const refused = asked.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(150);
  for (const each of refused) expect(each).toMatchObject({ reason: { code: "unavailable" } });
});

it("templates are listed with examples, which previews without values use", async () => {
  expect(dataOf(await call("/v1/email-templates"))).toMatchObject([
    {
      name: "welcome",
      help: "For whoever is new.",
      language: "en",
      languages: ["de", "en"],
      values_schema: { required: ["name"], additionalProperties: false },
      example: { name: "name", link: "link" },
    },
  ]);
  expect(dataOf(await call("/v1/emails/preview", { template: "welcome", language: "de" })).text).toBe("Hallo name.\n");
  const given = dataOf(await call("/v1/emails/preview", { template: "welcome", values: { name: "Bo" } }));
  expect(given.text).toBe("Hello Bo\n\n- Look () at it\n");
});

it.each([
  ["a value that is missing", {}, "/values/name", "required"],
  ["a value of another type", { name: 3 }, "/values/name", "wrong_type"],
  ["a variable that there is not", { name: "Bo", nmae: "x" }, "/values/nmae", "unknown_field"],
])("a preview with %s is refused", async (_, values, path, code) => {
  const refused = call("/v1/emails/preview", { template: "welcome", values });
  await expect(refused).rejects.toMatchObject({ code: "validation_failed", errors: [{ path, code }] });
});

it("a stored connection can be tested again, and sends nothing", async () => {
  await call("/v1/connections", connection());
  expect(dataOf(await call("/v1/connections/test", { name: "mail" }))).toEqual({ name: "mail" });
  await server.close();
  await expect(call("/v1/connections/test", { name: "mail" })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ code: "not_working", message: "The mail server does not answer." }],
  });
  await expect(call("/v1/connections/test", { name: "none" })).rejects.toMatchObject({ code: "not_found" });
  expect(server.received).toEqual([]);
});

it("tests of connections are limited over all processes", async () => {
  await call("/v1/connections", connection());
  await cell.pool.query("UPDATE plinth.attempts SET attempts = 20");
  for (const path of ["/v1/connections/test", "/v1/connections"])
    await expect(call(path, path.endsWith("test") ? { name: "mail" } : connection())).rejects.toMatchObject({
      code: "rate_limited",
    });
});

it("addresses are suppressed, and allowed again", async () => {
  await call("/v1/email-suppressions", { address: "Ana@example.com" });
  expect(dataOf(await call("/v1/email-suppressions"))).toMatchObject([
    { address: "Ana@example.com", reason: "manual" },
  ]);
  const { rows } = await cell.pool.query("SELECT * FROM plinth.email_suppressions");
  expect(JSON.stringify(rows)).not.toContain("ana");
  await call("/v1/email-suppressions/remove", { address: "ana@example.com" });
  expect(dataOf(await call("/v1/email-suppressions"))).toEqual([]);
  expect(dataOf(await call("/v1/emails"))).toEqual([]);
});

it("only an admin sees and sets any of it", async () => {
  for (const kind of [{ kind: "publishable" }, { kind: "secret", role: "user" }] as const) {
    const { key: other } = await makeKey(cell, projectId, kind);
    for (const [path, body] of [
      ["/v1/connections"],
      ["/v1/connections", connection()],
      ["/v1/connections/remove", { name: "mail" }],
      ["/v1/connections/test", { name: "mail" }],
      ["/v1/email-templates"],
      ["/v1/emails"],
      [`/v1/emails/${crypto.randomUUID()}`],
      ["/v1/emails/preview", { template: "welcome" }],
      ["/v1/email-suppressions"],
      ["/v1/email-suppressions", { address: "a@example.com" }],
      ["/v1/email-suppressions/remove", { address: "a@example.com" }],
    ] as const)
      await expect(call(path, body, other), path).rejects.toMatchObject({ code: "forbidden" });
  }
  expect((await cell.pool.query("SELECT 1 FROM plinth.connections")).rows).toEqual([]);
});

it("mails are listed in pages, by status and template", async () => {
  await cell.pool.query(
    `INSERT INTO plinth.emails (project_id, id, key, status, message_id, template, sealed, created_at)
     SELECT $1, gen_random_uuid(), n::text, CASE WHEN n % 2 = 0 THEN 'sent' ELSE 'failed' END, n::text,
       CASE WHEN n < 3 THEN 'welcome' END, '', now() - (n / 2) * interval '1 microsecond' FROM generate_series(1, 5) n`,
    [projectId],
  );
  const box = createSecretBox(kek);
  for (let n = 1; n <= 5; n++) {
    const content = { to: ["ana@example.com"], subject: String(n), text: null, html: null };
    const sealed = box.seal(Buffer.from(JSON.stringify(content)), `email/${projectId}/${n}`);
    await cell.pool.query("UPDATE plinth.emails SET sealed = $1 WHERE key = $2", [sealed, String(n)]);
  }
  const list = (query: string): ReturnType<typeof callModule> =>
    callModule(cell, { key, method: "GET", path: "/v1/emails", query });
  const seen: string[] = [];
  let cursor = "";
  do {
    const reply = JSON.parse(String((await list(`limit=2${cursor}`)).body));
    seen.push(...reply.data.map((mail: { readonly subject: string }) => mail.subject));
    cursor = reply.page.has_more ? `&cursor=${reply.page.next_cursor}` : "";
  } while (cursor !== "");
  expect(seen.toSorted()).toEqual(["1", "2", "3", "4", "5"]);
  const subjects = async (query: string) =>
    dataOf(await list(query))
      .map((mail: { readonly subject: string }) => mail.subject)
      .toSorted();
  expect(await subjects("status=failed")).toEqual(["1", "3", "5"]);
  expect(await subjects("status=failed&template=welcome")).toEqual(["1"]);
  await expect(list("status=late")).rejects.toMatchObject({ code: "bad_request" });
});
