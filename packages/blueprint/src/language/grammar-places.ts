// For tests: each place in the grammar with keys, how to build a blueprint around it, and a valid use of every key. It
// compares the grammar's tables with the readers.
import { backgroundPlaces } from "./background-places.ts";
import { alone, base, type GrammarPlace, type JsonMap, listing, top } from "./grammar-place.ts";

const ofEntity = (options: JsonMap): JsonMap =>
  top({ entities: { listing: { fields: listing, ...options }, seller: { fields: { name: "string" } } } });
const opening = { status: { initial: "draft", open: { from: "draft", to: "active" } } };
const field = (keys: JsonMap): JsonMap =>
  "at" in keys
    ? ofEntity({
        soft_delete: true,
        transitions: opening,
        fields: { ...listing, extra: { ...keys, type: "sequence(N-)" } },
      })
    : "per" in keys
      ? ofEntity({ org_scoped: true, fields: { ...listing, extra: { ...keys, type: "sequence(N-)" } } })
      : "writable" in keys
        ? top({ users: { fields: { extra: keys } } })
        : ofEntity({ fields: { ...listing, extra: keys } });
const tests = (keys: JsonMap): JsonMap =>
  top({
    tests: {
      users: { ana: { roles: ["user"] } },
      rows: { listing: { a: { title: "A", price: 1 } } },
      ...keys,
    },
  });
const expectation = (keys: JsonMap): JsonMap => tests({ expect: [{ as: "ana", ...keys }] });
const edge = (keys: JsonMap): JsonMap =>
  ofEntity({ transitions: { status: { initial: "draft", open: { from: "draft", to: "active", ...keys } } } });
const grant = (keys: JsonMap): JsonMap =>
  ofEntity({ permissions: { user: { ["set" in keys ? "create" : "read"]: { allow: true, ...keys } } } });

const limits: Record<string, JsonMap> = {
  min: { type: "decimal(10, 2)", min: 0.5 },
  max: { type: "int", max: 3 },
  pattern: { type: "string", pattern: "^[a-z]+$" },
};
const inner: Record<string, JsonMap> = {
  ...limits,
  values: { type: "enum", values: ["a", "b"] },
  of: { type: "list", of: { type: "string" } },
  fields: { type: "object", fields: { street: "string", zip: { type: "string", optional: true } } },
};

/** By the path of the place, as the reference writes it. */
export const grammarPlaces: Readonly<Record<string, GrammarPlace>> = {
  blueprint: {
    put: top,
    uses: alone({
      ...base,
      users: { fields: { nickname: "string?" } },
      permissions: { listing: { user: { read: true } } },
      rules: { cheap: "price < 10" },
      workflows: { tell: { on: "listing.created", steps: ["audit.write"] } },
      schedules: { nightly: { cron: "0 2 * * *", run: "sync" } },
      work: { retention: "7d" },
      events: { "listing.sold": null },
      webhooks: { out: { enabled: false } },
      actions: { "sell-all": { steps: ["audit.write"] } },
      auth: { verify_email: true },
      emails: { hello: { subject: "Hello", body: "Hello." } },
      storage: {},
      api: { burst: 300 },
      search: { language: "german" },
      views: { cheap: { of: "listing", where: "price < 10" } },
      tests: { users: { ana: null }, rows: {}, expect: [] },
    }),
  },
  users: {
    put: (keys) => top({ users: keys }),
    uses: alone({ fields: { nickname: "string?" }, permissions: { user: { read: true } } }),
  },
  "roles > <role>": {
    put: (keys) => top({ roles: { support: keys } }),
    uses: alone({ inherits: "user", label: "Support", help: "People who help." }),
  },
  entity: {
    put: ofEntity,
    uses: alone({
      fields: listing,
      permissions: { user: { read: true } },
      plural: "offers",
      was: "offer",
      unique: [["title", "price"], ["title"]],
      index: ["title", "price"],
      checks: { paid: "price > 0" },
      exclude: { once: { same: ["title"], overlap: ["price", "amount"], where: "price > 0" } },
      lock: "owner_id",
      org_scoped: true,
      soft_delete: true,
      retention: "90d",
      transitions: opening,
      seed: { first: { title: "A", price: 1 } },
      views: { cheap: { where: "price < 10" } },
      audit: "all",
      realtime: true,
      require_version: true,
      label: "Listing",
      help: "What is for sale.",
    }),
  },
  "entity > transitions > <field> > <transition>": {
    put: edge,
    uses: alone({
      from: ["draft"],
      to: "active",
      roles: ["user"],
      when: "price > 0",
      require: ["owner_id"],
      emit: "listing.opened",
    }),
  },
  "entity > exclude > <exclusion>": {
    put: (keys) => ofEntity({ exclude: { once: { same: ["title"], overlap: ["price", "amount"], ...keys } } }),
    uses: alone({ same: ["status"], overlap: ["amount", "price"], where: "price > 0" }),
  },
  "entity > views > <view>": {
    put: (keys) => ofEntity({ views: { cheap: keys } }),
    uses: alone({ where: ["price > 0", "price < 10"], sort: ["-price", "title"], limit: 10 }),
  },
  "views > <view>": {
    put: (keys) => top({ views: { cheap: { of: "listing", ...keys } } }),
    uses: alone({ of: "listing", where: "price > 0", sort: "-price", limit: 10 }),
  },
  "permissions > <role> > <operation>": {
    put: grant,
    uses: alone({
      allow: ["price > 0", true],
      deny: "price > 5",
      fields: ["title"],
      set: { price: 1, owner_id: "current_user.id" },
      limit: 10,
    }),
  },
  field: {
    put: field,
    uses: {
      ...inner,
      ...Object.fromEntries(
        Object.entries({
          type: "string",
          optional: true,
          default: "a",
          unique: [["title"], ["title", "price"]],
          index: true,
          immutable: true,
          pii: true,
          searchable: true,
          was: "other",
          fill: "title",
          deprecated: "Use title.",
          label: "Extra",
          help: "Something else.",
        }).map(([key, value]) => [key, { type: "string", [key]: value }]),
      ),
      readonly: { type: "string", optional: true, readonly: true },
      per: { type: "sequence(N-)", per: "org" },
      at: { type: "sequence(N-)", at: "transition:open" },
      writable: { type: "string", optional: true, writable: "admin" },
      internal: { type: "string", optional: true, internal: true },
      on_delete: { type: "ref(seller)", on_delete: "cascade" },
      as: { type: "ref(seller)", as: "offers" },
    },
  },
  member: {
    put: (keys) => field({ type: "object", fields: { part: keys } }),
    uses: { ...inner, type: { type: "string" }, optional: { type: "string", optional: true } },
  },
  ...backgroundPlaces,
  search: {
    put: (keys) => top({ search: keys }),
    uses: alone({ language: "german" }),
  },
  api: {
    put: (keys) => top({ api: keys }),
    uses: alone({ requests_per_second: 50, burst: 300, body_max: "1MiB", page_max: 50, statement_timeout: "1s" }),
  },
  tests: {
    put: tests,
    uses: alone({
      users: { ana: null, bob: { roles: "admin" } },
      rows: { listing: { b: { title: "B", price: 2 } } },
      expect: [{ as: "public", list: "listing", sees: [] }],
    }),
  },
  "tests > users > <user>": {
    put: (keys) => tests({ users: { ana: keys } }),
    uses: alone({ roles: ["user"], email: "ana@example.com", organizations: { acme: "owner" }, profile: {} }),
  },
  "tests > expect > [ ]": {
    put: (keys) => expectation(keys),
    uses: {
      as: { as: "public", list: "listing", sees: [] },
      list: { list: "listing", sees: [] },
      sees: { list: "listing", sees: [] },
      read: { read: "listing.a", allow: false },
      create: { create: "listing", allow: false },
      update: { update: "listing.a", allow: false },
      delete: { delete: "listing.a", allow: false },
      restore: { restore: "listing.a", allow: false },
      transition: { transition: "listing.a.open", allow: false },
      with: { update: "listing.a", with: { price: 2 }, allow: false },
      allow: { update: "listing.a", allow: false },
    },
  },
};
