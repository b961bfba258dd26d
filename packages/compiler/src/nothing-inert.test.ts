// No inert declarations: everything in the grammar changes the compiled result, or gets the warning that it isn't
// available yet. Each key, type, modifier, module and operation is compared with a blueprint without it.
import { checkBlueprint, diffModels, type Model, runTests } from "@plinth/blueprint";
import {
  grammarPlaces,
  type Json,
  type JsonMap,
  modifierHelp,
  moduleHelp,
  operationHelp,
  typeHelp,
} from "@plinth/blueprint/grammar";
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { proposeChange } from "./propose.ts";

/** The consumer: what a cell serves, the routes to it, the diff, or nobody yet (with a warning). */
type Consumer = "bundle" | "plan" | "diff" | "tests" | "warning";

interface Outcome {
  readonly text: string;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly model: Model | null;
}

function outcomeOf(blueprint: JsonMap): Outcome {
  const text = JSON.stringify(blueprint);
  const { model, diagnostics } = checkBlueprint(text);
  const of = (severity: string): string[] =>
    diagnostics.filter((one) => one.severity === severity).map(({ code, message }) => `${code}: ${message}`);
  return { text, errors: of("error"), warnings: of("warning"), model };
}

/** The first consumer that sees a difference between the two. */
function consumerOf(one: Outcome, other: Outcome, live: Model): Consumer | null {
  const [a, b] = [modelIn(one), modelIn(other)];
  const differ = (of: (model: Model) => unknown): boolean => JSON.stringify(of(a)) !== JSON.stringify(of(b));
  if (differ(served)) return "bundle";
  if (differ((model) => planFrom(live, model))) return "plan";
  if (differ((model) => runTests(model))) return "tests";
  const unserved = (outcome: Outcome): string =>
    outcome.warnings.filter((warning) => /^(?:section|field)_not_served|^connection_unused/.test(warning)).join();
  if (unserved(one) !== unserved(other)) return "warning";
  // Stored, and reported by the diff; for a background section, both sides have the warning.
  if (diffModels(a, b).length > 0) return unserved(one) === "" ? "diff" : "warning";
  // A field that no route serves is left out completely.
  return one.warnings.some((warning) => warning.startsWith("field_not_served")) ? "warning" : null;
}

/** The lists of modules and of the tests' lines are only information, so they are no consumers. */
function served(model: Model): unknown {
  const { modules: _, tests, ...bundle } = compileModel(model);
  return {
    ...bundle,
    tests: tests === null ? null : { ...tests, expect: tests.expect.map((one) => ({ ...one, line: 0 })) },
  };
}

function planFrom(live: Model, model: Model): unknown {
  const before = { model: live, bundle: compileModel(live) };
  const { plan, refused } = proposeChange({ before, after: model, setAside: [], tag: "t", author: "person" });
  return { plan, refused };
}

function modelIn({ model, errors, text }: Outcome): Model {
  if (model === null) throw new Error(`${errors.join("\n")}\n${text}`);
  return model;
}

const without = (keys: JsonMap, key: string): JsonMap =>
  Object.fromEntries(Object.entries(keys).filter(([name]) => name !== key));

const fields = { title: "string", price: "int", status: "enum[draft, active] = draft", owner_id: "user_ref?" };
const head: JsonMap = { project: "demo", modules: Object.keys(moduleHelp), roles: { support: null } };
const listing = (entity: JsonMap, more: JsonMap = {}): JsonMap => ({
  ...head,
  entities: { listing: { fields, ...entity }, seller: { fields: { name: "string" } } },
  ...more,
});
/** With a field for every test. */
const extra = (notation: Json, entity: JsonMap = {}): JsonMap =>
  listing({ fields: { ...fields, extra: notation }, ...entity });

/** The live version for a plan. */
const live = modelIn(outcomeOf(listing({ fields: { ...fields, other: "string" } })));
const liveOffer = modelIn(outcomeOf({ ...head, entities: { offer: { fields } } }));

/** Required keys, and keys whose example equals the default: another value of each, to compare with. */
const others: Readonly<Record<string, JsonMap>> = {
  "blueprint: project": { project: "another" },
  "blueprint: modules": { modules: ["auth", "users", "roles", "storage", "webhooks", "workers", "audit_logs"] },
  "blueprint: roles": { roles: { support: { inherits: "admin" } } },
  "blueprint: entities": { entities: { listing: { fields: { title: "string" } } } },
  "blueprint: workers": { workers: { other: { steps: ["audit.write"] } } },
  "blueprint: integrations": { integrations: {} },
  "entity: fields": { fields: { title: "string" } },
  "permissions > <role> > <operation>: allow": { allow: "price > 0" },
  "field: values": { type: "enum", values: ["a", "c"] },
  "field: of": { type: "list", of: "int" },
  "field: fields": { type: "object", fields: { street: "string" } },
  "field: type": { type: "text" },
  "member: values": { type: "enum", values: ["a", "c"] },
  "member: of": { type: "list", of: "int" },
  "member: fields": { type: "object", fields: { street: "string" } },
  "member: type": { type: "text" },
  "step: action": { action: "audit.write" },
  "step > delay: until": { until: "record.updated_at" },
  "step > wait_for: event": { event: "listing.created" },
  "webhooks > in > <source> > verify: scheme": { scheme: "hmac-sha1" },
  "webhooks > in > <source> > verify: header": { header: "x-other" },
  "api: body_max": { body_max: "2MiB" },
  "views > <view>: of": { of: "seller" },
  "tests > users > <user>: email": { email: "other@example.com" },
  "tests > expect > [ ]: list": { list: "seller", sees: [] },
  "tests > expect > [ ]: read": { update: "listing.a", allow: false },
  "tests > expect > [ ]: create": { read: "listing.a", allow: false },
  "tests > expect > [ ]: update": { read: "listing.a", allow: false },
  "tests > expect > [ ]: delete": { read: "listing.a", allow: false },
};

const readable = (rule: Json): JsonMap => ({ permissions: { user: { read: rule } } });
const tested = (entity: JsonMap, expectation: JsonMap): JsonMap =>
  listing(entity, {
    tests: { rows: { listing: { a: { title: "A", price: 1 } } }, expect: [{ as: "public", ...expectation }] },
  });
const moves = { transitions: { status: { initial: "draft", open: { from: "draft", to: "active", roles: ["user"] } } } };
const path = (from: string, to: string): JsonMap =>
  listing({
    fields: { ...fields, status: "enum[draft, active, sold] = draft" },
    transitions: { status: { initial: "draft", move: { from, to, roles: ["user"] } } },
  });
const offers = (as: JsonMap): JsonMap => ({
  ...head,
  entities: {
    seller: { fields: { name: "string" }, ...readable("offers.exists(o, o.price > 3)") },
    listing: { fields: { ...fields, seller_id: { type: "ref(seller)", ...as } } },
    page: {
      plural: "offers_of_all",
      fields: { offered_id: { type: "ref(seller)", ...("as" in as ? {} : { as: "offers" }) }, price: "int" },
    },
  },
});
const scheduled = (run: string): JsonMap =>
  listing(
    {},
    {
      workers: { a: { steps: ["audit.write"] }, b: { steps: ["audit.write"] } },
      schedules: { nightly: { cron: "0 2 * * *", run } },
    },
  );

const searched = (language: string): JsonMap =>
  listing({ fields: { ...fields, extra: "text? searchable" } }, { search: { language } });
const acting = (as: string): JsonMap =>
  listing(
    {},
    { actions: { sell: { steps: [{ action: "record.create", as, with: { entity: "seller", name: "a" } }] } } },
  );

/** Keys that only have an effect together with others. */
const pairs: Readonly<Record<string, readonly [JsonMap, JsonMap]>> = {
  "blueprint: rules": [
    listing(readable("cheap"), { rules: { cheap: "price < 10" } }),
    listing(readable("cheap"), { rules: { cheap: "price < 20" } }),
  ],
  "entity > transitions > <field> > <transition>: from": [path("draft", "sold"), path("active", "sold")],
  "entity > transitions > <field> > <transition>: to": [path("draft", "active"), path("draft", "sold")],
  "entity > transitions > <field> > <transition>: when": [
    listing({
      transitions: {
        status: { ...moves.transitions.status, open: { ...moves.transitions.status.open, when: "price > 0" } },
      },
    }),
    listing(moves),
  ],
  "field: as": [offers({ as: "offers" }), offers({})],
  "step: as": [acting("caller"), acting("service")],
  "integrations > <connection>: kind": [
    listing({}, { integrations: { out: { kind: "parcel", provider: "easypost" } } }),
    listing({}, { integrations: { out: { kind: "email", provider: "smtp" } } }),
  ],
  "blueprint: search": [searched("german"), searched("french")],
  "search: language": [searched("german"), searched("french")],
  "schedules > <schedule>: run": [scheduled("a"), scheduled("b")],
  "tests > users > <user>: profile": [
    listing({}, { users: { fields: { level: "int?" } }, tests: { users: { ana: { profile: { level: 3 } } } } }),
    listing({}, { users: { fields: { level: "int?" } }, tests: { users: { ana: null } } }),
  ],
  "tests > expect > [ ]: sees": [
    tested(readable("price > 0"), { list: "listing", sees: [] }),
    tested({ permissions: { public: { read: "price > 0" } } }, { list: "listing", sees: ["a"] }),
  ],
  "tests > expect > [ ]: allow": [
    tested(readable("price > 0"), { read: "listing.a", allow: false }),
    tested({ permissions: { public: { read: "price > 0" } } }, { read: "listing.a", allow: true }),
  ],
  "tests > expect > [ ]: restore": [
    tested({ soft_delete: true }, { restore: "listing.a", allow: false }),
    tested({ soft_delete: true }, { delete: "listing.a", allow: false }),
  ],
  "tests > expect > [ ]: transition": [
    tested(moves, { transition: "listing.a.open", allow: false }),
    tested(moves, { delete: "listing.a", allow: false }),
  ],
};

const BACKGROUND = /^(blueprint: )?(integrations|storage)\b|^step: connection/;
/** Keys whose consumer is not the bundle. */
const elsewhere: Readonly<Record<string, Consumer>> = {
  "entity: was": "plan",
  "field: was": "plan",
  "field: fill": "plan",
  "integrations > <connection>: kind": "bundle",
};

const cases = Object.entries(grammarPlaces).flatMap(([place, { put, uses }]) =>
  Object.entries(uses).map(([key, use]) => ({ name: `${place}: ${key}`, put, key, use })),
);

describe("keys", () => {
  test("are all covered", () => {
    const names = new Set(cases.map(({ name }) => name));
    expect(names.size).toBeGreaterThan(140);
    expect(
      [...Object.keys(others), ...Object.keys(pairs), ...Object.keys(elsewhere)].filter((one) => !names.has(one)),
    ).toEqual([]);
  });

  test.each(cases)("$name", ({ name, put, key, use }) => {
    const [one, other] = pairs[name] ?? [put(use), put(others[name] ?? without(use, key))];
    const from = name === "entity: was" ? liveOffer : live;
    expect(compared(one, other, from)).toBe(elsewhere[name] ?? (BACKGROUND.test(name) ? "warning" : "bundle"));
  });
});

function compared(one: JsonMap, other: JsonMap, from: Model): Consumer | null {
  const outcomes = [outcomeOf(one), outcomeOf(other)] as const;
  // Parts that nothing performs yet are refused completely.
  if (outcomes[0].errors.some((error) => error.startsWith("not_supported_yet"))) return "warning";
  expect(outcomes.map(({ errors }) => errors)).toEqual([[], []]);
  return consumerOf(...outcomes, from);
}

describe("types", () => {
  test.each(Object.entries(typeHelp))("%s", (name, { example }) => {
    const notation = example.replaceAll("listing", "seller");
    const other = name === "text" || name === "string" ? "int?" : "text?";
    expect(compared(extra(notation), extra(other), live)).toBe("bundle");
  });

  /** Each argument of a type's notation, given, and left out or different. */
  const args: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    string: [
      ["string(2, 9)", "string(1, 9)"],
      ["string(2, 9)", "string(2, 8)"],
      ['string(2, 9, "^a")', "string(2, 9)"],
    ],
    slug: [["slug(title)", "slug"]],
    decimal: [
      ["decimal(10, 2)", "decimal(11, 2)"],
      ["decimal(10, 2)", "decimal(10, 3)"],
    ],
    money: [["money(EUR)", "money(USD)"]],
    enum: [["enum[a, b]", "enum[a, c]"]],
    enum_set: [["enum_set[a, b]", "enum_set[a, c]"]],
    object: [["object{a: string}", "object{a: int}"]],
    list: [["list<string>", "list<int>"]],
    i18n: [["i18n<string>", "i18n<text>"]],
    vector: [["vector(3)?", "vector(4)?"]],
    file: [
      ["file(application/pdf)?", "file?"],
      ["file(10MB)?", "file?"],
    ],
    image: [
      ["image(image/png)?", "image?"],
      ["image(10MB)?", "image?"],
    ],
    ref: [["ref(seller)?", "ref(listing)?"]],
    refs: [["refs(seller)", "refs(listing)"]],
    sequence: [["sequence(A-)", "sequence(B-)"]],
    computed: [["computed(price * 2)", "computed(price * 3)"]],
  };

  test("with arguments are all covered", () => {
    const taking = Object.entries(typeHelp).filter(([name, { notation }]) => notation !== name);
    expect(Object.keys(args).sort()).toEqual(taking.map(([name]) => name).sort());
  });

  test.each(Object.values(args).flat())("%s is not %s", (one, other) => {
    // No route serves them yet, and each gets a warning.
    const unserved = /^(file|image)/.test(one);
    expect(compared(extra(one), extra(other), live)).toBe(unserved ? "warning" : "bundle");
  });
});

describe("modifiers", () => {
  const others: Readonly<Record<string, string>> = {
    unique: "string",
    index: "int",
    immutable: "string",
    readonly: "int = 0",
    internal: "text?",
    pii: "string?",
    searchable: "text?",
    was: "string",
    fill: "string",
    deprecated: "string?",
    on_delete: "ref(seller)",
    as: "",
    per: "sequence(INV-)",
    at: "sequence(INV-)",
    writable: "bool = false",
  };
  const numbered = { ...moves, soft_delete: true };
  const profile = (notation: string): JsonMap => listing({}, { users: { fields: { extra: notation } } });

  test("are all covered", () => expect(Object.keys(others).sort()).toEqual(Object.keys(modifierHelp).sort()));

  test.each(Object.entries(modifierHelp))("%s", (name, { example }) => {
    const [one, other] =
      name === "as"
        ? [offers({ as: "offers" }), offers({})]
        : name === "writable"
          ? [profile(example), profile(others["writable"] ?? "")]
          : name === "at"
            ? [extra("sequence(N-) at(transition:open)", numbered), extra("sequence(N-)", numbered)]
            : name === "per"
              ? [extra(example, { org_scoped: true }), extra(others["per"] ?? "", { org_scoped: true })]
              : [
                  extra(example.replaceAll("listing", "seller").replace("was(name)", "was(other)")),
                  extra(others[name] ?? ""),
                ];
    expect(compared(one, other, live)).toBe(name === "was" || name === "fill" ? "plan" : "bundle");
  });

  test.each(["unique(org)", "unique(title, price)"])("%s", (notation) => {
    const scoped = { org_scoped: true };
    expect(compared(extra(`string ${notation}`, scoped), extra("string unique", scoped), live)).toBe("bundle");
  });

  test.each(["cascade", "set_null"])("on_delete(%s)", (fate) => {
    expect(compared(extra(`ref(seller)? on_delete(${fate})`), extra("ref(seller)? on_delete(restrict)"), live)).toBe(
      "bundle",
    );
  });

  test("? and a default", () => {
    expect(compared(extra("int?"), extra("int"), live)).toBe("bundle");
    expect(compared(extra("int = 1"), extra("int = 2"), live)).toBe("bundle");
  });
});

test.each(Object.keys(operationHelp))("the operation %s", (operation) => {
  const able = { soft_delete: true, ...moves };
  const one = listing({ ...able, permissions: { support: { [operation]: "price > 0" } } });
  expect(compared(one, listing(able), live)).toBe("bundle");
});

describe("modules", () => {
  /** Nothing serves them, and listing one gets a warning. */
  const waiting = ["storage"];
  /** A use of the module: a section, a type, an option. */
  const needs: Readonly<Record<string, JsonMap>> = {
    users: { users: { fields: { level: "int?" } } },
    roles: { roles: { support: null } },
    organizations: { entities: { listing: { org_scoped: true, fields } } },
    storage: { entities: { listing: { fields: { scan: "file?" } } } },
    webhooks: { webhooks: { out: { enabled: false } } },
    workers: { workers: { sync: { steps: ["audit.write"] } } },
  };

  test.each(Object.keys(moduleHelp))("%s", (name) => {
    const modules = Object.keys(moduleHelp);
    const of = (list: readonly string[], more: JsonMap): Outcome =>
      outcomeOf({ project: "demo", modules: list, ...more });
    const [all, fewer] = [
      of(modules, {}),
      of(
        modules.filter((one) => one !== name),
        {},
      ),
    ];
    const said = (outcome: Outcome): boolean =>
      outcome.warnings.some((one) => one.includes(`The module \`${name}\` isn't available yet`));
    expect([said(all), said(fewer)]).toEqual([waiting.includes(name), false]);
    const need = needs[name];
    if (need === undefined) {
      expect(consumerOf(all, fewer, modelIn(all))).toBe("bundle");
      return;
    }
    expect(of(modules, need).errors).toEqual([]);
    expect(
      of(
        modules.filter((one) => one !== name),
        need,
      ).errors,
    ).not.toEqual([]);
  });
});
