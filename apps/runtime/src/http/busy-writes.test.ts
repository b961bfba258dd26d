// Writes that get in each other's way: each of them is done or answered with 409, never with an error of the server.
// `RUNS=100` repeats each race a hundred times.
import { sampleOf } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestCell, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const ROUNDS = sampleOf(1, 100).runs;
const AT_ONCE = 30;

const blueprint = `project: desks
modules: [auth, users, roles, audit_logs]
entities:
  booking:
    soft_delete: true
    exclude:
      one_room: { same: [room], overlap: [begins, ends] }
      one_desk: { same: [desk], overlap: [begins, ends] }
    fields: { room: string, desk: string, begins: int, ends: int }
    permissions: { user: { all: true } }
  bill:
    fields: { number: sequence(B-), text: string }
    permissions: { user: { all: true } }
  order:
    fields: { text: string }
    permissions: { user: { all: true } }
  line:
    lock: order_id
    fields: { order_id: ref(order) on_delete(cascade), pieces: int }
    permissions: { user: { all: true } }
`;

let cell: TestCell;
let project: TestProject;
let names = 0;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
});
afterAll(() => cell?.close());

const send = (method: string, path: string, body?: unknown): Promise<TestReply> => cell.send("ana", method, path, body);

async function make(plural: string, values: object): Promise<string> {
  const reply = await send("POST", `/api/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

const unlike = (allowed: readonly number[], replies: readonly TestReply[]): readonly string[] =>
  replies.filter(({ status }) => !allowed.includes(status)).map(({ text }) => text);

test("creates that overlap in one or in two ways", { timeout: ROUNDS * 30_000 }, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [room, desk] = [`room ${++names}`, `desk ${++names}`];
    const replies = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => {
        const free = { room: `${room} ${at}`, desk: `${desk} ${at}`, begins: at % 7, ends: (at % 7) + 3 };
        const taken = at % 3 === 0 ? { room } : at % 3 === 1 ? { desk } : { room, desk };
        return send("POST", "/api/bookings", { ...free, ...taken });
      }),
    );
    expect(unlike([201, 409], replies)).toEqual([]);
    expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  }
});

test("a create that is rolled back because of a deadlock runs again, a few times", async () => {
  const schema = `"${project.names.schema}"`;
  // The first inserts fail as if each were the victim of a deadlock; `begins` is how many.
  await cell.pool.query(`
    create sequence ${schema}.inserts;
    grant usage on sequence ${schema}.inserts to public;
    create function ${schema}.deadlock() returns trigger language plpgsql as $$ begin
      if nextval('${schema}.inserts') % 100 between 1 and new.begins then
        raise exception 'deadlock detected' using errcode = '40P01';
      end if;
      return new;
    end $$;
    create trigger deadlock before insert on ${schema}.bookings for each row execute function ${schema}.deadlock()`);
  try {
    const book = async (failures: number): Promise<TestReply> => {
      await cell.pool.query(`select setval('${schema}.inserts', 100)`);
      return send("POST", "/api/bookings", { room: "d", desk: "d", begins: failures, ends: failures + 1 });
    };
    expect((await book(2)).status).toBe(201);
    const refused = await book(50);
    expect([refused.status, refused.json.code, refused.headers.get("retry-after")]).toEqual([409, "conflict", "1"]);
  } finally {
    await cell.pool.query(`drop trigger deadlock on ${schema}.bookings`);
  }
});

test("twenty-two lists of fifty numbered records", { timeout: 120_000 }, async () => {
  const before = Number((await cell.rows(project, "select count(*) as n from {schema}.bills"))[0]?.["n"]);
  const list = Array.from({ length: 50 }, (_, at) => ({ text: `bill ${at}` }));
  const replies = await Promise.all(Array.from({ length: 22 }, () => send("POST", "/api/bills", list)));
  expect(unlike([201, 409], replies)).toEqual([]);
  const done = replies.filter(({ status }) => status === 201).length;
  const [rows] = await cell.rows(
    project,
    "select count(*)::int as n, count(distinct number)::int as numbers, max(substr(number, 3)::int) as last from {schema}.bills",
  );
  expect(rows).toEqual({ n: before + done * 50, numbers: before + done * 50, last: before + done * 50 });
  expect(done).toBeGreaterThan(0);
});

test("a list whose numbers are taken for longer than a statement waits is written after them", async () => {
  await send("POST", "/api/bills", { text: "the first one makes the counter" });
  const client = await cell.pool.connect();
  try {
    await client.query("begin");
    await client.query(`update "${project.names.schema}".sequences set value = value`);
    const reply = send("POST", "/api/bills", [{ text: "one" }, { text: "two" }]);
    await client.query("select pg_sleep(1.5)");
    await client.query("commit");
    expect((await reply).status, (await reply).text).toBe(201);
  } finally {
    client.release();
  }
});

test("lists that lock two parents in opposite order", { timeout: ROUNDS * 30_000 }, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [one, two] = [await make("orders", { text: "one" }), await make("orders", { text: "two" })];
    const under = (...orders: readonly string[]): Promise<TestReply> =>
      send(
        "POST",
        "/api/lines",
        orders.map((order_id) => ({ order_id, pieces: 1 })),
      );
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? under(one, two) : under(two, one))),
    );
    expect(unlike([201, 409], made)).toEqual([]);
    // Lines of both orders, which also change places: both parents of each are locked.
    const done = made.filter(({ status }) => status === 201);
    const lines = done.map(({ json }) => json.data as { id: string; order_id: string }[]);
    const changed = await Promise.all(
      lines.map((own, at) => {
        const swapped = own.map(({ id, order_id }) => ({ id, order_id: order_id === one ? two : one }));
        return at % 3 === 0
          ? send("PATCH", `/api/lines/${own[0]?.id}`, { pieces: 2 })
          : send("PATCH", "/api/lines", at % 2 === 0 ? swapped : [...swapped].reverse());
      }),
    );
    expect(unlike([200, 409], changed)).toEqual([]);
  }
});

test("restores and deletes of one record", { timeout: ROUNDS * 30_000 }, async () => {
  const id = await make("bookings", { room: "r", desk: "d", begins: 0, ends: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    const replies = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        at % 2 === 0 ? send("DELETE", `/api/bookings/${id}`) : send("POST", `/api/bookings/${id}/restore`),
      ),
    );
    expect(unlike([200, 204, 404, 409], replies)).toEqual([]);
  }
});

test("a restore during which the record is restored and deleted again", async () => {
  const id = await make("bookings", { room: "again", desk: "again", begins: 0, ends: 1 });
  expect((await send("DELETE", `/api/bookings/${id}`)).status).toBe(204);
  const client = await cell.pool.connect();
  try {
    const bookings = `"${project.names.schema}".bookings`;
    await client.query("begin");
    await client.query(`update ${bookings} set deleted_at = null where id = $1`, [id]);
    await client.query(`update ${bookings} set deleted_at = now() + interval '1 second' where id = $1`, [id]);
    const reply = send("POST", `/api/bookings/${id}/restore`);
    await vi.waitFor(async () => {
      // In the fast lane it gives up sooner, and starts again.
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and clock_timestamp() - query_start > interval '100 ms'`;
      expect((await cell.pool.query(waiting)).rowCount).toBeGreaterThan(0);
    });
    await client.query("commit");
    expect((await reply).status, (await reply).text).toBe(200);
    expect((await reply).json.data.deleted_at).toBe(null);
  } finally {
    client.release();
  }
});
