// What an operator allows outranks what a blueprint asks for, and its author is told so.

import { readFile } from "node:fs/promises";
import { TRPCClientError } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppRouter } from "./api.ts";
import { operatorLimitVariables } from "./operator-limits.ts";
import { codeOf, createWorld, goLive, type Somebody, type World } from "./testing/control-plane.ts";

const notes = (fields = "", rest = ""): string => `project: notes
modules: [auth, users, roles]
entities:
  note:
    fields:
      title: string
${fields}    permissions:
      admin:
        all: true
${rest}`;

let world: World;
let owner: Somebody;
let projectId: string;

beforeAll(async () => {
  const env = {
    PLINTH_MAX_PAGE: "50",
    PLINTH_MAX_CALL_MS: "5000",
    PLINTH_MAX_TABLES: "12",
    PLINTH_MAX_BLUEPRINT_BYTES: "20000",
    PLINTH_MAX_BUNDLE_BYTES: "150000",
    PLINTH_MAX_PLAN_BYTES: "12000",
    PLINTH_MAX_PROPOSALS: "2",
  };
  world = await createWorld({ cell: true, env });
  owner = await world.signUp("owner");
  const organizationId = (await owner.client.me.get.query()).organizations[0]?.id ?? "";
  projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "notes" })).id;
}, 60_000);

afterAll(() => world?.stop());

function propose(text: string): Promise<{ id: string }> {
  return owner.client.proposals.create.mutate({ projectId, text });
}

async function toldOf(text: string): Promise<readonly unknown[]> {
  const error: unknown = await propose(text).catch((thrown: unknown) => thrown);
  if (!(error instanceof TRPCClientError)) throw new Error("the proposal was made");
  return (error as TRPCClientError<AppRouter>).data?.diagnostics ?? [];
}

it("every limit is in docs/operating.md, with what counts where it is not given", async () => {
  const page = await readFile(new URL("../../../docs/operating.md", import.meta.url), "utf8");
  const told = Object.fromEntries(
    [...page.matchAll(/^\| `(PLINTH_(?:MAX|AUTHORING)_\w+)` \|.*\| (\d+) \|$/gm)].map(([, name, value]) => [
      name,
      Number(value),
    ]),
  );
  expect(told).toEqual(
    Object.fromEntries(Object.entries(operatorLimitVariables).map(([name, schema]) => [name, schema.parse(undefined)])),
  );
});

describe("a blueprint that asks for more", () => {
  it("in its section `api`, is told where, as it is written and when it is proposed", async () => {
    const text = notes("", "api:\n  page_max: 51\n");
    const told = [
      { code: "invalid_limit", hint: "The operator allows at most `50`.", span: { start: { line: 11, column: 13 } } },
    ];
    expect((await owner.client.blueprints.validate.mutate({ text })).diagnostics).toMatchObject(told);
    expect(await toldOf(text)).toMatchObject(told);
  });

  it("in the time of a call, is told where", async () => {
    const text = notes("", "workers:\n  tell: { timeout: 6s, http: { url: 'https://a.example' } }\n").replace(
      "roles]",
      "roles, workers, audit_logs]",
    );
    const told = [{ code: "invalid_limit", span: { start: { line: 11, column: 20 } } }];
    expect((await owner.client.blueprints.validate.mutate({ text })).diagnostics).toMatchObject(told);
    expect(await toldOf(text)).toMatchObject(told);
  });

  it("in tables, or in bytes of what it compiles to, is refused", async () => {
    const entities = Array.from({ length: 12 }, (_, index) => `  thing${index}:\n    fields: { title: string }\n`);
    const many = `project: notes\nmodules: [auth, users, roles]\nentities:\n${entities.join("")}`;
    const fields = Array.from({ length: 190 }, (_, index) => `      field_${index}: string?\n`).join("");
    expect(await toldOf(many)).toContainEqual(
      expect.objectContaining({
        code: "too_many",
        message: expect.stringMatching(/ tables; the operator allows at most 12\.$/),
      }),
    );
    expect(await toldOf(notes(fields))).toContainEqual(
      expect.objectContaining({ code: "blueprint_too_large", message: expect.stringContaining("at most 150000") }),
    );
  });

  it("in bytes of its plan, is refused", async () => {
    const fields = Array.from({ length: 100 }, (_, index) => `      field_${index}: string?\n`).join("");
    expect(await toldOf(notes(fields))).toContainEqual(
      expect.objectContaining({
        code: "blueprint_too_large",
        message: expect.stringMatching(/^The change and its plan take \d+ bytes; the operator allows at most 12000\.$/),
      }),
    );
  });

  it("in bytes of its text, is refused before anybody reads it", async () => {
    const text = notes(`      # ${"x".repeat(20_000)}\n`);
    const { blueprints } = owner.client;
    const calls = [
      propose,
      (long: string) => blueprints.validate.mutate({ text: long }),
      (long: string) => blueprints.format.mutate({ text: long }),
    ];
    for (const call of calls) {
      await expect(call(text)).rejects.toThrow("the operator allows a blueprint of at most 20000 bytes");
    }
  });
});

it("proposals that never went live are kept up to the operator's number; what was deployed always is", async () => {
  await goLive(owner, projectId, notes());
  for (const name of ["a", "b", "c"]) await propose(notes(`      ${name}: string?\n`));
  const proposals = await owner.client.proposals.list.query({ projectId });
  expect(proposals.map((proposal) => proposal.status)).toEqual(["open", "open", "deployed"]);
  const versions = await owner.client.blueprints.list.query({ projectId });
  expect(versions.map((version) => version.live)).toEqual([false, false, true]);
  expect(await codeOf(propose(notes("      a: string?\n")))).toBeNull();
});
