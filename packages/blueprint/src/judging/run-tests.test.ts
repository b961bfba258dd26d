// Tests in a blueprint: which expectations are true, the messages of failed ones, and the rules that no test covers.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { runTests } from "./run-tests.ts";

const blueprint = `project: demo
modules: [auth, users, roles, organizations, audit_logs]
users:
  fields:
    region: string? writable(admin)
roles:
  support: { inherits: user }
entities:
  listing:
    soft_delete: true
    fields:
      title: string
      status: enum[draft, active, sold]
      price: int?
      seller_id: user_ref = current_user.id
    transitions:
      status:
        initial: draft
        publish: { from: draft, to: active, roles: [user], when: seller_id == current_user.id, require: [price] }
        sell: { from: active, to: sold }
    permissions:
      public:
        read: status == active || price == null && status == draft
      user:
        create: true
        read: seller_id == current_user.id || comments.exists(c, c.writer_id == current_user.id)
        update: { allow: seller_id == current_user.id, fields: [title, price, seller_id], deny: price > 1000 }
        delete: seller_id == current_user.id
        restore: seller_id == current_user.id
      support:
        read: current_user.region == "north"
      admin: { all: true }
  comment:
    fields:
      listing_id: ref(listing)
      writer_id: user_ref = current_user.id
      text: text
    permissions:
      user:
        read: writer_id == current_user.id || listing.seller_id == current_user.id
        create: { allow: true, set: { text: '"set"' } }
  note:
    org_scoped: true
    fields: { text: text, kind: "enum[a, b] = a" }
    permissions:
      user: { read: true, create: true, update: "member(current_org, owner)" }
tests:
  users:
    ana: { roles: [user], organizations: { acme: owner } }
    ben: { roles: [user], organizations: { acme: member } }
    cat: { roles: [user], organizations: { acme: member, other: owner } }
    dan: { roles: [user], organizations: { other: owner, acme: owner } }
    eve: { roles: [user] }
    sue: { roles: [support], profile: { region: north } }
    root: { roles: [admin] }
  rows:
    listing:
      a: { status: active, seller_id: ana, price: 5 }
      d: { status: draft, seller_id: ana, price: 7 }
      dear: { status: draft, seller_id: ana, price: 2000 }
      free: { status: draft, seller_id: ana }
      gone: { status: active, seller_id: ana, deleted_at: "2026-01-01T00:00:00Z" }
    comment:
      c: { listing_id: d, writer_id: ben }
      lost: { listing_id: gone, writer_id: ben }
    note:
      n: { org_id: acme }
  expect:
`;

interface Found {
  readonly codes: readonly string[];
  readonly messages: readonly string[];
  readonly hints: readonly (string | null)[];
  readonly model: Model | null;
}

function run(...expectations: readonly string[]): Found {
  const text = `${blueprint}${expectations.map((one) => `    - ${one}\n`).join("")}`;
  const { model, diagnostics } = checkBlueprint(text);
  const told = diagnostics.filter((one) => one.code !== "public_rule_untested");
  return {
    codes: told.map((one) => one.code),
    messages: told.map((one) => one.message),
    hints: told.map((one) => one.hint),
    model,
  };
}

/** In both directions: a true expectation passes, and its opposite fails. */
function holds(...expectations: readonly string[]): void {
  expect(run(...expectations).messages).toEqual([]);
  for (const one of expectations) {
    const opposite = one.includes("allow: true")
      ? one.replace("allow: true", "allow: false")
      : one.replace("allow: false", "allow: true");
    expect([one, run(opposite).codes]).toEqual([one, ["test_failed"]]);
  }
}

describe("lists", () => {
  test("contain exactly the records that the caller's rules allow", () => {
    expect(
      run(
        "{ as: public, list: listing, sees: [a, free] }",
        "{ as: ana, list: listing, sees: [a, d, dear, free] }",
        "{ as: ben, list: listing, sees: [a, free, d] }",
        "{ as: root, list: listing, sees: [a, d, dear, free] }",
        "{ as: sue, list: listing, sees: [a, d, dear, free] }",
        "{ as: ben, list: comment, sees: [c, lost] }",
        "{ as: ana, list: comment, sees: [c] }",
        "{ as: public, list: comment, sees: [] }",
      ).messages,
    ).toEqual([]);
  });

  test("report unexpected and missing records", () => {
    expect(run("{ as: public, list: listing, sees: [a, free, d] }").messages).toEqual([
      "Expected: public sees d, but the rule of `public` is not true.",
    ]);
    expect(run("{ as: public, list: listing, sees: [a] }").messages).toEqual([
      "Unexpected: public sees free. The rule of `public` allows it.",
    ]);
  });
});

describe("operations", () => {
  test("reading one row", () =>
    holds(
      "{ as: ana, read: listing.d, allow: true }",
      "{ as: eve, read: listing.d, allow: false }",
      "{ as: ana, read: listing.gone, allow: false }",
    ));

  test("creating: the initial state, the creator is set, references must be readable", () =>
    holds(
      "{ as: ana, create: listing, with: { title: x }, allow: true }",
      "{ as: public, create: listing, with: { title: x }, allow: false }",
      "{ as: ana, create: listing, with: { title: x, status: active }, allow: false }",
      "{ as: ana, create: listing, with: { title: x, seller_id: ben }, allow: false }",
      "{ as: root, create: listing, with: { title: x, seller_id: ben }, allow: true }",
      "{ as: ben, create: comment, with: { listing_id: d, text: hello }, allow: true }",
      "{ as: eve, create: comment, with: { listing_id: d, text: hello }, allow: false }",
    ));

  test("updating: the rule for both rows, denials, allowed fields", () =>
    holds(
      "{ as: ana, update: listing.d, with: { price: 3 }, allow: true }",
      "{ as: ana, update: listing.d, with: { price: 3000 }, allow: false }",
      "{ as: ana, update: listing.dear, with: { price: 3 }, allow: false }",
      "{ as: ben, update: listing.d, with: { price: 3 }, allow: false }",
      "{ as: ana, update: listing.free, with: { title: y }, allow: false }",
      "{ as: root, update: listing.dear, with: { price: 3 }, allow: true }",
      "{ as: ana, update: listing.d, with: { created_at: '2026-01-01T00:00:00Z' }, allow: false }",
    ));

  test("the state only follows transitions that the caller can take", () =>
    holds(
      "{ as: root, update: listing.a, with: { status: sold }, allow: true }",
      "{ as: root, update: listing.d, with: { status: sold }, allow: false }",
      "{ as: ana, transition: listing.d.publish, allow: true }",
      "{ as: ben, transition: listing.d.publish, allow: false }",
      "{ as: ana, transition: listing.a.publish, allow: false }",
      "{ as: ana, transition: listing.free.publish, allow: false }",
      "{ as: ana, transition: listing.free.publish, with: { price: 4 }, allow: true }",
      "{ as: ana, transition: listing.d.publish, with: { title: x }, allow: false }",
      "{ as: root, transition: listing.a.sell, allow: true }",
      "{ as: ana, transition: listing.a.sell, allow: false }",
    ));

  test("deleting, and restoring what is deleted", () =>
    holds(
      "{ as: ana, delete: listing.d, allow: true }",
      "{ as: ana, delete: listing.gone, allow: false }",
      "{ as: ana, restore: listing.gone, allow: true }",
      "{ as: ana, restore: listing.d, allow: false }",
      "{ as: eve, restore: listing.gone, allow: false }",
    ));

  test("in an organization: only its members, and its owner with a separate rule", () =>
    holds(
      "{ as: ben, read: note.n, allow: true }",
      "{ as: eve, read: note.n, allow: false }",
      "{ as: root, read: note.n, allow: false }",
      "{ as: ana, update: note.n, with: { kind: b }, allow: true }",
      "{ as: ben, update: note.n, with: { kind: b }, allow: false }",
      "{ as: ben, create: note, with: { text: x }, allow: true }",
      "{ as: eve, create: note, with: { text: x }, allow: false }",
    ));

  test("in the first of their organizations, which is the chosen one", () =>
    holds(
      "{ as: cat, read: note.n, allow: true }",
      "{ as: cat, create: note, with: { text: x }, allow: true }",
      "{ as: dan, read: note.n, allow: false }",
      "{ as: dan, update: note.n, with: { kind: b }, allow: false }",
      "{ as: dan, create: note, with: { text: x }, allow: true }",
    ));
});

describe("a failed test shows", () => {
  test("the deciding part of the rule, and its line", () => {
    const { messages, hints } = run("{ as: ana, update: listing.dear, with: { price: 3 }, allow: true }");
    expect(messages).toEqual(["Expected: ana can update listing.dear, but the rule of `user` is not true."]);
    const line = blueprint.split("\n").findIndex((one) => one.includes("deny: price")) + 1;
    expect(hints).toEqual([`\`old.price > 1000\` in line ${line} is the reason.`]);
  });

  test("a role without such a permission, and reasons other than rules", () => {
    expect(run("{ as: eve, delete: comment.c, allow: true }").messages[0]).toContain(
      "none of their roles has `delete`",
    );
    expect(run("{ as: ana, delete: listing.gone, allow: true }").messages[0]).toContain("the row is deleted");
    expect(run("{ as: root, read: note.n, allow: true }").messages[0]).toContain("belongs to another organization");
    expect(run("{ as: ana, transition: listing.a.publish, allow: true }").messages[0]).toContain("the row is `active`");
  });
});

describe("invalid tests", () => {
  test.each([
    ["{ list: listing, sees: [] }", ["missing_key"]],
    ["{ as: nobody, list: listing, sees: [] }", ["unknown_test_name"]],
    ["{ as: public, list: listing, sees: [b] }", ["unknown_test_name"]],
    ["{ as: public, list: listings, sees: [] }", ["unknown_entity"]],
    ["{ as: public, list: listing }", ["missing_key"]],
    ["{ as: public, list: listing, sees: [], allow: true }", ["invalid_test"]],
    ["{ as: public, read: listing.a, sees: [a], allow: true }", ["invalid_test"]],
    ["{ as: public, read: listing.a }", ["missing_key"]],
    ["{ as: public, read: listing.x, allow: true }", ["unknown_test_name"]],
    ["{ as: public, read: listing, allow: true }", ["invalid_test"]],
    ["{ as: public, create: listing.a, allow: true }", ["invalid_test"]],
    ["{ as: public }", ["invalid_test"]],
    ["{ as: public, read: listing.a, update: listing.a, allow: true }", ["invalid_test"]],
    ["{ as: public, raed: listing.a, allow: true }", ["unknown_key", "invalid_test"]],
    ["{ as: ana, update: listing.d, with: { pric: 3 }, allow: true }", ["unknown_field"]],
    ["{ as: ana, update: listing.d, with: { price: cheap }, allow: true }", ["invalid_test"]],
    ["{ as: ana, create: comment, with: { listing_id: x }, allow: true }", ["unknown_test_name"]],
    ["{ as: ana, transition: listing.d, allow: true }", ["invalid_test"]],
    ["{ as: ana, transition: listing.d.publsh, allow: true }", ["unknown_transition"]],
    ["{ as: ana, restore: comment.c, allow: true }", ["restore_without_soft_delete"]],
    ["{ as: ana, read: listing.d.publish, allow: true }", ["invalid_test"]],
  ])("%s", (expectation, expected) => expect([...run(expectation).codes].sort()).toEqual([...expected].sort()));

  test.each([
    ["    ana: { roles: [user], organizations: { acme: owner } }", "    ana: { roles: [usr] }", "unknown_role"],
    ["{ acme: member }", "{ acme: chief }", "unknown_role"],
    ["profile: { region: north }", "profile: { reg: north }", "unknown_field"],
    ["    eve: { roles: [user] }", "    public: { roles: [user] }", "reserved_name"],
    ["    eve: { roles: [user] }", "    eve: { role: [user] }", "unknown_key"],
    ["      c: { listing_id: d, writer_id: ben }", "      c: { listing_id: d, writer_id: bert }", "unknown_test_name"],
    ["    note:\n      n:", "    nota:\n      n:", "unknown_entity"],
  ])("`%s` as `%s`", (right, wrong, code) => {
    const { diagnostics } = checkBlueprint(
      `${blueprint.replace(right, wrong)}    - { as: ben, read: listing.a, allow: true }\n`,
    );
    expect(diagnostics.map((one) => one.code)).toContain(code);
  });
});

describe("coverage", () => {
  const covered = (...expectations: readonly string[]): string[] => {
    const { model } = run(...expectations);
    if (model === null) throw new Error("the blueprint is wrong");
    return runTests(model)
      .coverage.filter((one) => one.entity === "listing" && one.permission.role === "public")
      .flatMap((one) => one.branches)
      .map(({ expression, held, failed }) => `${printExpression(expression)}: ${held} ${failed}`);
  };

  test("counts each branch of a rule separately", () => {
    expect(covered("{ as: public, read: listing.a, allow: true }")).toEqual([
      'status == "active": true false',
      'price == null && status == "draft": false true',
    ]);
    expect(covered("{ as: public, list: listing, sees: [a, free] }")).toEqual([
      'status == "active": true true',
      'price == null && status == "draft": true true',
    ]);
  });

  test("warns at a branch of a `public` rule that no test decides; without tests it never warns", () => {
    const untested = (...expectations: readonly string[]): string[] => {
      const text = `${blueprint}${expectations.map((one) => `    - ${one}\n`).join("")}`;
      const found = checkBlueprint(text).diagnostics.filter((one) => one.code === "public_rule_untested");
      return found.map(({ span }) => text.slice(span.start.offset, span.end.offset));
    };
    expect(untested("{ as: public, list: listing, sees: [a, free] }")).toEqual([]);
    expect(
      untested("{ as: public, read: listing.d, allow: false }", "{ as: public, read: listing.a, allow: true }"),
    ).toEqual(["price == null && status == draft"]);
    const without = blueprint.slice(0, blueprint.indexOf("tests:"));
    expect(checkBlueprint(without).diagnostics.map((one) => one.code)).toEqual([]);
  });
});

test("one rule for all operations needs a test for each of them", () => {
  const text = `project: demo
modules: [auth]
entities:
  thing:
    fields: { state: "enum[a, b, c]", open: bool }
    transitions:
      state:
        initial: a
        go: { from: a, to: b }
        end: { from: b, to: c }
    permissions:
      public: { all: open }
tests:
  rows:
    thing: { yes: { open: true }, no: { open: false } }
  expect:
    - { as: public, list: thing, sees: [yes] }
    - { as: public, update: thing.yes, allow: true }
    - { as: public, update: thing.no, allow: false }
    - { as: public, transition: thing.yes.go, allow: true }
`;
  const { diagnostics } = checkBlueprint(text);
  expect(
    diagnostics.map(({ code, message }) => `${code} ${/`(?:transition:)?\w+` on/.exec(message)?.[0]}`).sort(),
  ).toEqual([
    "public_rule_untested `create` on",
    "public_rule_untested `delete` on",
    "public_rule_untested `transition:end` on",
    "public_rule_untested `transition:go` on",
  ]);
});

test("the model contains users, rows and expectations with their lines", () => {
  const { model } = run("{ as: ana, update: listing.d, with: { price: 3 }, allow: true }");
  expect(model?.tests?.users[0]).toEqual({
    name: "ana",
    roles: ["user"],
    email: "ana@example.com",
    organizations: [{ organization: "acme", role: "owner" }],
    profile: {},
  });
  expect(model?.tests?.rows[0]).toEqual({
    entity: "listing",
    name: "a",
    values: { status: "active", seller_id: "ana", price: 5 },
  });
  expect(model?.tests?.expect).toEqual([
    {
      kind: "allow",
      as: "ana",
      operation: "update",
      entity: "listing",
      row: "d",
      input: { price: 3 },
      allow: true,
      line: blueprint.split("\n").length,
    },
  ]);
});

test("more rows than one run allows give a diagnostic, in limited time", () => {
  const rule = Array.from({ length: 60 }, (_, i) => `text == 'a${i}'`).join(" || ");
  const rows = Array.from({ length: 300 }, (_, i) => `      r${i}: { text: x }\n`).join("");
  const users = Array.from({ length: 100 }, (_, i) => `    u${i}: {}\n`).join("");
  const lists = Array.from({ length: 100 }, (_, i) => `    - { as: u${i}, list: thing, sees: [] }\n`).join("");
  const text = `project: demo\nentities:\n  thing:\n    fields: { text: text }\n    permissions:\n      user: { read: "${rule}" }\ntests:\n  users:\n${users}  rows:\n    thing:\n${rows}  expect:\n${lists}`;
  const started = performance.now();
  const { diagnostics } = checkBlueprint(text);
  expect(diagnostics.map((one) => one.code)).toEqual(["too_many"]);
  expect(performance.now() - started).toBeLessThan(5_000);
});
