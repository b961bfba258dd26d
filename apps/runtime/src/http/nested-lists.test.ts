// Nested lists: three levels work without explicit limits, and a refusal of too many records names the number.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell } from "./testing/test-cell.ts";

const blueprint = `
project: shelves
modules: [auth, users, roles]
entities:
  room:
    fields: { name: string }
    permissions: { admin: { all: true } }
  shelf:
    fields: { room_id: ref(room) }
    permissions: { admin: { all: true } }
  book:
    fields: { shelf_id: ref(shelf) }
    permissions: { admin: { all: true } }
  page:
    fields: { book_id: ref(book), number: int }
    permissions: { admin: { all: true } }
`;

let cell: TestCell;

beforeAll(async () => {
  cell = await createTestCell();
  cell.addCaller("admin", await cell.addProject(blueprint), keyPrincipal("key_admin", ["admin"]));
});
afterAll(() => cell?.close());

test("three nested lists contain ten records each", async () => {
  const shelves = [{ books: [{ pages: Array.from({ length: 11 }, (_, number) => ({ number })) }] }];
  const made = await cell.send("admin", "POST", "/api/rooms", { name: "a", shelves });
  expect(made.status, made.text).toBe(201);
  const { json, text } = await cell.send("admin", "GET", "/api/rooms?expand=shelves.books.pages");
  expect(json.data[0].shelves[0].books[0].pages.length, text).toBe(10);
});

test("too many records together are refused", async () => {
  const limit = "expand[shelves][limit]=50";
  const { status, json } = await cell.send("admin", "GET", `/api/rooms?expand=shelves.books.pages&${limit}`);
  expect(status).toBe(400);
  expect(json.errors[0]).toMatchObject({ code: "too_many", message: expect.stringContaining("up to 5000") });
});
