// The operator's limits have priority over a blueprint's, and its author gets a diagnostic.

import { readFile } from "node:fs/promises";
import { TRPCClientError } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppRouter } from "./api.ts";
import { operatorLimitVariables } from "./operator-limits.ts";
import { codeOf, createWorld, goLive, type Somebody, type World } from "./testing/control-plane.ts";
import { noteBlueprint } from "./testing/note-blueprint.ts";

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
  const { organizationId } = owner;
  projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "notes" })).id;
}, 60_000);

afterAll(() => world?.stop());

function propose(text: string): Promise<{ id: string }> {
  return owner.client.proposals.create.mutate({ projectId, text });
}

async function diagnosticsOf(text: string): Promise<readonly unknown[]> {
  const error: unknown = await propose(text).catch((thrown: unknown) => thrown);
  if (!(error instanceof TRPCClientError)) throw new Error("the proposal was created");
  return (error as TRPCClientError<AppRouter>).data?.diagnostics ?? [];
}

it("every limit is in docs/operating.md, with its default", async () => {
  const page = await readFile(new URL("../../../docs/operating.md", import.meta.url), "utf8");
  const documented = Object.fromEntries(
    [...page.matchAll(/^\| `(PLINTH_(?:MAX|AUTHORING)_\w+)` \|.*\| (\d+) \|$/gm)].map(([, name, value]) => [
      name,
      Number(value),
    ]),
  );
  expect(documented).toEqual(
    Object.fromEntries(Object.entries(operatorLimitVariables).map(([name, schema]) => [name, schema.parse(undefined)])),
  );
});

describe("a blueprint that asks for more", () => {
  it("in its section `api`, gets a diagnostic with the position, while it is written and when it is proposed", async () => {
    const text = noteBlueprint("", { rest: "api:\n  page_max: 51\n" });
    const expected = [
      { code: "invalid_limit", hint: "The operator allows at most `50`.", span: { start: { line: 11, column: 13 } } },
    ];
    expect((await owner.client.blueprints.validate.mutate({ text })).diagnostics).toMatchObject(expected);
    expect(await diagnosticsOf(text)).toMatchObject(expected);
  });

  it("in the timeout of a call, gets a diagnostic with the position", async () => {
    const text = noteBlueprint("", {
      rest: "workers:\n  tell: { timeout: 6s, http: { url: 'https://a.example' } }\n",
    }).replace("roles]", "roles, workers, audit_logs]");
    const expected = [{ code: "invalid_limit", span: { start: { line: 11, column: 20 } } }];
    expect((await owner.client.blueprints.validate.mutate({ text })).diagnostics).toMatchObject(expected);
    expect(await diagnosticsOf(text)).toMatchObject(expected);
  });

  it("in tables, or in bytes of its bundle, is refused", async () => {
    const entities = Array.from({ length: 12 }, (_, index) => `  thing${index}:\n    fields: { title: string }\n`);
    const many = `project: notes\nmodules: [auth, users, roles]\nentities:\n${entities.join("")}`;
    const fields = Array.from({ length: 190 }, (_, index) => `      field_${index}: string?\n`).join("");
    expect(await diagnosticsOf(many)).toContainEqual(
      expect.objectContaining({
        code: "too_many",
        message: expect.stringMatching(/ tables; the operator allows at most 12\.$/),
      }),
    );
    expect(await diagnosticsOf(noteBlueprint(fields))).toContainEqual(
      expect.objectContaining({ code: "blueprint_too_large", message: expect.stringContaining("at most 150000") }),
    );
  });

  it("in bytes of its plan, is refused", async () => {
    const fields = Array.from({ length: 100 }, (_, index) => `      field_${index}: string?\n`).join("");
    expect(await diagnosticsOf(noteBlueprint(fields))).toContainEqual(
      expect.objectContaining({
        code: "blueprint_too_large",
        message: expect.stringMatching(/^The change and its plan take \d+ bytes; the operator allows at most 12000\.$/),
      }),
    );
  });

  it("in bytes of its text, is refused before it is read", async () => {
    const text = noteBlueprint(`      # ${"x".repeat(20_000)}\n`);
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

it("keeps as many proposals that never went live as the operator allows, and all that were deployed", async () => {
  await goLive(owner, projectId, noteBlueprint());
  for (const name of ["a", "b", "c"]) await propose(noteBlueprint(`      ${name}: string?\n`));
  const proposals = await owner.client.proposals.list.query({ projectId });
  expect(proposals.map((proposal) => proposal.status)).toEqual(["open", "open", "deployed"]);
  const versions = await owner.client.blueprints.list.query({ projectId });
  expect(versions.map((version) => version.live)).toEqual([false, false, true]);
  expect(await codeOf(propose(noteBlueprint("      a: string?\n")))).toBeNull();
});
