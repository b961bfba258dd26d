// An answer is for the approval that its sender has read, and for no later one; approvers learn the result. On Postgres
// and the job queue, over the API's handlers.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { Fault } from "@plinth/service";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
roles:
  boss:
  clerk:
actions:
  pay:
    mode: async
    permissions: { admin: true }
    steps:
      - id: small
        action: approve
        with: { roles: [boss], message: Pay 10? }
      - id: large
        action: approve
        with: { roles: [boss], message: Pay 10000? }
    output: { paid: "\${{ steps.large.note }}" }
entities:
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
`;

let work: WorkCell;
let admin: string;
let [boss, other, clerk] = ["", "", ""];

beforeAll(async () => {
  const { model, diagnostics } = checkBlueprint(TEXT);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  work = await openWorkCell(TEXT, compileModel(model).background);
  admin = (await makeKey(work.cell, work.projectId)).key;
  const keyOf = async (role: string): Promise<string> => (await makeKey(work.cell, work.projectId, { role })).key;
  [boss, other, clerk] = [await keyOf("boss"), await keyOf("boss"), await keyOf("clerk")];
});
afterAll(() => work?.close());
beforeEach(() => work.sql("DELETE FROM {schema}.workers__runs"));

const begin = async (): Promise<string> =>
  dataOf(await callModule(work.cell, { path: "/v1/actions/pay", key: admin })).id;
const runOf = async (key: string, id: string) =>
  dataOf(await callModule(work.cell, { method: "GET", path: `/v1/runs/${id}`, key }));

async function waiting(step: string): Promise<void> {
  const open = "SELECT path FROM {schema}.workers__waits WHERE answer IS NULL";
  await expect.poll(() => work.sql(open), { timeout: 10_000 }).toEqual([{ path: step }]);
}

/** The reply's status, or the code of the fault. */
const answer = (key: string, id: string, body: object, how = "approve"): Promise<unknown> =>
  callModule(work.cell, { path: `/v1/runs/${id}/${how}`, key, body }).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );

const answers = (): Promise<unknown> => work.sql("SELECT path FROM {schema}.workers__waits WHERE answer IS NOT NULL");

test("names its step, and a repeated one does not answer the next approval", async () => {
  const id = await begin();
  await waiting("small");
  expect(await answer(boss, id, {})).toBe("validation_failed");
  expect(await answer(boss, id, { step: "large" })).toBe("conflict");
  expect(await answer(boss, id, { step: "small" })).toBe(202);
  await waiting("large");
  // The same request again: a lost answer, or a second click.
  expect(await answer(boss, id, { step: "small" })).toBe(202);
  expect(await answers()).toEqual([{ path: "small" }]);
  const logged =
    "SELECT changes->>'path' AS path FROM {schema}.audit_log WHERE operation = 'approve' AND record_id = $1";
  expect(await work.sql(logged, [id])).toEqual([{ path: "small" }]);
});

test("is given once: a different one, or another person's, is a conflict", async () => {
  const id = await begin();
  await waiting("small");
  expect(await answer(boss, id, { step: "small", note: "fine" })).toBe(202);
  for (const [key, body, how] of [
    [boss, { step: "small", note: "fine" }, "reject"],
    [boss, { step: "small" }, "approve"],
    [other, { step: "small", note: "fine" }, "approve"],
  ] as const)
    expect(await answer(key, id, body, how)).toBe("conflict");
  expect(await answer(clerk, id, { step: "small" })).toBe("not_found");
  await waiting("large");
  expect(await answer(boss, id, { step: "large" }, "reject")).toBe(202);
  await work.settled();
  expect(await answer(boss, id, { step: "large" }, "reject")).toBe(202);
  expect(await answer(other, id, { step: "large" }, "reject")).toBe("conflict");
  expect(await answer(clerk, id, { step: "large" })).toBe("not_found");
});

test("can name since when it waits, so that it doesn't answer an approval that a retry requested again", async () => {
  const id = await begin();
  await waiting("small");
  const page = await callModule(work.cell, { method: "GET", path: "/v1/runs/approvals", key: boss });
  const [{ step, since }] = dataOf(page);
  expect([step, await answer(boss, id, { step, since: "yesterday" })]).toEqual(["small", "validation_failed"]);
  await callModule(work.cell, { path: `/v1/runs/${id}/cancel`, key: admin, body: {} });
  await work.settled();
  expect(await answer(boss, id, { step, since })).toBe("conflict");
  await callModule(work.cell, { path: `/v1/runs/${id}/retry`, key: admin, body: {} });
  await waiting("small");
  expect([await answer(boss, id, { step, since }), await answers()]).toEqual(["conflict", []]);
  const [{ since: anew }] = (await runOf(boss, id)).waits_for;
  expect(await answer(boss, id, { step, since: anew })).toBe(202);
});

test("leaves the run visible for the approver: its status, but not its output", async () => {
  const id = await begin();
  for (const step of ["small", "large"]) {
    await waiting(step);
    expect(await answer(boss, id, { step, note: "told to nobody else" })).toBe(202);
  }
  await work.settled();
  expect((await runOf(admin, id)).output).toEqual({ paid: "told to nobody else" });
  for (const key of [boss, other]) {
    expect(await runOf(key, id)).toMatchObject({ status: "completed", output: null, error: null, waits_for: [] });
  }
  await expect(runOf(clerk, id)).rejects.toMatchObject({ code: "not_found" });
});

test("is never visible while the run is still marked as running", async () => {
  // The traces of the transaction that makes the approval visible.
  await work.sql("CREATE TABLE plinth.seen (status text)");
  await work.sql(`CREATE FUNCTION plinth.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO plinth.seen SELECT status FROM {schema}.workers__runs WHERE id = NEW.run_id; RETURN NULL; END $$`);
  await work.sql(`CREATE CONSTRAINT TRIGGER see AFTER INSERT ON {schema}.workers__waits
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION plinth.see()`);
  await begin();
  await waiting("small");
  expect(await work.sql("SELECT status FROM plinth.seen")).toEqual([{ status: "waiting" }]);
});
