// The routes of actions and background work, as an app uses them: each is called without a credential, by callers
// without and with the right, and too often. Every reply is checked against the project's OpenAPI document.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  book,
  closeLibrary,
  document,
  hasStatus,
  newTitle,
  openLibrary,
  queueOf,
  refusedRun,
  send,
  strictOrigin,
  typed,
  unknownCall,
  type Who,
  waitingRun,
} from "./library.ts";
import { until } from "./published-cell.ts";

beforeAll(openLibrary, 120_000);
afterAll(closeLibrary);

interface Route {
  readonly template: string;
  readonly method: string;
  readonly success: number;
  /** The answer to a caller without the right: 403 for actions, 404 for another caller's run. */
  readonly refused: readonly [Who, number];
  /** The right caller, the path and the body of a request that succeeds. */
  readonly good: () => Promise<readonly [Who, string, unknown]>;
  /** Its line in the audit log; null if it writes none. */
  readonly operation: string | null;
}

const run = "/v1/runs/{id}";
const at = (template: string, id: string): string => template.replace("{id}", id);
const routes: readonly Route[] = [
  {
    template: "/v1/actions/lend-book",
    method: "POST",
    success: 200,
    refused: ["reader", 403],
    good: async () => ["librarian", "/v1/actions/lend-book", { book_id: await book(), days: 7 }],
    operation: "call",
  },
  {
    template: "/v1/actions/buy-book",
    method: "POST",
    success: 202,
    refused: ["visitor", 403],
    good: async () => ["reader", "/v1/actions/buy-book", { title: newTitle(), price: "1" }],
    operation: "call",
  },
  {
    template: "/v1/actions/add-book",
    method: "POST",
    success: 200,
    refused: ["reader", 403],
    good: async () => ["librarian", "/v1/actions/add-book", { title: newTitle() }],
    operation: "call",
  },
  {
    template: run,
    method: "GET",
    success: 200,
    refused: ["other", 404],
    good: async () => ["reader", at(run, await waitingRun()), undefined],
    operation: null,
  },
  {
    template: "/v1/runs/approvals",
    method: "GET",
    success: 200,
    // Nobody is refused: a caller without approvals gets an empty list.
    refused: ["other", 200],
    good: async () => {
      await waitingRun();
      return ["librarian", "/v1/runs/approvals", undefined];
    },
    operation: null,
  },
  {
    template: `${run}/approve`,
    method: "POST",
    success: 202,
    refused: ["other", 404],
    good: async () => ["librarian", at(`${run}/approve`, await waitingRun()), { step: "approve", note: "fine" }],
    operation: "approve",
  },
  {
    template: `${run}/reject`,
    method: "POST",
    success: 202,
    refused: ["other", 404],
    good: async () => ["librarian", at(`${run}/reject`, await waitingRun()), { step: "approve" }],
    operation: "refuse",
  },
  {
    template: `${run}/cancel`,
    method: "POST",
    success: 202,
    refused: ["reader", 403],
    good: async () => ["admin", at(`${run}/cancel`, await waitingRun()), {}],
    operation: "cancel",
  },
  {
    template: `${run}/retry`,
    method: "POST",
    success: 202,
    refused: ["reader", 403],
    good: async () => {
      const id = await waitingRun();
      expect((await send("admin", "POST", `/v1/runs/${id}/cancel`, {})).status).toBe(202);
      await hasStatus(id, "cancelled");
      return ["admin", at(`${run}/retry`, id), {}];
    },
    operation: "retry",
  },
  {
    template: "/v1/actions/ring-bell",
    method: "POST",
    success: 202,
    refused: ["visitor", 403],
    good: async () => ["reader", "/v1/actions/ring-bell", {}],
    operation: "call",
  },
  forAdmins("POST", `${run}/done`, 202, "mark_done", async () => ({ id: await unknownCall(), body: { output: 1 } })),
  forAdmins("POST", `${run}/fail`, 202, "mark_failed", async () => ({ id: await unknownCall(), body: {} })),
  forAdmins("GET", "/v1/runs", 200, null),
  forAdmins("GET", "/v1/events", 200, null),
  forAdmins("GET", "/v1/events/{id}", 200, null, async () => {
    await send("librarian", "POST", "/v1/actions/lend-book", { book_id: await book(), days: 1 });
    const heard = async () => (await send("admin", "GET", "/v1/events?name=book.lent")).body.data;
    await until(async () => (await heard()).length > 0, 30);
    return { id: (await heard())[0].id };
  }),
  forAdmins("GET", "/v1/queues", 200, null),
  forAdmins("POST", "/v1/queues/retry", 202, "retry", async () => {
    const { error } = (await send("admin", "GET", `/v1/runs/${await refusedRun()}`)).body.data;
    return { body: { ...queueOf("buy-book"), code: error.code } };
  }),
  forAdmins("POST", "/v1/queues/settle", 202, "mark_failed", async () => {
    await unknownCall();
    return { body: { ...queueOf("ring-bell"), calls: "failed" } };
  }),
  forAdmins("POST", "/v1/queues/cancel", 202, "cancel", async () => {
    await waitingRun();
    return { body: queueOf("buy-book") };
  }),
  forAdmins("GET", "/v1/schedules", 200, null),
  forAdmins("POST", "/v1/schedules/run", 202, "run_schedule", async () => ({ body: { schedule: "yearly" } })),
  forAdmins("POST", "/v1/schedules/pause", 202, "pause_schedule", async () => {
    await send("admin", "POST", "/v1/schedules/resume", { schedule: "yearly" });
    return { body: { schedule: "yearly" } };
  }),
  forAdmins("POST", "/v1/schedules/resume", 202, "resume_schedule", async () => {
    await send("admin", "POST", "/v1/schedules/pause", { schedule: "yearly" });
    return { body: { schedule: "yearly" } };
  }),
  forAdmins("GET", "/v1/signing-secret", 200, "read"),
  forAdmins("POST", "/v1/signing-secret/rotate", 200, "rotate", async () => ({ body: {} })),
];

type Given = { readonly id?: string; readonly body?: unknown };

function forAdmins(
  method: string,
  template: string,
  success: number,
  operation: string | null,
  given: () => Promise<Given> = async () => ({}),
): Route {
  return {
    template,
    method,
    success,
    refused: ["reader", 403],
    good: async () => {
      const { id = "", body } = await given();
      return ["admin", at(template, id), body];
    },
    operation,
  };
}

test("the test covers all routes of actions and background work in the OpenAPI document", () => {
  const documented = Object.entries(document.paths)
    .filter(([path]) => /^\/v1\/(actions|runs|events|queues|schedules|signing-secret)\b/.test(path))
    .flatMap(([path, item]) =>
      ["get", "post", "put", "patch", "delete"]
        .filter((verb) => verb in item)
        .map((verb) => `${verb.toUpperCase()} ${path}`),
    );
  expect(routes.map(({ method, template }) => `${method} ${template}`).sort()).toEqual(documented.sort());
});

describe.each(routes)("$method $template", ({ template, method, success, refused, good, operation }) => {
  const audited = async (id: string): Promise<readonly string[]> =>
    (await send("admin", "GET", `/v1/audit-log?request_id=${id}`)).body.data.map(
      (row: { operation: string }) => row.operation,
    );

  test("needs a credential and the right, answers allowed callers, and writes an audit row", async () => {
    const [who, path, body] = await good();
    const id = `e2e-${crypto.randomUUID()}`;
    await typed(401, template, "nobody", method, path, body, { "x-request-id": id });
    await typed(refused[1], template, refused[0], method, path, body, { "x-request-id": id });
    if (method === "POST") await typed(422, template, who, method, path, { unheard: 1 }, { "x-request-id": id });
    expect(await audited(id)).toEqual([]);
    await typed(success, template, who, method, path, body, { "x-request-id": id });
    const written = await audited(id);
    if (operation === null) expect(written).toEqual([]);
    else expect(written).toContain(operation);
  });

  test("counts against the caller's limit", async () => {
    const [who, path, body] = await good();
    // The bucket of a caller allows one request, and another test may just have used it.
    let first = await send(who, method, path, body, {}, strictOrigin);
    for (let tries = 0; first.status === 429 && tries < 30; tries++) {
      await pause(100);
      first = await send(who, method, path, body, {}, strictOrigin);
    }
    expect(first.status, first.text).toBe(success);
    const second = await typed(429, template, who, method, path, body, {}, strictOrigin);
    expect(second.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});
