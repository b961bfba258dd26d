// For tests: each place of the grammar where keys stand, how a blueprint is built around it, and a valid use of every key.
// The grammar's tables and the readers are held to each other by it.
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonMap = { readonly [key: string]: Json };

export interface GrammarPlace {
  /** A blueprint with these keys at the place. */
  readonly put: (keys: JsonMap) => JsonMap;
  /** By key: a valid use of it, with what else the place needs. */
  readonly uses: Readonly<Record<string, JsonMap>>;
}

const listing: JsonMap = {
  title: "string",
  price: "int",
  amount: "int?",
  status: "enum[draft, active] = draft",
  owner_id: "user_ref?",
};
const base: JsonMap = {
  project: "demo",
  modules: ["auth", "users", "roles", "organizations", "storage", "webhooks", "workers", "audit_logs"],
  roles: { support: null },
  entities: { listing: { fields: listing }, seller: { fields: { name: "string" } } },
  workers: { sync: { steps: ["audit.write"] } },
  integrations: { shipping: { kind: "parcel", provider: "easypost" } },
};

const top = (keys: JsonMap): JsonMap => ({ ...base, ...keys });
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
const retry = (keys: JsonMap): JsonMap => top({ workers: { sync: { steps: ["audit.write"], retry: keys } } });
const step = (keys: JsonMap): JsonMap =>
  top({ workers: { sync: { on: "listing.created", steps: [{ action: "audit.write", ...keys }] } } });
const worker = (keys: JsonMap): JsonMap => top({ workers: { sync: keys } });
const steps: JsonMap = { steps: [{ action: "audit.write", with: { note: "done" } }] };
const edge = (keys: JsonMap): JsonMap =>
  ofEntity({ transitions: { status: { initial: "draft", open: { from: "draft", to: "active", ...keys } } } });
const grant = (keys: JsonMap): JsonMap =>
  ofEntity({ permissions: { user: { ["set" in keys ? "create" : "read"]: { allow: true, ...keys } } } });
const inbound = (keys: JsonMap): JsonMap => top({ webhooks: { in: { shop: { verify: "stripe", ...keys } } } });
const scheme = { scheme: "hmac-sha256", header: "x-signature" };

/** Each alone is a use of its key. */
function alone(uses: JsonMap): Record<string, JsonMap> {
  return Object.fromEntries(Object.entries(uses).map(([key, value]) => [key, { [key]: value }]));
}

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

/** By the way to the place, as the reference writes it. */
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
  step: {
    put: step,
    uses: {
      ...alone({
        id: "look_up",
        action: "record.delete",
        connection: "shipping",
        with: { note: "a" },
        if: "record.price > 0",
        retry: 4,
        timeout: "20s",
        on_error: [{ id: "tell", action: "audit.write" }],
        for_each: ["a", "b"],
        delay: "5s",
        wait_for: "listing.updated",
        approval: { roles: ["support"] },
        compensate: [{ id: "undo", action: "audit.write" }],
      }),
      as: { action: "record.update", as: "service" },
      max_parallel: { for_each: ["a", "b"], max_parallel: 2 },
    },
  },
  "step > retry": {
    put: retry,
    uses: alone({ attempts: 4, backoff: "linear", delay: "2s", max_delay: "1m" }),
  },
  "step > wait_for": {
    put: (keys) => step({ wait_for: { event: "listing.updated", ...keys } }),
    uses: alone({ event: "listing.updated", timeout: "1d", if: "event.id != null" }),
  },
  "step > approval": {
    put: (keys) => step({ approval: keys }),
    uses: alone({ roles: ["support"], by_self: true, timeout: "1d", on_reject: "continue", message: "Agreed?" }),
  },
  "workflows > <workflow>": {
    put: (keys) => top({ workflows: { tell: { on: "manual", ...("actions" in keys ? {} : steps), ...keys } } }),
    uses: {
      ...alone({
        on: ["listing.created", "manual"],
        record: { listing: { title: "a" } },
        actions: ["audit.write"],
        steps: ["audit.write"],
      }),
      when: { on: "listing.created", when: "record.price > 0" },
      ordered: { on: "listing.created", ordered: "record" },
    },
  },
  "workers > <worker>": {
    put: (keys) => worker({ ...("http" in keys ? {} : steps), ...keys }),
    uses: {
      ...alone({
        on: "listing.created",
        record: { listing: { title: "a" } },
        steps: ["audit.write"],
        http: { url: "https://example.com/jobs" },
        concurrency: 2,
        timeout: "5m",
        retry: { attempts: 4 },
      }),
      when: { on: "listing.created", when: "record.price > 0" },
      ordered: { on: "listing.created", ordered: "record" },
    },
  },
  "workers > <worker> > http": {
    put: (keys) => worker({ http: { url: "https://example.com/jobs", ...keys } }),
    uses: alone({
      url: "https://example.com/work",
      method: "PUT",
      headers: { "x-kind": "a" },
      body: { n: 1 },
    }),
  },
  "schedules > <schedule>": {
    put: (keys) => top({ schedules: { nightly: { cron: "0 2 * * *", run: "sync", ...keys } } }),
    uses: alone({ cron: "0 3 * * *", timezone: "Europe/Berlin", run: "sync", overlap: "queue", catch_up: "last" }),
  },
  work: {
    put: (keys) => top({ work: keys }),
    uses: alone({ retention: "7d" }),
  },
  "events > <event>": {
    put: (keys) => top({ events: { "listing.sold": keys } }),
    uses: alone({ payload: { price: "int" }, help: "It was sold." }),
  },
  auth: {
    put: (keys) => top({ auth: keys }),
    uses: alone({
      verify_email: true,
      verify_url: "https://app.example.com/verify",
      reset_url: "https://app.example.com/reset",
      invitation_url: "https://app.example.com/join",
    }),
  },
  "emails > <template> > translations > <language>": {
    put: (keys) =>
      top({
        emails: {
          hello: {
            subject: "Hello",
            body: "Hello.",
            translations: { de: { subject: "Hallo", body: "Hallo.", ...keys } },
          },
        },
      }),
    uses: alone({ subject: "Servus", body: "# Servus" }),
  },
  "emails > <template>": {
    put: (keys) => top({ emails: { hello: { subject: "Hello", body: "Hello.", ...keys } } }),
    uses: alone({
      subject: "Good day",
      body: "# Good day",
      variables: { reader: "string?" },
      language: "de",
      translations: { it: { subject: "Ciao", body: "Ciao." } },
      help: "Says hello.",
    }),
  },
  webhooks: {
    put: (keys) => top({ webhooks: keys }),
    uses: alone({ out: { enabled: false }, in: { shop: { verify: "stripe" } } }),
  },
  "webhooks > out": {
    put: (keys) => top({ webhooks: { out: keys } }),
    uses: alone({
      retry: 3,
      signing: "v1a",
      payload: "thin",
      concurrency: 2,
      disable_after: "2d",
      retention: "7d",
      events: ["listing.created"],
      enabled: false,
      version: 2,
      versions: {},
    }),
  },
  "webhooks > out > versions > <version> > <entity>": {
    put: (keys) => top({ webhooks: { out: { version: 2, versions: { 1: { listing: keys } } } } }),
    uses: alone({ names: { former: "title" }, omit: ["title"] }),
  },
  "webhooks > in > <source>": {
    put: inbound,
    uses: {
      ...alone({ verify: scheme, each: "body.events", type: "body.type", dedupe: "headers.x-id" }),
      events: { type: "body.type", events: { "charge.paid": "payment.succeeded" } },
    },
  },
  "webhooks > in > <source> > verify": {
    put: (keys) => inbound({ verify: { ...scheme, ...keys } }),
    uses: alone({ ...scheme, format: "sha256={hex}", message: ["body"] }),
  },
  "actions > <action>": {
    put: (keys) => top({ actions: { "sell-all": { ...steps, ...keys } } }),
    uses: {
      ...alone({ input: { note: "string" }, output: { sold: 1 }, steps: ["audit.write"], mode: "async" }),
      permissions: { permissions: { user: true } },
    },
  },
  "integrations > <connection>": {
    put: (keys) => top({ integrations: { shipping: { kind: "parcel", provider: "easypost", ...keys } } }),
    uses: alone({ kind: "parcel", provider: "shippo", help: "Labels." }),
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
