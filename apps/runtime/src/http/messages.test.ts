// What a developer reads when something is refused: it says what was wrong, and how it is written right.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";
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

async function read(...request: Parameters<TestCell["send"]>): Promise<string[]> {
  const { json } = await cell.send(...request);
  const errors = (json.errors ?? []).map((each: { path: string; message: string }) => `${each.path} ${each.message}`);
  return [...(json.detail === undefined ? [] : [json.detail]), ...errors];
}

test("a path that is no route is told from a record that isn't there", async () => {
  expect(await read("ana", "GET", "/api/sampels")).toEqual([
    "There is no such route; /v1/openapi.json lists all. Did you mean /api/samples?",
  ]);
  expect(await read("ana", "POST", "/v1/resources/tickets/x/transitions/slove")).toEqual([
    "There is no such route; /v1/openapi.json lists all.",
  ]);
});

test("a role that lacks a transition hears which", async () => {
  expect(await read("ana", "POST", "/api/tickets/018f0000-0000-7000-8000-000000000000/transitions/solve")).toEqual([
    "Your role does not allow you to take the transition solve of tickets.",
  ]);
});

test("a value of another form is shown the form; what the service writes is no unknown field", async () => {
  const body = {
    title: "t",
    big: "x",
    moment: "tomorrow",
    span: "1h",
    tags: ["x"],
    number: "S-1",
    inner: "i",
    titel: "",
  };
  expect((await read("ana", "POST", "/api/samples", body)).sort()).toEqual([
    "/big It must be a whole number of 64 bits.",
    "/inner There is no such field.",
    "/moment It must be a time of RFC 3339: 2024-12-31T23:59:59Z.",
    "/number It can't be sent: the service writes it.",
    "/span It must be a duration of ISO 8601 without years and months: P1DT12H.",
    "/tags/0 It does not have the form of this field's type.",
    '/titel There is no such field. Did you mean "title"?',
  ]);
});

test("an amount as a number is told to be a string, one with too many places how many it may have", async () => {
  expect((await read("ana", "POST", "/api/samples", { title: "t", price: 12, cost: "1.005", big: 7 })).sort()).toEqual([
    "/big It must be a whole number of 64 bits, as a string.",
    "/cost It must be a decimal number with at most 18 digits before the point and 2 after it: 1.00.",
    "/price It must be a decimal number with at most 8 digits before the point and 2 after it: 1.00, as a string.",
  ]);
});

test("a caller without a user hears that nobody is signed in where that is what is missing", async () => {
  cell.addCaller("nobody", project, keyPrincipal("key_public", ["public"]));
  expect(await read("nobody", "POST", "/api/tickets", {})).toEqual([
    "Nobody is signed in: to create tickets, send a user's access token as Plinth-User-Token.",
  ]);
  const ticket = "/api/tickets/018f0000-0000-7000-8000-000000000000";
  expect(await read("nobody", "POST", `${ticket}/transitions/solve`)).toEqual([
    "Your role does not allow you to take the transition solve of tickets.",
  ]);
});

test("a filter by a field that has no order is no unknown field", async () => {
  expect((await read("ana", "GET", "/api/samples?tags=x"))[0]).toBe(
    "tags: Records can't be filtered by it. Name a field of what it lists: tags.id.",
  );
  expect((await cell.send("ana", "GET", "/api/samples?tags.id=018f0000-0000-7000-8000-000000000000")).status).toBe(200);
  expect((await read("ana", "GET", "/api/samples?inner=x"))[0]).toBe('The parameter "inner" is unknown.');
});

test("what is unique within an organization names what the caller has chosen", async () => {
  const insert = "insert into {schema}.organizations (id, name) values (gen_random_uuid(), 'One') returning id";
  const [organization] = await cell.rows(project, insert);
  const within = { "plinth-organization": String(organization?.["id"]) };
  expect(await read("adminkey", "POST", "/api/jobs", { title: "Saw" })).toEqual([
    "Name one by the header Plinth-Organization.",
  ]);
  await cell.send("adminkey", "POST", "/api/jobs", { title: "Saw" }, within);
  expect(await read("adminkey", "POST", "/api/jobs", { title: "Saw" }, within)).toEqual([
    "Another record has this title already.",
    "/title The value is already taken.",
  ]);
});
