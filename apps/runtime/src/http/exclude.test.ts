// Records that must not overlap, over HTTP: what counts as an overlap, the message about it, and that one of thirty
// concurrent writes succeeds.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const AT_ONCE = 30;

const blueprint = `project: rooms
modules: [auth, users, roles, audit_logs]
entities:
  booking:
    soft_delete: true
    exclude:
      one_at_a_time: { same: [room], overlap: [starts_at, ends_at], where: status != "refused" }
      one_desk: { same: [desk], overlap: [first_day, last_day] }
    fields:
      room: string
      starts_at: datetime?
      ends_at: datetime?
      status: enum[asked, given, refused] = asked
      desk: string?
      first_day: date?
      last_day: date?
    transitions:
      status:
        initial: asked
        give: { from: refused, to: given }
        refuse: { from: [asked, given], to: refused }
    permissions:
      user: { all: true }
`;

let cell: TestCell;
let project: TestProject;
let rooms = 0;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
});
afterAll(() => cell?.close());

const room = (): string => `Room ${++rooms}`;
const at = (hour: number): string => `2026-05-01T${String(hour).padStart(2, "0")}:00:00Z`;
const book = (values: object): Promise<TestReply> => cell.send("ana", "POST", "/api/bookings", values);

async function booked(values: object): Promise<string> {
  const reply = await book(values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

describe("an overlapping record", () => {
  test("is refused with only the exclusion's name and fields", async () => {
    const taken = { room: room(), starts_at: at(9), ends_at: at(11) };
    await booked(taken);
    const reply = await book({ ...taken, starts_at: at(10), ends_at: at(12) });
    expect(reply.status).toBe(409);
    expect(reply.json).toMatchObject({
      code: "conflict",
      detail: "Another record with the same room overlaps from starts_at to ends_at (one_at_a_time).",
    });
    expect(reply.json.errors.map(({ path }: { path: string }) => path)).toEqual(["/room", "/starts_at", "/ends_at"]);
  });

  test.each([
    ["ends where the other begins", { starts_at: at(7), ends_at: at(9) }],
    ["begins where the other ends", { starts_at: at(11), ends_at: at(12) }],
    ["is another room's", { room: "elsewhere", starts_at: at(9), ends_at: at(11) }],
    ["takes no time", { starts_at: at(10), ends_at: at(10) }],
  ])("does not include one that %s", async (_, values) => {
    const here = room();
    await booked({ room: here, starts_at: at(9), ends_at: at(11) });
    await booked({ room: here, ...values });
  });

  test("includes open ranges", async () => {
    const here = room();
    await booked({ room: here, starts_at: at(9) });
    expect((await book({ room: here, starts_at: at(20), ends_at: at(21) })).status).toBe(409);
    await booked({ room: here, ends_at: at(9) });
    expect((await book({ room: here })).status).toBe(409);
  });

  test("is compared by days, too, and never without a value", async () => {
    const day = (one: string) => `2026-05-${one}`;
    const desk = room();
    await booked({ room: room(), desk, first_day: day("01"), last_day: day("03") });
    const next = { room: room(), desk, first_day: day("03"), last_day: day("04"), starts_at: at(1), ends_at: at(2) };
    await booked(next);
    expect((await book({ ...next, room: room() })).status).toBe(409);
    await booked({ ...next, room: room(), desk: null });
    await booked({ ...next, room: room(), desk: null });
  });
});

test("a range that ends before it begins is a 422 with the reason", async () => {
  const reply = await book({ room: room(), starts_at: at(11), ends_at: at(9) });
  expect(reply.status).toBe(422);
  expect(reply.json.errors[0].message).toBe("`ends_at` must not be before `starts_at`.");
});

test("records outside of the condition, and deleted ones, conflict with nothing until they return", async () => {
  const taken = { room: room(), starts_at: at(9), ends_at: at(11) };
  const refused = await booked(taken);
  expect((await cell.send("ana", "POST", `/v1/resources/bookings/${refused}/transitions/refuse`)).status).toBe(200);
  const deleted = await booked(taken);
  expect((await cell.send("ana", "DELETE", `/api/bookings/${deleted}`)).status).toBe(204);
  const standing = await booked(taken);
  expect((await cell.send("ana", "POST", `/v1/resources/bookings/${refused}/transitions/give`)).status).toBe(409);
  expect((await cell.send("ana", "POST", `/v1/resources/bookings/${deleted}/restore`)).status).toBe(409);
  expect((await cell.send("ana", "PATCH", `/api/bookings/${standing}`, { room: room() })).status).toBe(200);
  expect((await cell.send("ana", "POST", `/v1/resources/bookings/${deleted}/restore`)).status).toBe(200);
});

async function outcomes(send: (at: number) => Promise<TestReply>): Promise<Readonly<Record<number, number>>> {
  const replies = await Promise.all(Array.from({ length: AT_ONCE }, (_, one) => send(one)));
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe("one of thirty gets through", () => {
  test("that create", async () => {
    const taken = { room: room(), starts_at: at(9), ends_at: at(11) };
    expect(await outcomes(() => book(taken))).toEqual({ 201: 1, 409: AT_ONCE - 1 });
  });

  test("that move, and that are restored", async () => {
    const into = room();
    const ids: string[] = [];
    for (let one = 0; one < AT_ONCE; one++) ids.push(await booked({ room: room(), starts_at: at(9), ends_at: at(11) }));
    const move = (one: number) => cell.send("ana", "PATCH", `/api/bookings/${ids[one]}`, { room: into });
    expect(await outcomes(move)).toEqual({ 200: 1, 409: AT_ONCE - 1 });
    const same = room();
    const deleted: string[] = [];
    for (let one = 0; one < AT_ONCE; one++) {
      const id = await booked({ room: same, starts_at: at(9), ends_at: at(11) });
      expect((await cell.send("ana", "DELETE", `/api/bookings/${id}`)).status).toBe(204);
      deleted.push(id);
    }
    const restore = (one: number) => cell.send("ana", "POST", `/v1/resources/bookings/${deleted[one]}/restore`);
    expect(await outcomes(restore)).toEqual({ 200: 1, 409: AT_ONCE - 1 });
  });
});
