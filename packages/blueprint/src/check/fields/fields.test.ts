// Fields in the model: each type, limit, modifier and default appears in it, in the short and in the long form.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { moduleNames } from "../modules.ts";
import { check, codes, field, listing } from "../testing/sample-entities.ts";

const none = { min: null, max: null, pattern: null };

describe("every type", () => {
  test.each([
    ["string", { kind: "string" }],
    ["text", { kind: "text" }],
    ["markdown", { kind: "markdown" }],
    ["slug", { kind: "slug", from: null }],
    ["slug(title)", { kind: "slug", from: "title" }],
    ["email", { kind: "email" }],
    ["url", { kind: "url" }],
    ["phone", { kind: "phone" }],
    ["color", { kind: "color" }],
    ["int", { kind: "int" }],
    ["bigint", { kind: "bigint" }],
    ["float", { kind: "float" }],
    ["decimal(10,2)", { kind: "decimal", precision: 10, scale: 2 }],
    ["money(EUR)", { kind: "money", currency: "EUR", scale: 2 }],
    ["money(JPY)", { kind: "money", currency: "JPY", scale: 0 }],
    ["money(KWD)", { kind: "money", currency: "KWD", scale: 3 }],
    ["percent", { kind: "percent" }],
    ["date", { kind: "date" }],
    ["time", { kind: "time" }],
    ["datetime", { kind: "datetime" }],
    ["duration", { kind: "duration" }],
    ["timezone", { kind: "timezone" }],
    ["bool", { kind: "bool" }],
    ["enum[a, b]", { kind: "enum", values: ["a", "b"] }],
    ["enum_set[a, b]", { kind: "enum_set", values: ["a", "b"] }],
    ["country", { kind: "country" }],
    ["currency", { kind: "currency" }],
    ["locale", { kind: "locale" }],
    ["json", { kind: "json" }],
    ["list<string>", { kind: "list", of: { kind: "string" } }],
    ["list<decimal(4,1)>", { kind: "list", of: { kind: "decimal", precision: 4, scale: 1 } }],
    ["i18n<text>", { kind: "i18n", of: { kind: "text" } }],
    ["point", { kind: "point" }],
    ["vector(3)", { kind: "vector", dimensions: 3 }],
    ["uuid", { kind: "uuid" }],
    ["user_ref", { kind: "user_ref", onDelete: "restrict" }],
    ["user_ref?", { kind: "user_ref", onDelete: "restrict" }],
    ["org_ref", { kind: "org_ref", onDelete: "restrict" }],
    ["ref(seller)", { kind: "ref", entity: "seller", onDelete: "restrict" }],
    ["ref(seller)?", { kind: "ref", entity: "seller", onDelete: "restrict" }],
    ["ref(seller)? on_delete(set_null)", { kind: "ref", entity: "seller", onDelete: "set_null" }],
    ["ref(seller) on_delete(cascade)", { kind: "ref", entity: "seller", onDelete: "cascade" }],
    ["ref(seller)? on_delete(restrict)", { kind: "ref", entity: "seller", onDelete: "restrict" }],
    ["{ type: ref(seller), on_delete: cascade }", { kind: "ref", entity: "seller", onDelete: "cascade" }],
    ["refs(seller)", { kind: "refs", entity: "seller" }],
    ["secret", { kind: "secret" }],
    ["sequence(INV-)", { kind: "sequence", prefix: "INV-" }],
    ['sequence("A/")', { kind: "sequence", prefix: "A/" }],
    ["sequence", { kind: "sequence", prefix: "" }],
    ["{ type: enum, values: [a, b] }", { kind: "enum", values: ["a", "b"] }],
    ["{ type: list, of: int }", { kind: "list", of: { kind: "int" } }],
  ])("%s", (notation, type) => expect(field(notation).type).toEqual(type));

  const address = [
    { name: "street", type: { kind: "string" }, optional: false, limits: { ...none, max: "255" } },
    { name: "zip", type: { kind: "string" }, optional: true, limits: { min: "4", max: "10", pattern: null } },
    { name: "tags", type: { kind: "list", of: { kind: "text" } }, optional: false, limits: none },
  ];
  test.each([
    ['"object{ street: string, zip: string(4,10)?, tags: list<text> }"'],
    ["{ type: object, fields: { street: string, zip: { type: string?, min: 4, max: 10 }, tags: list<text> } }"],
    ["{ type: object, fields: { street: string, zip: 'string(4, 10)?', tags: { type: list, of: text } } }"],
  ])("an object: %s", (notation) => expect(field(notation).type).toEqual({ kind: "object", fields: address }));

  test("computed, from the other fields", () => {
    const { type, writer, optional } = field("computed(price * 2)");
    expect(type.kind === "computed" && printExpression(type.expression)).toBe("price * 2");
    expect([writer, optional]).toEqual(["service", true]);
    expect(field("{ type: computed(price > 10) }").type).toMatchObject({ expression: { type: { kind: "bool" } } });
  });

  test.each([["file?"], ["file(application/pdf, 10MB)?"], ["image(image/*, image/png, 5MB)?"]])(
    "%s is not available without its module",
    (notation) => {
      const { entities: all, codes: found } = check(listing(`it: ${notation}`));
      expect(found).toEqual(["field_not_served"]);
      expect(all[0]?.fields.some((one) => one.name === "it")).toBe(false);
    },
  );

  test.each([["file"], ["image(5MB)"]])("a required %s is refused until it is available", (notation) => {
    expect(check(listing(`it: ${notation}`)).codes).toEqual(["required_not_served"]);
  });

  test.each([
    ["user_ref", "auth"],
    ["org_ref", "organizations"],
    ["file", "storage"],
    ["image", "storage"],
  ] as const)("%s needs the module %s", (notation, module) => {
    const listed = moduleNames.filter((one) => one !== module);
    const { found } = check(listing(`it: ${notation}?`), listed);
    const missing = found.filter((one) => one.includes("module_missing"));
    expect(missing.join()).toContain(`needs the module \`${module}\``);
    expect(missing.join()).toContain(`\`${notation}\``);
  });

  test.each([
    ["string(80)", "invalid_field"],
    ["string(1,2,3,4)", "invalid_field"],
    ["string[a]", "invalid_field"],
    ["text(1,2)", "invalid_field"],
    ["decimal", "invalid_field"],
    ["decimal(2)", "invalid_field"],
    ["decimal(2,3)", "invalid_field"],
    ["decimal(0,0)", "invalid_field"],
    ["decimal(101,0)", "invalid_field"],
    ["money", "invalid_field"],
    ["money(EURO)", "invalid_field"],
    ["enum(a, b)", "invalid_enum"],
    ["enum_set", "invalid_enum"],
    ["enum[a, a]", "duplicate_value"],
    ["enum[toString]", "reserved_name"],
    ["object", "invalid_field"],
    ['"object{}"', "invalid_field"],
    ['"object{ a: string, a: int }"', "duplicate_value"],
    ['"object{ aB: string }"', "invalid_name"],
    ['"object{ a: ref(seller) }"', "invalid_field"],
    ['"object{ a: secret }"', "invalid_field"],
    ["list", "invalid_field"],
    ["list<>", "invalid_field"],
    ["list<ref(seller)>", "invalid_field"],
    ["list<list<int>>", "invalid_field"],
    ["list<string(1,2)>", "invalid_field"],
    ["{ type: list, of: { type: string, max: 2 } }", "invalid_field"],
    ["list<nothing>", "unknown_type"],
    ["i18n<int>", "invalid_field"],
    ["vector", "invalid_field"],
    ["vector(0)", "invalid_field"],
    ["vector(20000)", "invalid_field"],
    ["slug(nowhere)", "unknown_field"],
    ["slug(price)", "invalid_field"],
    ["slug(title, price)", "invalid_field"],
    ["ref", "invalid_field"],
    ["refs(user)", "unknown_entity"],
    ["ref(organization)", "unknown_entity"],
    ["ref(selller)", "unknown_entity"],
    ["sequence(a b)", "invalid_field"],
    ["computed", "invalid_field"],
    ["computed()", "invalid_field"],
    ["computed(price +)", "expression_syntax"],
    ["computed(pricee * 2)", "unknown_name"],
    ["computed(1 + 2)", "constant_check"],
    ["computed(seller.name)", "unknown_name"],
    ["{ type: int, of: string }", "invalid_field"],
    ["{ type: int, values: [a] }", "invalid_field"],
    ["list<object{ a: object{ b: object{ c: int } } }>", "yaml_colon"],
    ['"list<object{ a: object{ b: object{ c: int } } }>"', "invalid_field"],
  ])("refuses %s as %s", (notation, code) => expect(codes(notation)).toEqual([code]));
});

describe("limits", () => {
  test.each([
    ["string", { ...none, max: "255" }],
    ["string(1,80)", { min: "1", max: "80", pattern: null }],
    ["string(,80)", { min: null, max: "80", pattern: null }],
    ["string(3,)", { min: "3", max: "255", pattern: null }],
    ["string(300,)", { min: "300", max: "65535", pattern: null }],
    ['string(1,9,"^[a-z]{1,9}$")', { min: "1", max: "9", pattern: "^[a-z]{1,9}$" }],
    ["{ type: string, min: 1, max: 80 }", { min: "1", max: "80", pattern: null }],
    ["{ type: string, pattern: '^a' }", { min: null, max: "255", pattern: "^a" }],
    ["{ type: text, max: 2000 }", { min: null, max: "2000", pattern: null }],
    ["text", none],
    ["{ type: int, min: -3, max: 3 }", { min: "-3", max: "3", pattern: null }],
    ["{ type: bigint, max: 9007199254740993 }", { min: null, max: "9007199254740993", pattern: null }],
    ['{ type: "decimal(5,2)", min: 0.5 }', { min: "0.50", max: null, pattern: null }],
    ["{ type: money(EUR), min: 0 }", { min: "0.00", max: null, pattern: null }],
    ["{ type: float, max: 1.5e3 }", { min: null, max: "1500", pattern: null }],
    ["percent", { min: "0", max: "100", pattern: null }],
    ["{ type: percent, max: 200 }", { min: "0", max: "200", pattern: null }],
    ["{ type: date, min: 2026-01-31 }", { min: "2026-01-31", max: null, pattern: null }],
    ['{ type: time, max: "18:00" }', { min: null, max: "18:00:00", pattern: null }],
    ['{ type: datetime, min: "2026-01-31T01:00:00+02:00" }', { min: "2026-01-30T23:00:00Z", max: null, pattern: null }],
    ["{ type: duration, min: PT90M, max: P1W }", { min: "PT1H30M", max: "P7D", pattern: null }],
    ["{ type: list<int>, min: 1, max: 5 }", { min: "1", max: "5", pattern: null }],
    ['{ type: "enum_set[a, b]", min: 1 }', { min: "1", max: null, pattern: null }],
  ])("%s", (notation, limits) => expect(field(notation).limits).toEqual(limits));

  test.each([
    ["string(9,1)"],
    ["string(-1,1)"],
    ["string(1,70000)"],
    ['string(1,9,"(")'],
    ['string(1,9,"(?=a)")'],
    ["{ type: int, min: 3, max: 2 }"],
    ["{ type: int, min: a }"],
    ["{ type: int, pattern: a }"],
    ["{ type: bool, max: 3 }"],
    ["{ type: json, max: 3 }"],
    ["{ type: ref(seller), max: 3 }"],
    ['{ type: "decimal(5,2)", min: 0.001 }'],
    ["{ type: date, min: 2026-02-30 }"],
    ["{ type: duration, min: P1D, max: PT23H }"],
    ['{ type: datetime, min: "2026-01-01T00:00:00.5Z", max: "2026-01-01T00:00:00Z" }'],
    ["{ type: list<int>, max: -1 }"],
  ])("refuses %s", (notation) => expect(codes(notation)).toEqual(["invalid_bound"]));

  test("a limit in both forms is a duplicate", () => {
    expect(codes("{ type: 'string(1,2)', max: 3 }")).toEqual(["duplicate_value"]);
  });
});

describe("modifiers", () => {
  const plain = field("string?");
  test.each([
    ["string? immutable", "immutable: true", { immutable: true }],
    ["string? readonly", "readonly: true", { writer: "service" }],
    ["string? internal", "internal: true", { internal: true }],
    ["string? pii", "pii: true", { pii: true }],
    ["string? searchable", "searchable: true", { searchable: true }],
    ["string? was(old_name)", "was: old_name", { was: "old_name" }],
    ['string? deprecated("Use title.")', "deprecated: Use title.", { deprecated: "Use title." }],
  ])("%s", (short, long, shows) => {
    expect(field(short)).toEqual({ ...plain, ...shows });
    expect(field(`{ type: string, optional: true, ${long} }`)).toEqual({ ...plain, ...shows });
  });

  test("label and help belong in the long form", () => {
    expect(field("{ type: string?, label: It, help: What it is. }")).toEqual({
      ...plain,
      label: "It",
      help: "What it is.",
    });
  });

  test("false has no effect", () => {
    expect(field("{ type: string?, pii: false, index: false, unique: false }")).toEqual(plain);
  });

  test("only the service writes sequences", () => expect(field("sequence(A-)").writer).toBe("service"));

  test.each([
    ["int searchable"],
    ["json unique"],
    ["json? index"],
    ["list<int> index"],
    ["refs(seller) unique"],
    ["markdown unique"],
    ["secret unique"],
    ["refs(seller)?"],
    ["sequence?"],
    ["sequence immutable"],
    ["computed(price)?"],
    ["computed(price) readonly"],
    ["computed(price) was(cost)"],
    ["string as(others)"],
    ["org_ref as(others)"],
    ["string? on_delete(cascade)"],
    ["ref(seller) on_delete(set_null)"],
    ["string? immutable readonly"],
    ["string? internal searchable"],
    ["string unique index"],
    ["string was(it)"],
    ["string was(title)"],
    ["string was(created_at)"],
    ['string deprecated(" ")'],
    ["string readonly"],
    ["string internal"],
    ["string unique(org)"],
    ["json? unique(title)"],
  ])("%s is pointless", (notation) => expect(codes(notation)).toEqual(["misplaced_modifier"]));

  test.each([
    ["string pii pii", "duplicate_value"],
    ["string was(a) was(b)", "duplicate_value"],
    ["string was", "invalid_field"],
    ["string was(a, b)", "invalid_field"],
    ["string pii(yes)", "invalid_field"],
    ["string was(Old)", "invalid_name"],
    ["ref(seller) on_delete(nothing)", "invalid_field"],
    ["string unique(it)", "duplicate_value"],
    ["string unique(nothing)", "unknown_field"],
    ["string unikue", "unknown_modifier"],
    ['{ type: string, label: "a\\0" }', "invalid_field"],
    ['{ type: string, help: "a\\ud800" }', "invalid_field"],
    ['{ type: string, deprecated: "a\\0" }', "invalid_field"],
    [`{ type: string, help: ${"a".repeat(2_001)} }`, "invalid_field"],
    ["{ type: string, pii: maybe }", "wrong_kind"],
    ["{ type: string, uniq: true }", "unknown_key"],
  ])("refuses %s as %s", (notation, code) => expect(codes(notation)).toEqual([code]));

  test("fields can swap their names, or pass them on", () => {
    expect(check("a:\n  x: int was(y)\n  y: int was(x)\n").found).toEqual([]);
    expect(check("a:\n  x: int was(y)\n  y: int was(z)\n").found).toEqual([]);
    const still = ["3:16 misplaced_modifier: `was` can't be used here: `y` still exists."];
    expect(check("a:\n  x: int was(y)\n  y: int\n").found).toEqual(still);
  });

  test("two fields can't have the same former name", () => {
    const found = ["4:16 misplaced_modifier: `was` can't be used here: `x` has the same `was`."];
    expect(check("a:\n  x: int was(z)\n  y: int was(z)\n").found).toEqual(found);
  });
});

describe("defaults", () => {
  const literal = (value: unknown): unknown => ({ kind: "literal", value });
  test.each([
    ['string = "a b"', literal("a b")],
    ["{ type: string, default: a b }", literal("a b")],
    ["{ type: string, default: now }", literal("now")],
    ["int = -4", literal(-4)],
    ["{ type: int, default: 3 }", literal(3)],
    ["bigint = 9007199254740993", literal("9007199254740993")],
    ["float = 1.5e3", literal(1500)],
    ["decimal(10,2) = 007.5", literal("7.50")],
    ["decimal(10,2) = -0", literal("0.00")],
    ["money(EUR) = 12", literal("12.00")],
    ["percent = 12.5", literal(12.5)],
    ["date = today", { kind: "today" }],
    ["date = 2026-01-31", literal("2026-01-31")],
    ['time = "09:30"', literal("09:30:00")],
    ["datetime = now", { kind: "now" }],
    ["{ type: datetime, default: now }", { kind: "now" }],
    ['datetime = "2026-01-31T01:00:00.250+02:00"', literal("2026-01-30T23:00:00.25Z")],
    ["duration = PT90M", literal("PT1H30M")],
    ["duration = P1W", literal("P7D")],
    ["timezone = Europe/Berlin", literal("Europe/Berlin")],
    ["bool = true", literal(true)],
    ["enum[a, b] = b", literal("b")],
    ["enum_set[a, b, c] = [c, a]", literal(["a", "c"])],
    ["country = DE", literal("DE")],
    ["currency = EUR", literal("EUR")],
    ["locale = de-AT", literal("de-AT")],
    ['color = "#1A2B3C"', literal("#1a2b3c")],
    ['url = "https://example.org/a?b"', literal("https://example.org/a?b")],
    ['phone = "+4930123456"', literal("+4930123456")],
    ['email = "a@example.org"', literal("a@example.org")],
    ["uuid = 018F0000-0000-7000-8000-000000000000", literal("018f0000-0000-7000-8000-000000000000")],
    ["json = {}", literal({})],
    ["json = [1, two, null]", literal([1, "two", null])],
    ["{ type: json, default: { a: { b: [1] } } }", literal({ a: { b: [1] } })],
    ["list<int> = [1, 2]", literal([1, 2])],
    ["list<string> = []", literal([])],
    ["{ type: list<string>, default: [a, b c] }", literal(["a", "b c"])],
    ["{ type: point, default: { lat: 52.5, lng: 13.4 } }", literal({ lat: 52.5, lng: 13.4 })],
    ["{ type: i18n<string>, default: { en: Hello, de-AT: Servus } }", literal({ en: "Hello", "de-AT": "Servus" })],
    ["{ type: object, fields: { a: int, b: string? }, default: { a: 1 } }", literal({ a: 1 })],
    ["user_ref = current_user.id", { kind: "current_user_id" }],
    ["org_ref = current_org", { kind: "current_org" }],
  ])("%s", (notation, value) => expect(field(notation).default).toEqual(value));

  test.each([
    ["string = hello"],
    ["{ type: string, default: 5 }"],
    ['string(1,3) = "abcd"'],
    ['string(2,3) = "a"'],
    ['string(1,3,"^a") = "b"'],
    ["int = 1.5"],
    ['int = "1"'],
    ["{ type: int, min: 2, default: 1 }"],
    ["bigint = 9223372036854775808"],
    ["float = NaN"],
    ["decimal(4,2) = 123"],
    ["decimal(4,2) = 1.234"],
    ["percent = 101"],
    ["date = 2026-02-30"],
    ["date = now"],
    ['time = "25:00"'],
    ["duration = P1Y"],
    ["duration = P"],
    ["bool = yes"],
    ["enum[a, b] = c"],
    ["enum_set[a, b] = [a, a]"],
    ["enum_set[a, b] = a"],
    ["country = Germany"],
    ["currency = EURO"],
    ["list<int> = [a]"],
    ["{ type: list<int>, max: 1, default: [1, 2] }"],
    ['json = {"__proto__":1}'],
    ["json = [*a]"],
    ["json? = null"],
    ["{ type: point, default: { lat: 91, lng: 0 } }"],
    ["{ type: i18n<string>, default: { English: Hello } }"],
    ["{ type: object, fields: { a: int }, default: { b: 1 } }"],
    ["{ type: object, fields: { a: int }, default: {} }"],
    ["user_ref = current_org"],
    ["ref(seller)? = x"],
    ['secret = "x"'],
    ["sequence = 1"],
    ['slug = "a"'],
    ["computed(price) = 1"],
    ["vector(3)? = [1, 2, 3]"],
    ["refs(seller) = []"],
    ["{ type: string?, default: null }"],
  ])("refuses %s", (notation) => expect(codes(notation)).toEqual(["invalid_default"]));
});
