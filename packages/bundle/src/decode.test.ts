// The decoder only accepts a complete publication, and names every problem with its path.
import { describe, expect, it } from "vitest";
import { FORMAT_VERSION, type Publication } from "./bundle.ts";
import { decodePublication } from "./decode.ts";

const hash = "a".repeat(64);

const publication: Publication = {
  projectId: `prj_${"0".repeat(20)}`,
  releaseId: `rel_${"0".repeat(20)}`,
  bundle: {
    format: FORMAT_VERSION,
    project: "notes",
    modules: ["auth"],
    roles: [
      { name: "public", inherits: [] },
      { name: "chief", inherits: ["public"] },
    ],
    entities: [
      {
        name: "note",
        plural: "notes",
        table: "notes",
        fields: [
          {
            name: "title",
            column: "title",
            sqlType: "text[]",
            wire: "string",
            select: '{row}."title"',
            optional: false,
            writer: "caller",
            default: null,
            references: null,
            filterable: true,
            write: "{value}::text[]",
            immutable: false,
            hidden: false,
            secret: false,
            masked: false,
            searchable: false,
            slugFrom: null,
            sequence: null,
            join: null,
          },
        ],
        relations: [],
        access: {
          read: { public: { rule: { kind: "always" }, fields: null, set: {}, limit: null } },
          "transition:publish": {
            chief: { rule: { kind: "always" }, fields: ["title"], set: { title: "'x'" }, limit: null },
          },
        },
        createSchema: {},
        updateSchema: {},
        scope: null,
        softDelete: "deleted_at",
        stateMachine: {
          field: "title",
          initial: "draft",
          edges: [{ name: "publish", from: ["draft"], to: "public", require: [], emit: "note.publish" }],
        },
        referrers: [{ entity: "note", table: "notes", column: "parent", onDelete: "set_null" }],
        checks: [{ name: "notes__sane__rule", message: "It must be sane." }],
        audit: "all",
        retentionDays: 30,
        seed: [{ title: "one" }],
      },
    ],
    moduleRoutes: [],
    routes: [
      { method: "GET", path: "/api/notes", entity: "note", operation: "list" },
      {
        method: "POST",
        path: "/api/notes/:id/transitions/publish",
        entity: "note",
        operation: "transition",
        edge: "publish",
      },
    ],
    background: { events: [], workflows: [], schedules: [], actions: [] },
    limits: { requestsPerSecond: 100, burst: 200, bodyBytesMax: 1_048_576, pageMax: 100, statementMsMax: 2_000 },
    tests: null,
    tables: [
      {
        name: "notes",
        columns: [{ name: "id", sqlType: "uuid", nullable: false, default: null, identity: false }],
        primaryKey: ["id"],
        uniques: [{ name: "notes__id__key", columns: ["id"], where: null }],
        indexes: [{ name: "notes__id__idx", method: "btree", keys: ['"id"'], where: null }],
        foreignKeys: [{ name: "notes__id__fkey", column: "id", table: "notes", onDelete: "no action" }],
        checks: [{ name: "notes__id__check", columns: ["id"], rule: { kind: "length", min: null, max: 3 } }],
        privileges: ["select"],
      },
    ],
    openapi: {},
    sdkTypes: "",
  },
  plan: {
    steps: [
      {
        id: "001-a",
        kind: "statement",
        summary: "A.",
        class: "safe",
        phase: "before",
        table: null,
        lock: "none",
        rewrites: false,
        scans: false,
        undo: "It is not there.",
        sql: "SELECT 1",
        transactional: true,
        cleanup: null,
      },
    ],
  },
  approval: {
    projectId: `prj_${"0".repeat(20)}`,
    releaseId: `rel_${"0".repeat(20)}`,
    baseHash: null,
    bundleHash: hash,
    planHash: hash,
    consents: ["destructive note.title"],
    approvedBy: "ana@example.com",
    approvedAt: "2026-01-02T03:04:05.678Z",
    scheme: "ed25519",
    cell: "local",
    name: "demo",
    signedAt: "2026-01-02T03:04:06.000Z",
    expiresAt: "2026-01-02T03:14:06.000Z",
    keyId: "0123456789abcdef",
    signature: "x".repeat(86),
  },
};

/** A copy with one member, given by its path, replaced. */
function withMember(path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(publication) as unknown as Record<string, unknown>;
  const names = path.split(".");
  const last = names.pop() ?? "";
  let at = copy;
  for (const name of names) at = at[name] as Record<string, unknown>;
  at[last] = value;
  return copy;
}

describe("a publication", () => {
  it("is decoded with unknown members, because the hashes cover all of it", () => {
    const newer = withMember("bundle.later", { kept: true });
    const { bundle, plan } = newer;
    expect(decodePublication(newer)).toEqual({ ok: true, value: { ...newer, sent: { bundle, plan } } });
  });

  it.each([
    ["projectId", "prj_short"],
    ["releaseId", "rel_'; DROP"],
    ["bundle.format", 0],
    ["bundle.format", 1],
    ["bundle.format", 99],
    ["bundle.entities.0.table", 'notes"; DROP TABLE x'],
    ["bundle.entities.0.fields.0.column", "Title"],
    ["bundle.entities.0.fields.0.sqlType", "text; DROP"],
    ["bundle.entities.0.fields.0.writer", "anybody"],
    ["bundle.entities.0.access.read", { "a b": "true" }],
    ["bundle.entities.0.access", { truncate: {} }],
    ["bundle.entities.0.access.read.public.rule", true],
    ["bundle.tables.0.foreignKeys.0.onDelete", "set default"],
    ["bundle.tables.0.checks.0.rule.kind", "max_length"],
    ["bundle.limits.pageMax", 0],
    ["bundle.routes.0.operation", "truncate"],
    ["plan.steps.0.id", "a/b"],
    ["plan.steps.0.transactional", "yes"],
    ["plan.steps.0.kind", "drop"],
    ["plan.steps.0.phase", "later"],
    ["approval.consents", [1]],
    ["approval.bundleHash", "short"],
    ["approval.approvedAt", "yesterday"],
    ["approval.signature", hash],
    ["approval.cell", null],
    ["approval.expiresAt", "soon"],
    ["approval.scheme", "none"],
  ])("is refused for a wrong %s", (path, value) => {
    const decoded = decodePublication(withMember(path, value));
    expect(decoded.ok).toBe(false);
    expect(decoded.ok ? [] : decoded.problems.map((problem) => problem.path)).toContainEqual(
      expect.stringMatching(new RegExp(`^${path.replaceAll(".", "\\.")}`)),
    );
  });

  it.each([
    ["a route to no entity", "bundle.routes.0.entity", "ghost"],
    ["a transition that is none", "bundle.routes.1.edge", "ghost"],
    ["a view that is none", "bundle.routes.0.view", "ghost"],
    ["a referrer of no entity", "bundle.entities.0.referrers.0.entity", "ghost"],
    ["a role that inherits none that exists", "bundle.roles.1.inherits", ["ghost"]],
    ["two steps of one id", "plan.steps", [publication.plan.steps[0], publication.plan.steps[0]]],
  ])("is refused for %s", (_, path, value) => {
    expect(decodePublication(withMember(path, value)).ok).toBe(false);
  });

  it.each([[null], ["text"], [[]], [{}]])("can't be %j", (data) => {
    expect(decodePublication(data).ok).toBe(false);
  });
});

describe("background work", () => {
  const step = {
    id: "tell",
    action: { kind: "audit.write", note: { kind: "literal", value: "seen" } },
    if: null,
    forEach: null,
    delayMs: null,
    retry: { attempts: 3, backoff: "exponential", delayMs: 1_000, delayMsMax: 300_000 },
    timeoutMs: 30_000,
    onError: { kind: "fail" },
    compensate: [],
    as: "service",
  };
  const workflow = {
    name: "flow",
    kind: "workflow",
    on: ["note.created"],
    when: null,
    entity: null,
    lookup: null,
    ordered: null,
    steps: [step],
    concurrencyMax: null,
    timeoutMs: null,
  };
  const withSteps = (steps: readonly unknown[]): unknown => ({
    ...publication,
    bundle: {
      ...publication.bundle,
      background: { events: [], workflows: [{ ...workflow, steps }], schedules: [], actions: [] },
    },
  });

  it("is decoded with every member", () => {
    expect(decodePublication(withSteps([step])).ok).toBe(true);
  });

  it.each([
    ["an action that nobody knows", { ...step, action: { kind: "mail.send" } }],
    ["an action that lacks a member", { ...step, action: { kind: "wait" } }],
    ["a template of no kind", { ...step, action: { kind: "audit.write", note: { kind: "code" } } }],
    ["a condition of no kind", { ...step, if: { kind: "script" } }],
    ["no tries", { ...step, retry: { ...step.retry, attempts: 0 } }],
    ["a step within it that is none", { ...step, onError: { kind: "steps", steps: [{ id: "x" }] } }],
  ])("refuses %s", (_, broken) => {
    expect(decodePublication(withSteps([broken])).ok).toBe(false);
  });
});
