// Which changes touch the protected core, and which don't.
import { expect, test } from "vitest";
import type { BackgroundPart } from "../model/background.ts";
import type { Entity, Field, FieldType, Model, Permission } from "../model/model.ts";
import { protect } from "./protect.ts";
import {
  fieldOf,
  grant,
  literal,
  op,
  sampleAction,
  sampleEntity,
  sampleField,
  sampleModel,
  sampleWorkflow,
  yes,
} from "./testing/samples.ts";

const status: FieldType = { kind: "enum", values: ["draft", "active"] };
const active = op("==", fieldOf(status, "status"), literal("active"));
const fields: readonly Field[] = [
  sampleField("status", status),
  sampleField("note", { kind: "text" }, { internal: true, pii: true }),
  sampleField("token", { kind: "secret" }),
];
const grants: readonly Permission[] = [
  grant("public", "read", active),
  grant("user", "create", yes),
  grant("user", "read", yes),
  grant("admin", "read", active),
];

function listing(more: Partial<Entity> = {}): Entity {
  return sampleEntity("listing", fields, { permissions: grants, ...more });
}

function modelOf(
  entities: readonly Entity[] = [listing()],
  more: Partial<Model> = {},
  roles: Record<string, string[]> = { support: [] },
): Model {
  return sampleModel(entities, more, roles);
}

const base = modelOf();
const part = (name: string, declaration: BackgroundPart["declaration"]): BackgroundPart => ({
  name,
  declaration,
  egress: [],
});
const background = (more: Partial<Model["background"]>): Partial<Model> => ({
  background: { ...base.background, ...more },
});
const withGrant = (one: Permission): Entity =>
  listing({
    permissions: [...grants.filter((other) => other.role !== one.role || other.operation !== one.operation), one],
  });
const withField = (name: string, more: Partial<Field>): Entity =>
  sampleEntity(
    "listing",
    fields.map((field) => (field.name === name ? { ...field, ...more } : field)),
    { permissions: grants },
  );

test.each<[string, Model, string[]]>([
  ["another name of the project", modelOf(undefined, { project: "other" }), ["project project"]],
  ["a module of the core", modelOf(undefined, { modules: ["auth", "audit_logs"] }), ["modules.audit_logs modules"]],
  ["a module less", modelOf(undefined, { modules: [] }), ["modules.auth modules"]],
  ["a module beside the core", modelOf(undefined, { modules: ["auth", "storage"] }), []],
  ["a role more", modelOf(undefined, {}, { support: [], lead: [] }), ["roles.lead roles"]],
  ["a role less", modelOf(undefined, {}, {}), ["roles.support roles"]],
  [
    "a role that brings admin",
    modelOf(undefined, {}, { support: ["admin"] }),
    ["roles.support roles", "roles.support grants_admin"],
  ],
  [
    "more for public",
    modelOf([withGrant(grant("public", "read", yes))]),
    ["listing.permissions.public.read widens_public"],
  ],
  [
    "another operation for public",
    modelOf([withGrant(grant("public", "create", yes))]),
    ["listing.permissions.public.create widens_public"],
  ],
  ["less for public", modelOf([withGrant(grant("public", "read", op("&&", active, literal(false))))]), []],
  [
    "a new entity for public",
    modelOf([listing(), sampleEntity("news", [], { permissions: [grant("public", "read", yes)] })]),
    ["news.permissions.public.read widens_public"],
  ],
  [
    "a new entity for admin and users",
    modelOf([
      listing(),
      sampleEntity("news", [], { permissions: [grant("admin", "read", yes), grant("user", "read", yes)] }),
    ]),
    [],
  ],
  [
    "more for admin",
    modelOf([withGrant(grant("admin", "read", yes))]),
    ["listing.permissions.admin.read grants_admin"],
  ],
  ["more for users", modelOf([withGrant(grant("user", "delete", yes))]), []],
  ["another audit", modelOf([listing({ audit: "all" })]), ["listing.audit audit"]],
  [
    "no longer internal",
    modelOf([withField("note", { internal: false })]),
    ["listing.note internal", "listing.note widens_public"],
  ],
  ["no longer masked", modelOf([withField("note", { pii: false })]), ["listing.note pii"]],
  [
    "no longer masked under another name",
    modelOf([withField("note", { name: "remark", was: "note", pii: false })]),
    ["listing.remark pii"],
  ],
  [
    "no longer secret",
    modelOf([withField("token", { type: { kind: "text" } })]),
    ["listing.token secret", "listing.token widens_public"],
  ],
  ["internal besides", modelOf([withField("status", { pii: true })]), []],
  [
    "where webhooks go",
    modelOf(undefined, background({ outboundWebhooks: part("out", { retry: 3 }) })),
    ["webhooks.out webhooks_out"],
  ],
  [
    "another integration",
    modelOf(undefined, background({ integrations: [part("ship", { provider: "x" })] })),
    ["integrations.ship integrations"],
  ],
  [
    "an action for public",
    modelOf(undefined, background({ actions: [sampleAction("buy", { public: yes })] })),
    ["actions.buy widens_public"],
  ],
  ["an action for users", modelOf(undefined, background({ actions: [sampleAction("buy", { user: yes })] })), []],
  ["a limit", modelOf(undefined, { api: { ...base.api, burst: 1 } }), ["api.burst api"]],
  [
    "a field of its own",
    modelOf([sampleEntity("listing", [...fields, sampleField("price", { kind: "int" })], { permissions: grants })]),
    [],
  ],
])("%s", (_, after, expected) => {
  const touches = protect(base, after, "ai");
  expect(touches.map((touch) => `${touch.path} ${touch.rule}`).sort()).toEqual(expected.sort());
  expect(touches.every((touch) => touch.outcome === "refused" && touch.summary.endsWith("."))).toBe(true);
  expect(protect(base, after, "person")).toEqual(touches.map((touch) => ({ ...touch, outcome: "consent" })));
});

test("rows of every organization, and a free change of state, for public", () => {
  const machine = { field: "status", initial: "draft", edges: [] };
  const freely = [...grants, grant("public", "update", yes)];
  const before = modelOf([listing({ orgField: "org_id", stateMachine: machine, permissions: freely })]);
  const after = modelOf([listing({ permissions: freely })]);
  expect(protect(before, after, "ai").map((touch) => `${touch.path} ${touch.rule}`)).toEqual([
    "listing.org_scoped widens_public",
    "listing.transitions.status widens_public",
  ]);
});

test("a host that is called for the first time, but not one that another part already calls", () => {
  const calls = (name: string, host: string) =>
    sampleWorkflow(name, { egress: [{ to: "http", entity: "listing", host }] });
  const before = modelOf(undefined, background({ workers: [calls("label", "a.example")] }));
  const after = modelOf(
    undefined,
    background({ workers: [calls("label", "b.example")], workflows: [calls("tell", "a.example")] }),
  );
  expect(protect(before, after, "ai").map((touch) => `${touch.path} ${touch.rule}`)).toEqual(["workers.label calls"]);
});

test("a first model has no protected core yet", () => {
  expect(protect(null, base, "ai")).toEqual([]);
});

test("access for public counts even if other roles already have it", () => {
  const after = modelOf([withGrant(grant("public", "create", yes))]);
  expect(protect(base, after, "ai").map((touch) => touch.rule)).toEqual(["widens_public"]);
});
