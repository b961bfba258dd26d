// Values of every type over HTTP: sent values are returned, values that can't be stored are refused, and some are never
// shown.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSecretBox } from "../identity/secret-box.ts";
import { secretContext } from "../records/decode-body.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, testKek } from "./testing/test-cell.ts";
import { wholeBlueprint } from "./testing/whole-blueprint.ts";

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(wholeBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
});
afterAll(() => cell?.close());

const path = "/v1/resources/samples";
let lastTitle = 0;
const body = (values: object = {}): object => ({ title: `Title ${++lastTitle}`, ...values });

// biome-ignore lint/suspicious/noExplicitAny: a record of every shape
async function create(values: object = {}): Promise<any> {
  const reply = await cell.send("ana", "POST", path, body(values));
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data;
}

const samples = {
  amount: 7,
  big: "9223372036854775807",
  ratio: 0.1,
  price: "12345678.90",
  cost: "0.05",
  share: 12.5,
  day: "2024-02-29",
  at: "23:59:59.5",
  moment: "2024-05-01T10:00:00.123456Z",
  span: "P1DT2H",
  flag: true,
  kinds: ["a", "c"],
  data: { deep: [1, { x: null }], text: "ü" },
  words: ["one", "two, {three}", 'fo"ur'],
  numbers: [3, -1, 3],
  place: { lat: 52.5, lng: 13.25 },
};

describe("a value", () => {
  test("is returned as it was sent, by create, read, list and update", async () => {
    const created = await create(samples);
    const expected = { ...samples, doubled: 14 };
    expect(created).toMatchObject(expected);
    expect((await cell.send("ana", "GET", `${path}/${created.id}`)).json.data).toEqual(created);
    const list = await cell.send("ana", "GET", `${path}?id=${created.id}`);
    expect(list.json.data).toEqual([created]);
    const empty = await create();
    for (const name of Object.keys(samples)) expect(empty[name], name).toBe(name === "flag" ? false : null);
    const updated = await cell.send("ana", "PATCH", `${path}/${empty.id}`, samples);
    expect(updated.json.data, updated.text).toMatchObject(expected);
    const cleared = await cell.send("ana", "PATCH", `${path}/${empty.id}`, { ...nulls(), flag: false });
    expect(cleared.json.data, cleared.text).toMatchObject({ ...nulls(), flag: false });
  });

  const nulls = (): object => Object.fromEntries(Object.keys(samples).map((name) => [name, null]));

  test.each([
    ["big", 12],
    ["big", "9223372036854775808"],
    ["price", 1.5],
    ["price", "1.005"],
    ["day", "2023-02-29"],
    ["at", "24:00:00"],
    ["span", "P1Y"],
    ["kinds", ["a", "z"]],
    ["kinds", ["a", "a"]],
    ["numbers", [1.5]],
    ["words", [null]],
    ["place", { lat: 91, lng: 0 }],
    ["share", 100.1],
    ["share", 0.00001],
    ["amount", 2 ** 31],
    ["data", "\u0000"],
    ["token", 5],
  ])("that %s can't store is a 422 at its field: %j", async (field, value) => {
    const before = await cell.fingerprint(project);
    const reply = await cell.send("ana", "POST", path, body({ [field]: value }));
    expect(reply.status, reply.text).toBe(422);
    if (field !== "data") expect(reply.json.errors[0].path).toMatch(new RegExp(`^/${field}`));
    expect(await cell.fingerprint(project)).toBe(before);
  });

  test("with digits that a double would lose is refused, also within json", async () => {
    for (const text of [
      '{"title":"x","data":{"a":9007199254740993}}',
      '{"title":"x","ratio":0.12345678901234567890}',
    ]) {
      const reply = await cell.send("ana", "POST", path, text);
      expect([reply.status, reply.json.code]).toEqual([400, "malformed_json"]);
    }
  });

  test("of small steps doesn't depend on a double's division", async () => {
    expect((await create({ share: 0.0003 })).share).toBe(0.0003);
  });
});

describe("a list", () => {
  test("is filtered and sorted by every type that has an order", async () => {
    const { id } = await create({ ...samples, amount: 901, price: "77.70" });
    const filters = {
      amount: "901",
      big: samples.big,
      ratio: "0.1",
      price: "77.7",
      cost: "0.05",
      share: "12.5",
      day: samples.day,
      at: "23:59:59.5",
      moment: samples.moment,
      span: "P1DT2H",
      flag: "true",
    };
    for (const [name, value] of Object.entries(filters)) {
      const query = new URLSearchParams({ [name]: value, amount: "901" });
      const reply = await cell.send("ana", "GET", `${path}?${query}`);
      expect(
        reply.json.data?.map((each: { id: string }) => each.id),
        `${name}: ${reply.text}`,
      ).toEqual([id]);
    }
    const none = await cell.send("ana", "GET", `${path}?price=77.704`);
    expect(none.json.data).toEqual([]);
  });

  test.each(Object.keys(samples).filter((name) => !["kinds", "data", "words", "numbers", "place"].includes(name)))(
    "goes on by cursor in the order of %s, empty ones last",
    async (name) => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query = new URLSearchParams({ sort: name, limit: "3", ...(cursor === null ? {} : { cursor }) });
        const reply = await cell.send("ana", "GET", `${path}?${query}`);
        expect(reply.status, reply.text).toBe(200);
        seen.push(...reply.json.data.map((each: { id: string }) => each.id));
        cursor = reply.json.page.next_cursor;
      } while (cursor !== null);
      const [count] = await cell.rows(project, "select count(*)::int as n from {schema}.samples");
      expect(new Set(seen).size).toBe(count?.n);
      expect(seen).toHaveLength(count?.n as number);
    },
  );

  test.each(["price=1.x", "big=1.5", "day=2024-13-01", "at=25:00", "span=1h", "ratio=NaN", "big=99999999999999999999"])(
    "refuses a malformed filter: %s",
    async (query) => {
      const reply = await cell.send("ana", "GET", `${path}?${query}`);
      expect([reply.status, reply.json.code], reply.text).toEqual([400, "bad_request"]);
    },
  );

  test("has no filter by values that can't be compared, and no sort by values without an order", async () => {
    const codeOf = async (query: string): Promise<string> =>
      (await cell.send("ana", "GET", `${path}?${query}`)).json.code;
    expect(await codeOf("inner=1")).toBe("unknown_parameter");
    expect([await codeOf("token=1"), await codeOf("sort=token")]).toEqual(["forbidden", "forbidden"]);
    for (const name of ["words", "place", "tags"]) expect(await codeOf(`${name}=1`), name).toBe("bad_request");
    for (const name of ["data", "words", "place", "inner", "tags"]) {
      expect(await codeOf(`sort=${name}`), name).toBe("bad_request");
    }
  });

  test("uses the project's own limit of a page", async () => {
    expect((await cell.send("ana", "GET", `${path}?limit=50`)).status).toBe(200);
    const reply = await cell.send("ana", "GET", `${path}?limit=51`);
    expect([reply.status, reply.json.errors[0].path]).toEqual([400, "limit"]);
  });
});

describe("a slug", () => {
  test("is generated from its field, accepted if it is sent, and stays", async () => {
    const made = await create({ title: "Crème Brûlée & Straße, Nº 5!" });
    expect(made.handle).toBe("creme-brulee-strasse-no-5");
    const sent = await create({ handle: "my-own" });
    expect(sent.handle).toBe("my-own");
    const renamed = await cell.send("ana", "PATCH", `${path}/${made.id}`, { title: "Other" });
    expect(renamed.json.data.handle).toBe(made.handle);
    expect((await create({ title: "日本" })).handle).toMatch(/^[0-9a-f]{8}$/);
    expect((await cell.send("ana", "POST", path, { title: "My own" })).json.code).toBe("unique_violation");
  });
});

describe("a sequence", () => {
  test("has no gap, despite concurrent creates and failures", async () => {
    const first = Number((await create()).number.replace("S-", ""));
    const wanted = Array.from({ length: 40 }, (_, i) =>
      cell.send("ana", "POST", path, i % 4 === 0 ? body({ handle: "my-own" }) : body()),
    );
    const replies = await Promise.all(wanted);
    const made = replies.filter((reply) => reply.status === 201);
    expect(replies.filter((reply) => reply.status === 409)).toHaveLength(10);
    const numbers = made.map((reply) => Number(reply.json.data.number.replace("S-", ""))).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, i) => first + 1 + i));
    expect((await cell.send("ana", "POST", path, body({ number: "S-1" }))).status).toBe(422);
  });
});

describe("a secret", () => {
  test("is sealed for its record, never shown, and masked in the audit log", async () => {
    const plain = "hunter2-and-more";
    const created = await create({ token: plain });
    expect(created).not.toHaveProperty("token");
    const updated = await cell.send("ana", "PATCH", `${path}/${created.id}`, { token: `${plain}!` });
    expect(updated.json.data).not.toHaveProperty("token");
    const [row] = await cell.rows(project, "select token from {schema}.samples where id = $1", [created.id]);
    const box = createSecretBox(testKek);
    const context = secretContext(project.projectId, "sample", created.id, "token");
    expect(box.open(row?.token as string, context).toString()).toBe(`${plain}!`);
    expect(() => box.open(row?.token as string, context.replace(created.id, project.projectId))).toThrow();
    const audit = await cell.rows(project, "select changes::text from {schema}.audit_log where record_id = $1", [
      created.id,
    ]);
    expect(audit).toHaveLength(2);
    expect(JSON.stringify(audit)).not.toContain("hunter2");
    expect(cell.logLines.join()).not.toContain("hunter2");
  });
});

describe("an internal field", () => {
  test("is neither shown nor accepted, and is in no audit row", async () => {
    const created = await create();
    expect(created).not.toHaveProperty("inner");
    await cell.rows(project, `update {schema}.samples set "inner" = 'within' where id = $1`, [created.id]);
    for (const name of ["ana", "adminkey"]) {
      expect((await cell.send(name, "GET", `${path}/${created.id}`)).text).not.toContain("within");
      const reply = await cell.send(name, "PATCH", `${path}/${created.id}`, { inner: "x" });
      expect([reply.status, reply.json.errors[0].code]).toEqual([422, "unknown_field"]);
    }
    expect((await cell.send("ana", "DELETE", `${path}/${created.id}`)).status).toBe(204);
    const audit = await cell.rows(project, "select changes::text from {schema}.audit_log where record_id = $1", [
      created.id,
    ]);
    expect(JSON.stringify(audit)).not.toContain("within");
  });
});

describe("personal data", () => {
  test("is masked in the audit log, which only shows that it changed", async () => {
    const created = await create({ phone: "+4930123456" });
    expect(created.phone).toBe("+4930123456");
    await cell.send("ana", "PATCH", `${path}/${created.id}`, { phone: null });
    const rows = await cell.rows(project, "select changes from {schema}.audit_log where record_id = $1 order by id", [
      created.id,
    ]);
    expect(rows[0]?.changes).toMatchObject({ phone: "[masked]" });
    expect(rows[1]?.changes).toEqual({ phone: ["[masked]", null] });
  });

  test("is masked, too, if it is a reference", async () => {
    const shelf = (await cell.send("ana", "POST", "/api/shelves", { name: "masked" })).json.data.id;
    const created = await create({ likes: [shelf] });
    expect(created.likes).toEqual([shelf]);
    expect((await cell.send("ana", "PATCH", `${path}/${created.id}`, { likes: [] })).status).toBe(200);
    const rows = await cell.rows(project, "select changes from {schema}.audit_log where record_id = $1 order by id", [
      created.id,
    ]);
    expect(rows[0]?.changes).toMatchObject({ likes: "[masked]" });
    expect(rows[1]?.changes).toEqual({ likes: ["[masked]", "[masked]"] });
  });
});

describe("a field that can only be set at create, or only by the service", () => {
  test("is refused in an update, and with its reason", async () => {
    const { id, code } = await create({ code: "C1" });
    expect(code).toBe("C1");
    const reply = await cell.send("ana", "PATCH", `${path}/${id}`, { code: "C2", stamp: "x" });
    expect(reply.status).toBe(422);
    const codes = Object.fromEntries(
      reply.json.errors.map((each: { path: string; code: string }) => [each.path, each.code]),
    );
    expect(codes).toEqual({ "/code": "immutable", "/stamp": "unknown_field" });
    expect((await cell.send("ana", "POST", path, body({ stamp: "x" }))).status).toBe(422);
  });
});

describe("a list of references", () => {
  async function tag(values: object = {}): Promise<string> {
    const reply = await cell.send("adminkey", "POST", "/api/tags", { name: `t${++lastTitle}`, ...values });
    expect(reply.status, reply.text).toBe(201);
    return reply.json.data.id;
  }

  test("is set at create, replaced by an update, and audited", async () => {
    const [a, b, c] = [await tag(), await tag(), await tag()];
    const created = await create({ tags: [b, a, b.toUpperCase()] });
    expect(created.tags).toEqual([a, b].sort());
    expect((await cell.send("ana", "GET", `${path}/${created.id}`)).json.data.tags).toEqual([a, b].sort());
    const updated = await cell.send("ana", "PATCH", `${path}/${created.id}`, { tags: [c, b] });
    expect(updated.json.data, updated.text).toMatchObject({ tags: [b, c].sort(), version: 2 });
    expect((await cell.send("ana", "GET", `${path}?id=${created.id}`)).json.data[0].tags).toEqual([b, c].sort());
    const other = await cell.send("ana", "PATCH", `${path}/${created.id}`, { amount: 3 });
    expect(other.json.data.tags).toEqual([b, c].sort());
    const none = await cell.send("ana", "PATCH", `${path}/${created.id}`, { tags: [] });
    expect(none.json.data.tags).toEqual([]);
    const rows = await cell.rows(project, "select changes from {schema}.audit_log where record_id = $1 order by id", [
      created.id,
    ]);
    expect(rows[0]?.changes).toMatchObject({ tags: [a, b].sort() });
    expect(rows[1]?.changes).toEqual({ tags: [[a, b].sort(), [b, c].sort()] });
  });

  test("can't contain hidden, deleted or missing records: the answer is the same for all", async () => {
    const [hidden, gone, good] = [await tag({ secret_tag: true }), await tag(), await tag()];
    expect((await cell.send("adminkey", "DELETE", `/api/tags/${gone}`)).status).toBe(204);
    const created = await create({ tags: [good] });
    const texts = new Set<string>();
    for (const id of [hidden, gone, "018f0000-0000-7000-8000-000000000000"]) {
      const before = await cell.fingerprint(project);
      const headers = { "x-request-id": "same" };
      for (const [method, at] of [
        ["POST", path],
        ["PATCH", `${path}/${created.id}`],
      ] as const) {
        const sent = method === "POST" ? { title: "x", handle: "unused", tags: [good, id] } : { tags: [good, id] };
        const reply = await cell.send("ana", method, at, sent, headers);
        expect([reply.status, reply.json.errors], reply.text).toEqual([
          422,
          [expect.objectContaining({ path: "/tags", code: "unknown_reference" })],
        ]);
        texts.add(reply.text);
      }
      expect(await cell.fingerprint(project)).toBe(before);
    }
    expect(texts.size).toBe(1);
  });

  test("is one caller's or the other's if two replace it at once, never a mix", async () => {
    const [a, b] = [await tag(), await tag()];
    const { id } = await create();
    for (let round = 0; round < 10; round++) {
      const replies = await Promise.all([[a], [b]].map((tags) => cell.send("ana", "PATCH", `${path}/${id}`, { tags })));
      expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
      const { tags } = (await cell.send("ana", "GET", `${path}/${id}`)).json.data;
      expect(tags).toHaveLength(1);
    }
  });

  test("is replaced completely by a caller who had to wait for another's replacement", async () => {
    const [a, b] = [await tag(), await tag()];
    const { id } = await create();
    const schema = `"${project.names.schema}"`;
    const pairs = project.release.bundle.entities
      .find((each) => each.name === "sample")
      ?.fields.find((each) => each.name === "tags")?.join;
    const client = await cell.pool.connect();
    try {
      await client.query("begin");
      await client.query(`update ${schema}.samples set version = version + 1 where id = $1`, [id]);
      await client.query(
        `insert into ${schema}."${pairs?.table}" ("${pairs?.own}", "${pairs?.other}") values ($1, $2)`,
        [id, a],
      );
      const waiting = cell.send("ana", "PATCH", `${path}/${id}`, { tags: [b] });
      await new Promise((resolve) => setTimeout(resolve, 400));
      await client.query("commit");
      expect((await waiting).json.data).toMatchObject({ tags: [b], version: 3 });
    } finally {
      client.release();
    }
    expect((await cell.send("ana", "GET", `${path}/${id}`)).json.data.tags).toEqual([b]);
  });

  test("takes a thousand ids and no more", async () => {
    const ids = Array.from({ length: 1001 }, (_, i) => `018f0000-0000-7000-8000-${String(i).padStart(12, "0")}`);
    const reply = await cell.send("ana", "POST", path, body({ tags: ids }));
    expect([reply.status, reply.json.errors[0].path], reply.text).toEqual([422, "/tags"]);
  });
});

test("a body beyond the project's limit is a 413", async () => {
  const reply = await cell.send("ana", "POST", path, body({ data: "x".repeat(70_000) }));
  expect([reply.status, reply.json.code]).toEqual([413, "payload_too_large"]);
});
