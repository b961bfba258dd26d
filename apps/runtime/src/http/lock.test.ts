// Rules over other records of the same entity, with thirty concurrent writes: one of the conflicting writes succeeds,
// on every route. Without `lock`, each of them sees the state before all of them.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createWorkBudget } from "../events/work-budget.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { actionHandlers } from "../modules/actions/routes.ts";
import { batchHandlers } from "../modules/batch/routes.ts";
import { createModuleRoutes } from "../modules/module-routes.ts";
import { createTestCell, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const AT_ONCE = 30;

const blueprint = `project: rooms
modules: [auth, users, roles, workers, audit_logs]
entities:
  room:
    fields: { name: string }
    permissions: { user: { all: true } }
  guest:
    fields: { name: string }
    permissions: { user: { all: true } }
  booking:
    lock: room_id
    soft_delete: true
    fields:
      room_id: ref(room)
      guest_id: ref(guest)?
      day: int
      status: enum[asked, given, over] = asked
    transitions:
      status:
        initial: asked
        give: { from: asked, to: given }
        end: { from: given, to: over }
    permissions:
      user:
        read: true
        create: "!record.room.bookings.exists(other, other.day == record.day)"
        update: "!new.room.bookings.exists(other, other.day == new.day && other.id != new.id)"
        delete: record.room.bookings.exists(other, other.id != record.id)
        restore: "!record.room.bookings.exists(other, other.day == record.day)"
        "transition:give": "!new.room.bookings.exists(other, other.status == 'given')"
actions:
  book:
    input: { room_id: ref(room), day: int, guest_id: ref(guest)? }
    permissions: { user: true }
    steps:
      - record.create: { with: { entity: booking, room_id: "\${{ input.room_id }}", day: "\${{ input.day }}", guest_id: "\${{ input.guest_id }}" } }
  book-both:
    input: { one: ref(room), two: ref(room), day: int }
    permissions: { user: true }
    steps:
      - id: first
        action: record.create
        with: { entity: booking, room_id: "\${{ input.one }}", day: "\${{ input.day }}" }
      - id: second
        action: record.create
        with: { entity: booking, room_id: "\${{ input.two }}", day: "\${{ input.day }}" }
`;

let cell: TestCell;
let project: TestProject;
let day = 0;

beforeAll(async () => {
  let next = 0;
  const scopeOf = (projectId: string) => cell.tenants.forProject({ projectId });
  const modules = createModuleRoutes({
    ...batchHandlers({ scopeOf }),
    ...actionHandlers({
      scopeOf,
      secretBox: createSecretBox(Buffer.alloc(32, 1)),
      newId: () => `0190b3c2-6a7e-7d51-8f0e-${(++next).toString(16).padStart(12, "0")}`,
      now: Date.now,
      budget: createWorkBudget(),
      onDue: () => {},
    }),
  });
  cell = await createTestCell({ modules });
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
});
afterAll(() => cell?.close());

async function make(plural: string, values: object): Promise<string> {
  const reply = await cell.send("ana", "POST", `/api/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

const room = (): Promise<string> => make("rooms", { name: "Blue" });

/** Sends them all at once. */
async function outcomes(send: (at: number) => Promise<TestReply>): Promise<Readonly<Record<number, number>>> {
  const replies = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => send(at)));
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const oneOf = (done: number): object => ({ [done]: 1, 403: AT_ONCE - 1 });

/** How many requests wait for a lock. */
async function waiting(): Promise<number> {
  const sql = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return (await cell.pool.query(sql)).rowCount ?? 0;
}

describe("one of thirty succeeds", () => {
  test("that create", async () => {
    const taken = { room_id: await room(), day: ++day };
    expect(await outcomes(() => cell.send("ana", "POST", "/api/bookings", taken))).toEqual(oneOf(201));
  });

  test("that move from other rooms into one", async () => {
    day++;
    const into = await room();
    const ids: string[] = [];
    for (let at = 0; at < AT_ONCE; at++) ids.push(await make("bookings", { room_id: await room(), day }));
    const move = (at: number) => cell.send("ana", "PATCH", `/api/bookings/${ids[at]}`, { room_id: into });
    expect(await outcomes(move)).toEqual(oneOf(200));
  });

  test("that take a transition", async () => {
    const shared = await room();
    const ids: string[] = [];
    for (let at = 0; at < AT_ONCE; at++) ids.push(await make("bookings", { room_id: shared, day: ++day }));
    const give = (at: number) => cell.send("ana", "POST", `/v1/resources/bookings/${ids[at]}/transitions/give`);
    expect(await outcomes(give)).toEqual(oneOf(200));
  });

  test("that restore", async () => {
    const shared = await room();
    // One record that stays, so that the others can be deleted.
    await make("bookings", { room_id: shared, day: ++day });
    const same = ++day;
    const ids: string[] = [];
    for (let at = 0; at < AT_ONCE; at++) {
      const id = await make("bookings", { room_id: shared, day: same });
      expect((await cell.send("ana", "DELETE", `/api/bookings/${id}`)).status).toBe(204);
      ids.push(id);
    }
    const restore = (at: number) => cell.send("ana", "POST", `/v1/resources/bookings/${ids[at]}/restore`);
    expect(await outcomes(restore)).toEqual(oneOf(200));
  });

  test("that call an action", async () => {
    const input = { room_id: await room(), day: ++day };
    expect(await outcomes(() => cell.send("ana", "POST", "/v1/actions/book", input))).toEqual(oneOf(200));
  });
});

describe("an uncommitted write of another process counts", () => {
  /** Holds the room, like a locked write, until the request waits for it. */
  async function beside(roomId: string, sql: string, request: () => Promise<TestReply>): Promise<TestReply> {
    const client = await cell.pool.connect();
    try {
      await client.query("begin");
      await client.query(`set local search_path to "${project.names.schema}"`);
      await client.query("select from rooms where id = $1 for no key update", [roomId]);
      await client.query(sql);
      const reply = request();
      await vi.waitFor(
        async () => {
          expect(await waiting()).toBeGreaterThan(0);
        },
        { timeout: 5_000, interval: 5 },
      );
      await client.query("commit");
      return await reply;
    } finally {
      client.release();
    }
  }

  test("for a create, and for an action", async () => {
    const roomId = await room();
    const insert = (on: number): string =>
      `insert into bookings (id, room_id, day, status) values (gen_random_uuid(), '${roomId}', ${on}, 'asked')`;
    const body = { room_id: roomId, day: ++day };
    const created = await beside(roomId, insert(day), () => cell.send("ana", "POST", "/api/bookings", body));
    expect(created.status, created.text).toBe(403);
    const input = { room_id: roomId, day: ++day };
    const called = await beside(roomId, insert(day), () => cell.send("ana", "POST", "/v1/actions/book", input));
    expect(called.status, called.text).toBe(403);
  });

  test("for an action whose other record is deleted", async () => {
    const [roomId, guest] = [await room(), await make("guests", { name: "Gil" })];
    const input = { room_id: roomId, day: ++day, guest_id: guest };
    const client = await cell.pool.connect();
    try {
      await client.query(`begin; delete from "${project.names.schema}".guests where id = '${guest}'`);
      const reply = cell.send("ana", "POST", "/v1/actions/book", input);
      await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), { timeout: 5_000, interval: 5 });
      await client.query("commit");
      expect((await reply).status, (await reply).text).toBe(422);
    } finally {
      client.release();
    }
  });

  test("for a transition", async () => {
    const roomId = await room();
    const id = await make("bookings", { room_id: roomId, day: ++day });
    const other = await make("bookings", { room_id: roomId, day: ++day });
    const given = `update bookings set status = 'given' where id = '${other}'`;
    const give = () => cell.send("ana", "POST", `/v1/resources/bookings/${id}/transitions/give`);
    const reply = await beside(roomId, given, give);
    expect(reply.status, reply.text).toBe(403);
  });

  test("for a record that was moved to another room meanwhile", async () => {
    const [from, into] = [await room(), await room()];
    const id = await make("bookings", { room_id: from, day: ++day });
    const last = await make("bookings", { room_id: from, day: ++day });
    const moved = `update bookings set room_id = '${into}' where id = '${id}'`;
    // It is alone in its present place.
    const reply = await beside(from, moved, () => cell.send("ana", "DELETE", `/api/bookings/${id}`));
    expect(reply.status, reply.text).toBe(403);
    expect((await cell.send("ana", "DELETE", `/api/bookings/${last}`)).status).toBe(403);
  });
});

test("all but the last of thirty may be deleted", async () => {
  const shared = await room();
  const ids: string[] = [];
  for (let at = 0; at < AT_ONCE; at++) ids.push(await make("bookings", { room_id: shared, day: ++day }));
  const remove = (at: number) => cell.send("ana", "DELETE", `/api/bookings/${ids[at]}`);
  expect(await outcomes(remove)).toEqual({ 204: AT_ONCE - 1, 403: 1 });
});

test("updates that swap their rooms don't deadlock", async () => {
  const [one, other] = [await room(), await room()];
  const ids: string[] = [];
  for (let at = 0; at < AT_ONCE; at++) {
    ids.push(await make("bookings", { room_id: at % 2 === 0 ? one : other, day: ++day }));
  }
  const swap = (at: number) =>
    cell.send("ana", "PATCH", `/api/bookings/${ids[at]}`, { room_id: at % 2 === 0 ? other : one });
  expect(await outcomes(swap)).toEqual({ 200: AT_ONCE });
});

describe("parents are locked in the order of their ids, and before any record", () => {
  const both = (...rooms: readonly string[]): object[] => rooms.map((room_id) => ({ room_id, day: ++day }));

  test.each<[string, (one: string, two: string) => Promise<readonly [() => Promise<TestReply>, number, string[]]>]>([
    [
      "in a list of creates",
      async (...rooms) => [() => cell.send("ana", "POST", "/api/bookings", both(...rooms)), 201, []],
    ],
    [
      "in a list of changes",
      async (...rooms) => {
        const bookings: string[] = [];
        for (const booking of both(...rooms)) bookings.push(await make("bookings", booking));
        const changes = bookings.map((id) => ({ id, day: ++day }));
        return [() => cell.send("ana", "PATCH", "/api/bookings", changes), 200, bookings];
      },
    ],
    [
      "in a batch",
      async (...rooms) => {
        const operations = both(...rooms).map((body) => ({ method: "POST", path: "/api/bookings", body }));
        return [() => cell.send("ana", "POST", "/v1/batch", { operations }), 200, []];
      },
    ],
    [
      "in an action",
      async (one, two) => [() => cell.send("ana", "POST", "/v1/actions/book-both", { one, two, day: ++day }), 200, []],
    ],
  ])("%s", async (_, prepare) => {
    const [first, second] = [await room(), await room()];
    const [request, status, records] = await prepare(second, first);
    const { schema } = project.names;
    const client = await cell.pool.connect();
    try {
      await client.query(`begin; select from "${schema}".rooms where id = '${first}' for no key update`);
      const reply = request();
      await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), { timeout: 10_000, interval: 5 });
      // It waits for the first one, and has nothing else yet.
      await cell.pool.query(`select from "${schema}".rooms where id = $1 for no key update nowait`, [second]);
      const free = `select from "${schema}".bookings where id = any($1) for update nowait`;
      expect((await cell.pool.query(free, [records])).rowCount).toBe(records.length);
      await client.query("commit");
      expect((await reply).status, (await reply).text).toBe(status);
    } finally {
      client.release();
    }
  });
});

test("two actions that lock two rooms in opposite order both succeed", async () => {
  for (let round = 0; round < 4; round++) {
    const [one, two] = [await room(), await room()];
    const both = (...[first, second]: readonly string[]): Promise<TestReply> =>
      cell.send("ana", "POST", "/v1/actions/book-both", { one: first, two: second, day: ++day });
    const replies = await Promise.all([both(one, two), both(two, one)]);
    expect(replies.map(({ status, text }) => [status, text])).toEqual(replies.map(({ text }) => [200, text]));
  }
});
