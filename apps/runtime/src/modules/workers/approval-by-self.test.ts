// Nobody can approve a run that they have caused, however many runs are in between. On Postgres, with a worker, over
// the API's handlers.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { Fault } from "@plinth/service";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
roles:
  manager: { inherits: user }
entities:
  payment:
    fields: { amount: int }
    permissions: { admin: { all: true } }
events:
  payment.asked: { payload: { amount: int } }
actions:
  direct:
    permissions: { user: true }
    steps:
      - record.create: { as: service, with: { entity: payment, amount: 1 } }
  later:
    mode: async
    permissions: { user: true }
    steps:
      - record.create: { as: service, with: { entity: payment, amount: 2 } }
  hops:
    permissions: { user: true }
    steps:
      - record.create: { as: service, with: { entity: payment, amount: 3 } }
workflows:
  ask:
    on: payment.created
    when: record.amount < 3
    steps:
      - approval: { roles: [manager] }
  pass_on:
    on: payment.created
    when: record.amount == 3
    steps:
      - event.emit: { with: { name: payment.asked, payload: { amount: 3 } } }
  ask_behind:
    on: payment.asked
    steps:
      - approval: { roles: [manager] }
`;

let work: WorkCell;
let admin: string;
let pub: string;

beforeAll(async () => {
  const { model, diagnostics } = checkBlueprint(TEXT);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  work = await openWorkCell(TEXT, compileModel(model).background);
  admin = (await makeKey(work.cell, work.projectId)).key;
  pub = (await makeKey(work.cell, work.projectId, { kind: "publishable" })).key;
});
afterAll(() => work?.close());

test.each(["direct", "later", "hops"])("the caller of `%s` can't approve its result", async (action) => {
  const email = `${action}@example.com`;
  const body = { email, password: "correct horse battery" };
  const { access_token: userToken, user } = dataOf(
    await callModule(work.cell, { path: "/v1/auth/sign-up", key: pub, body }),
  );
  const roles = { roles: ["manager"] };
  await callModule(work.cell, { method: "PUT", path: `/v1/users/${user.id}/roles`, key: admin, body: roles });
  await work.sql("DELETE FROM {schema}.workers__runs");
  await callModule(work.cell, { path: `/v1/actions/${action}`, key: pub, userToken });
  const open = `SELECT w.run_id::text AS id, w.path AS step FROM {schema}.workers__waits w WHERE w.kind = 'approval' AND w.answer IS NULL`;
  await expect.poll(async () => (await work.sql(open)).length, { timeout: 10_000 }).toBe(1);
  const [run] = await work.sql(open);
  const answer = callModule(work.cell, {
    path: `/v1/runs/${run?.["id"]}/approve`,
    key: pub,
    userToken,
    body: { step: run?.["step"] },
  });
  const code = await answer.then(
    () => "approved",
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );
  expect(code).toBe("forbidden");
  const page = await callModule(work.cell, { method: "GET", path: "/v1/runs/approvals", key: pub, userToken });
  expect(dataOf(page)).toEqual([]);
});
