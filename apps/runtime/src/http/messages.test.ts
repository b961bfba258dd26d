// The messages that a developer reads after a refusal: what was wrong, and what to write instead.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publishing } from "./testing/publishing.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";
import { wholeBlueprint } from "./testing/whole-blueprint.ts";

/** Texts whose forms have a standard, and no relation. */
const forms = `
project: forms
modules: [auth]
entities:
  form:
    fields:
      country: country?
      zone: timezone?
      mail: email?
      page: url?
      tone: color?
      money: currency?
      language: locale?
      mobile: phone?
      days: list<date>?
    permissions: { admin: { all: true } }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(wholeBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  cell.addCaller("clerk", await cell.addProject(forms), keyPrincipal("key_clerk", ["admin"]));
  const press = await cell.addProject(publishing);
  cell.addCaller("reader", press, keyPrincipal("key_reader", ["admin"]));
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
});
afterAll(() => cell?.close());

async function read(...request: Parameters<TestCell["send"]>): Promise<string[]> {
  const { json } = await cell.send(...request);
  const errors = (json.errors ?? []).map((each: { path: string; message: string }) => `${each.path} ${each.message}`);
  return [...(json.detail === undefined ? [] : [json.detail]), ...errors];
}

test("the message for an unknown route differs from the one for a missing record", async () => {
  expect(await read("ana", "GET", "/api/sampels")).toEqual([
    "This route does not exist; /v1/openapi.json lists all routes. Did you mean /api/samples?",
  ]);
});

test.each([
  ["GET", "/api/samples/", "/api/samples"],
  ["GET", "/samples", "/api/samples"],
  ["GET", "/v1/samples", "/api/samples"],
  ["GET", "/samples/aggregate", "/api/samples/aggregate"],
  ["GET", "/samples/1/2/3/4", "/api/samples"],
  ["GET", `/samples/${"x".repeat(300)}`, null],
  ["GET", "/v1/sample", "/api/samples"],
  ["GET", "/v1/resources/sampels", "/v1/resources/samples"],
  ["POST", "/v1/resources/tickets/x/transitions/slove", "/v1/resources/tickets/x/transitions/solve"],
  ["GET", "/v1/auth/signup", "/v1/auth/sign-up"],
  ["GET", "/v1/resources/nothing-of-that-name", null],
  ["GET", "/colours", null],
])("%s %s gets %s", async (method, path, meant) => {
  const hint = meant === null ? "" : ` Did you mean ${meant}?`;
  expect(await read("ana", method, path)).toEqual([
    `This route does not exist; /v1/openapi.json lists all routes.${hint}`,
  ]);
});

test("the message says that a text is no id, and is the same for a hidden and a missing record", async () => {
  expect(await read("ana", "GET", "/api/samples/123")).toEqual([
    "123 is not an id. Ids are UUIDs, as in the field `id`.",
  ]);
  const { json } = await cell.send("adminkey", "POST", "/api/tags", { name: "kept", secret_tag: true });
  const problem = async (id: string): Promise<unknown> => {
    const reply = await cell.send("ana", "GET", `/api/tags/${id}`);
    return { ...reply.json, request_id: "" };
  };
  expect(await problem(json.data.id)).toEqual(await problem("018f0000-0000-7000-8000-000000000000"));
});

test("the message names the transition that a role lacks", async () => {
  expect(await read("ana", "POST", "/api/tickets/018f0000-0000-7000-8000-000000000000/transitions/solve")).toEqual([
    "Your role does not allow you to take the transition solve of tickets.",
  ]);
});

test("the message shows the required form, and a field that the service writes is not unknown", async () => {
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
    "/inner This field does not exist.",
    "/moment It must be a time in the format RFC 3339 with an offset, such as 2024-12-31T23:59:59Z.",
    "/number It can't be sent, because the service writes it.",
    "/span It must be a duration in the format ISO 8601 without years and months, such as P1DT12H.",
    "/tags/0 It must be a UUID, such as 0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f.",
    '/titel This field does not exist. Did you mean "title"?',
  ]);
});

test("the message about an amount says that it is a string, and how many places it can have", async () => {
  expect((await read("ana", "POST", "/api/samples", { title: "t", price: 12, cost: "1.005", big: 7 })).sort()).toEqual([
    "/big It must be a whole number of 64 bits, as a string.",
    "/cost It must be a decimal number with at most 18 digits before the point and 2 after it: 1.00.",
    "/price It must be a decimal number with at most 8 digits before the point and 2 after it: 1.00, as a string.",
  ]);
});

test("the message for a standard form contains an example", async () => {
  const body = { country: "Germany", zone: "CET+1", mail: "x", page: "x", tone: "red", money: "euro", language: "EN" };
  expect((await read("clerk", "POST", "/api/forms", { ...body, days: ["1.2."], mobile: 49 })).sort()).toEqual([
    "/country It must be a country code with two capital letters (ISO 3166-1), such as DE.",
    "/days/0 It must be a date, such as 2024-12-31.",
    "/language It must be a language, with a region if needed (BCP 47), such as en or pt-BR.",
    "/mail It must be an e-mail address, such as ana@example.com.",
    "/mobile It must be a phone number with its country code (E.164), such as +4930123456, as a string.",
    "/money It must be a currency code with three capital letters (ISO 4217), such as EUR.",
    "/page It must be an address that begins with http:// or https://, such as https://example.com/page.",
    "/tone It must be a colour in hexadecimal, such as #1a2b3c.",
    "/zone It must be a time zone from the IANA database, such as Europe/Berlin.",
  ]);
});

test("the message about a number shows its form, and how to add to it", async () => {
  const sent = { title: "t", amount: "5", price: { add: 1 } };
  expect((await read("ana", "POST", "/api/samples", sent)).sort()).toEqual([
    "/amount It must be an integer or null.",
    "/price Only an update or a transition can add to a number. Send the number itself.",
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

test("the message about a state names the first one, and the next transitions", async () => {
  expect(await read("ana", "POST", "/api/tickets", { title: "t", status: "open" })).toEqual([
    "/status A new ticket is draft. Leave it out, and then use a transition: submit (to open).",
  ]);
  const { json } = await cell.send("ana", "POST", "/api/tickets", { title: "t" });
  expect(await read("ana", "POST", `/api/tickets/${json.data.id}/transitions/submit`, { title: "x" })).toEqual([
    "/title This transition takes no fields.",
  ]);
});

test("the message says that no user is signed in if that is the cause", async () => {
  cell.addCaller("nobody", project, keyPrincipal("key_public", ["public"]));
  expect(await read("nobody", "POST", "/api/tickets", {})).toEqual([
    "No user is signed in. To create tickets, send a user's access token as Plinth-User-Token.",
  ]);
  const ticket = "/api/tickets/018f0000-0000-7000-8000-000000000000";
  expect(await read("nobody", "POST", `${ticket}/transitions/solve`)).toEqual([
    "Your role does not allow you to take the transition solve of tickets.",
  ]);
});

test("a filter by a field that has no order is no unknown field", async () => {
  expect((await read("ana", "GET", "/api/samples?tags=x"))[0]).toBe(
    "tags: Records can't be filtered by it: it is a list of other records. Name a field of theirs: tags.id.",
  );
  expect((await cell.send("ana", "GET", "/api/samples?tags.id=018f0000-0000-7000-8000-000000000000")).status).toBe(200);
  expect((await read("ana", "GET", "/api/samples?inner=x"))[0]).toBe('The parameter "inner" is unknown.');
});

describe("a list with wrong parameters", () => {
  const first = async (query: string, path = "/api/articles"): Promise<string> =>
    (await read("reader", "GET", `${path}?${query}`))[0] ?? "";
  const where = (json: unknown): string => `where=${encodeURIComponent(JSON.stringify(json))}`;

  test.each<[unknown, string, string]>([
    [{ price: "x" }, "where.price", "It must be a decimal number."],
    [{ price: { gte: 1, lt: "x" } }, "where.price.lt", "It must be a decimal number."],
    [
      { and: [{ status: "draft" }, { status: { in: ["gone"] } }] },
      "where.and.1.status.in",
      "It must be one of draft, published, archived.",
    ],
    [{ not: { comments: { likes: { gte: "x" } } } }, "where.not.comments.likes.gte", "It must be a number."],
    [{ or: { status: "draft" } }, "where.or", "or takes a list of conditions."],
    [{ or: ["draft"] }, "where.or.0", 'It must be an object: {"<field>":"<value>"}.'],
    [{ and: [{ prise: "1" }] }, "where.and.0.prise", 'It is not a field of article. Did you mean "price"?'],
  ])("where=%j names the place", async (json, path, message) => {
    const reply = await cell.send("reader", "GET", `/api/articles?${where(json)}`);
    expect(reply.json.errors).toEqual([{ path, code: expect.any(String), message }]);
    expect(reply.json.detail).not.toContain("parameter");
  });

  test("names the place within an expansion too", async () => {
    const options = `expand=comments&expand[comments][${where({ likes: { gt: "x" } }).replace("=", "]=")}`;
    expect(await first(options)).toBe("expand[comments][where].likes.gt: It must be a number.");
  });

  test.each([
    [
      "tags=x",
      "tags: Records can't be filtered by it: it is a list of other records. Name a field of theirs: tags.id.",
    ],
    ["sort=labels", "sort: Records can't be sorted by labels: it is a list."],
    [
      "sort=meta",
      "sort: Records can't be sorted by meta: it is JSON. Store the part that you need in a separate field.",
    ],
  ])("%s says why", async (query, message) => {
    expect(await first(query)).toBe(message);
  });

  test("says why records can't be grouped or calculated with", async () => {
    const aggregate = "/api/articles/aggregate";
    expect(await first("group_by=labels", aggregate)).toBe(
      "group_by: Records can't be grouped by labels: it is a list.",
    );
    expect(await first("group_by=title.month", aggregate)).toBe(
      "group_by: Records can't be grouped by title.month: only a date or a time has a month.",
    );
    expect(await first("select=sum(title)", aggregate)).toBe(
      "select: The sum of title can't be calculated: it isn't a number.",
    );
    expect(await first("select=count&having=x", aggregate)).toBe(
      'The parameter "having" is unknown. Groups can\'t be filtered. Filter the records, or filter the groups of the reply in the client.',
    );
  });

  const pages = "Use `limit` and `cursor` for pages: send the `page.next_cursor` of the previous page.";
  const order = "Write the order as `sort=-created_at,<field>`.";
  test.each([
    ["offset=20", `The parameter "offset" is unknown. ${pages}`],
    ["page=2", `The parameter "page" is unknown. ${pages}`],
    ["order=title", `The parameter "order" is unknown. ${order}`],
    ["orderBy=title", `The parameter "orderBy" is unknown. ${order}`],
    [
      "search=x",
      'The parameter "search" is unknown. `q` searches the searchable texts; `<field>[icontains]=word` looks into one field.',
    ],
    [
      "filter[status]=draft",
      'The parameter "filter" is unknown. A filter begins with its field: `<field>=<value>`, `<field>[gte]=<value>`.',
    ],
    ["price_gte=1", 'The parameter "price_gte" is unknown. Write price[gte].'],
    ["$or=x", 'The parameter "$or" is unknown. `where` takes JSON, in which `or` takes a list of conditions.'],
    ["include=author", 'The parameter "include" is unknown. `expand=<relation>` shows related records.'],
    [where({ $or: [] }), 'There is no "$or". `or` takes a list of conditions.'],
    [where({ AND: [] }), 'There is no "AND". `and` takes a list of conditions.'],
    ["constructor=x", 'The parameter "constructor" is unknown.'],
  ])("%s gets the name that this API uses", async (query, message) => {
    expect(await first(query)).toBe(message);
  });

  test.each([
    ["title[like]=x", "Write contains or icontains."],
    ["title[ilike]=x", "Write contains or icontains."],
    ["title[startsWith]=x", "Write starts_with."],
    ["price[between]=1,2", "Write gte and lte."],
    ["price[$gte]=1", "Write gte."],
    [where({ price: { neq: "1" } }), "Write ne."],
    ["price[like]=1", "It takes eq, ne, in, nin, is_null, gt, gte, lt, lte."],
  ])("%s gets the operator", async (query, message) => {
    expect(await first(query)).toMatch(new RegExp(`${message.replaceAll(".", "\\.")}$`));
  });

  test.each([
    ["article_id.title=x", 'There is no "article_id.title". Did you mean "article.title"?'],
    [
      where({ "article_id.author.username": "x" }),
      'There is no "article_id.author.username". Did you mean "article.author.username"?',
    ],
    ["sort=article_id.title", 'There is no "article_id.title". Did you mean "article.title"?'],
  ])("%s names the relation", async (query, message) => {
    expect(await first(query, "/api/comments")).toBe(message);
  });

  test("shows one of the entity's relations if an expansion's option is malformed", async () => {
    expect(await first("expand=comments&expand[comments]=1")).toContain("Write it as expand[comments][limit].");
    expect(await first("expand[x]=1", "/api/tags")).toContain("Write it as expand[articles][limit].");
    expect((await read("ana", "GET", "/api/towns?expand[x]=1"))[0]).toContain("Write it as expand[yards][limit].");
    expect((await read("clerk", "GET", "/api/forms?expand[x]=1"))[0]).toContain("expand[<relation>][limit].");
  });

  test("explains a + that became a space", async () => {
    expect(await first("created_at[gte]=2024-12-31T12:00:00+01:00")).toBe(
      "created_at[gte]: It must be a time of RFC 3339: 2024-12-31T23:59:59Z. In an address, + means a space: write %2B.",
    );
    expect((await cell.send("reader", "GET", "/api/articles?created_at[gte]=2024-12-31T12:00:00%2B01:00")).status).toBe(
      200,
    );
  });

  test("names the relation of a field that can't be expanded", async () => {
    expect((await read("ana", "GET", "/api/lots?expand=yard_id"))[0]).toBe(
      'expand: lot has no relation "yard_id". Did you mean "yard"?',
    );
  });
});

test("a conflict within an organization only names the caller's own fields", async () => {
  const insert = "insert into {schema}.organizations (id, name) values (gen_random_uuid(), 'One') returning id";
  const [organization] = await cell.rows(project, insert);
  const within = { "plinth-organization": String(organization?.["id"]) };
  expect(await read("adminkey", "POST", "/api/jobs", { title: "Saw" })).toEqual([
    "Name one in the header Plinth-Organization.",
  ]);
  await cell.send("adminkey", "POST", "/api/jobs", { title: "Saw" }, within);
  expect(await read("adminkey", "POST", "/api/jobs", { title: "Saw" }, within)).toEqual([
    "Another record already has this title.",
    "/title The value is already taken.",
  ]);
});
