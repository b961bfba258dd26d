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
    "/moment It must be a time of RFC 3339 with its offset, such as 2024-12-31T23:59:59Z.",
    "/number It can't be sent: the service writes it.",
    "/span It must be a duration of ISO 8601 without years and months, such as P1DT12H.",
    "/tags/0 It must be a UUID, such as 0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f.",
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

test("a value whose form has a standard is shown an example of it", async () => {
  const body = { country: "Germany", zone: "CET+1", mail: "x", page: "x", tone: "red", money: "euro", language: "EN" };
  expect((await read("ana", "POST", "/api/forms", { ...body, days: ["1.2."], mobile: 49 })).sort()).toEqual([
    "/country It must be a country's code of two capital letters (ISO 3166-1), such as DE.",
    "/days/0 It must be a date, such as 2024-12-31.",
    "/language It must be a language, where needed with its region (BCP 47), such as en or pt-BR.",
    "/mail It must be an e-mail address, such as ana@example.com.",
    "/mobile It must be a phone number with its country's code (E.164), such as +4930123456, as a string.",
    "/money It must be a currency's code of three capital letters (ISO 4217), such as EUR.",
    "/page It must be an address that begins with http:// or https://, such as https://example.com/page.",
    "/tone It must be a colour in hexadecimal, such as #1a2b3c.",
    "/zone It must be a time zone of the IANA database, such as Europe/Berlin.",
  ]);
});

test("a number is told how it is written, and how it is added to", async () => {
  const sent = { title: "t", amount: "5", price: { add: 1 } };
  expect((await read("ana", "POST", "/api/samples", sent)).sort()).toEqual([
    "/amount It must be an integer or null.",
    "/price Only an update or a transition adds to a number: send the number itself.",
  ]);
  const { json } = await cell.send("ana", "POST", "/api/samples", { title: "t" });
  const path = `/api/samples/${json.data.id}`;
  expect(await read("ana", "PATCH", path, { amount: "5" })).toEqual([
    '/amount It must be an integer or null, or {"add": 1} to add to it.',
  ]);
  expect((await read("ana", "PATCH", path, { price: { add: 1 }, cost: 1 })).sort()).toEqual([
    '/cost It must be a decimal number with at most 18 digits before the point and 2 after it: 1.00, as a string, or {"add": "1"} to add to it.',
    "/price/add It must be a decimal number with at most 8 digits before the point and 2 after it: 1.00, as a string.",
  ]);
});

test("a state that no new record has is told the first, and the transitions that lead on", async () => {
  expect(await read("ana", "POST", "/api/tickets", { title: "t", status: "open" })).toEqual([
    "/status A new ticket is draft. Leave it out, and then take a transition: submit (to open).",
  ]);
  const { json } = await cell.send("ana", "POST", "/api/tickets", { title: "t" });
  expect(await read("ana", "POST", `/api/tickets/${json.data.id}/transitions/submit`, { title: "x" })).toEqual([
    "/title This transition takes no fields.",
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
