// For tests: the places in the grammar for background work, mails and webhooks.
import { alone, type GrammarPlace, type JsonMap, top } from "./grammar-place.ts";

const retry = (keys: JsonMap): JsonMap => top({ workers: { sync: { steps: ["audit.write"], retry: keys } } });
const step = (keys: JsonMap): JsonMap =>
  top({ workers: { sync: { on: "listing.created", steps: [{ action: "audit.write", ...keys }] } } });
const worker = (keys: JsonMap): JsonMap => top({ workers: { sync: keys } });
const steps: JsonMap = { steps: [{ action: "audit.write", with: { note: "done" } }] };
const inbound = (keys: JsonMap): JsonMap => top({ webhooks: { in: { shop: { verify: "stripe", ...keys } } } });
const scheme = { scheme: "hmac-sha256", header: "x-signature" };

export const backgroundPlaces: Readonly<Record<string, GrammarPlace>> = {
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
  "step > delay": {
    put: (keys) => step({ delay: { until: "record.created_at", ...keys } }),
    uses: alone({ until: "record.created_at", before: "1d", after: "2h" }),
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
      after_failure: { on: "listing.created", ordered: "record", after_failure: "block" },
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
      after_failure: { on: "listing.created", ordered: "record", after_failure: "block" },
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
};
