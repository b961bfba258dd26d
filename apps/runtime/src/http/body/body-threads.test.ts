// Large bodies in their own thread: the same answers as without it, and nobody has to wait.
import { setTimeout as sleep } from "node:timers/promises";
import type { BundleField } from "@plinth/bundle";
import { afterAll, describe, expect, test } from "vitest";
import { type BodyShape, checkBody, createBodyChecker } from "../../records/check-body.ts";
import { createBodyThreads } from "./body-threads.ts";

const threads = createBodyThreads();
afterAll(() => threads.stop());

const field = (name: string, sqlType: string): BundleField =>
  ({ name, column: name, sqlType, join: null, writer: "caller", hidden: false }) as unknown as BundleField;
const shape = (key: string): BodyShape => ({
  key,
  schema: {
    type: "object",
    properties: { title: { type: "string", maxLength: 10 }, payload: {}, owner: { type: "string" } },
    required: ["title"],
    additionalProperties: false,
  },
  fields: [field("title", "text"), field("payload", "jsonb"), field("owner", "uuid")],
});
const bytes = (value: unknown): Buffer => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

describe("a body checked in the thread", () => {
  test.each([
    { title: "a", payload: { text: "x".repeat(100_000) }, owner: "ABC" },
    { payload: [1, "2", null], other: 1 },
    { title: "much too long for it" },
    { title: null, owner: 7 },
  ])("gives the same result as without the thread: %j", async (body) => {
    expect(await threads.check("prj", shape("same"), bytes(body))).toEqual(
      checkBody(createBodyChecker(shape("same")), bytes(body)),
    );
  });

  test.each([
    ["no JSON", '{"title": ', "malformed_json"],
    ["no object", "[]", "validation_failed"],
    ["too many members", `{"payload": [${"1,".repeat(60_000)}1]}`, "payload_too_large"],
    [
      "too many outer members",
      `{${Array.from({ length: 2_000 }, (_, i) => `"k${i}":1`).join(",")}}`,
      "payload_too_large",
    ],
  ])("that is %s gives the same fault", async (_, text, code) => {
    await expect(threads.check("prj", shape("fault"), bytes(text))).rejects.toMatchObject({ code });
    expect(() => checkBody(createBodyChecker(shape("fault")), bytes(text))).toThrow(expect.objectContaining({ code }));
  });

  test("waits for its project's turn, and is refused beyond a limit", async () => {
    const large = (): Buffer => bytes({ title: "a", payload: Array.from({ length: 40_000 }, (_, i) => i) });
    const crowd = Promise.allSettled(
      Array.from({ length: 40 }, () => threads.check("prj_crowd", shape("crowd"), large())),
    );
    await sleep(5);
    let first = "";
    const quiet = threads.check("prj_quiet", shape("quiet"), bytes({ title: "b" })).then(() => {
      first ||= "quiet";
    });
    const all = crowd.then((outcomes) => {
      first ||= "crowd";
      return outcomes;
    });
    await quiet;
    const refused = (await all).filter((each) => each.status === "rejected");
    expect(first).toBe("quiet");
    expect(refused.length).toBeGreaterThan(10);
    expect(refused[0]).toMatchObject({ reason: { code: "unavailable" } });
  });

  test("knows more shapes than the thread remembers", async () => {
    for (let i = 0; i < 120; i++) await threads.check("prj", shape(`many ${i}`), bytes({ title: "a" }));
    expect((await threads.check("prj", shape("many 0"), bytes({ title: "a" }))).names).toEqual(["title"]);
  });
});

test("a thread that dies only refuses its own body", async () => {
  const own = createBodyThreads();
  const circular = { ...shape("dies"), schema: { $ref: "#/nowhere" } };
  await expect(own.check("prj", circular, bytes({ title: "a" }))).rejects.toThrow(/nowhere/);
  expect((await own.check("prj", shape("lives"), bytes({ title: "a" }))).problems).toEqual([]);
  await own.stop();
  expect((await own.check("prj", shape("lives"), bytes({ title: "a" }))).problems).toEqual([]);
  await own.stop();
});
