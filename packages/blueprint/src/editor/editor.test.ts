// Completion and hover as somebody types: `|` marks the cursor.
import { describe, expect, test } from "vitest";
import { completeAt } from "./complete.ts";
import { hoverAt } from "./hover.ts";
import { locate } from "./locate.ts";

function at(marked: string): readonly [string, number] {
  const offset = marked.indexOf("|");
  return [marked.slice(0, offset) + marked.slice(offset + 1), offset];
}

const labels = (marked: string): readonly string[] =>
  completeAt(...at(marked))?.suggestions.map((one) => one.label) ?? [];

/** The text after the first suggestion of that label was taken. */
function accept(marked: string, label: string): string {
  const [text, offset] = at(marked);
  const found = completeAt(text, offset);
  const suggestion = found?.suggestions.find((one) => one.label === label);
  if (found === null || found === undefined || suggestion === undefined) throw new Error(`no ${label}`);
  return text.slice(0, found.from) + suggestion.insert + text.slice(found.to);
}

const shop = `project: shop
modules: [auth, users, roles]
roles:
  mechanic: { inherits: user }
rules:
  is_mine: seller_id == current_user.id
users:
  fields:
    team: string?
entities:
  bike:
    fields:
      name: string
      status: enum[draft, on_sale] = draft
      seller_id: user_ref = current_user.id
    transitions:
      status:
        initial: draft
        publish: { from: draft, to: on_sale }
  offer:
    fields:
      bike_id: ref(bike) on_delete(cascade)
      amount: money(EUR)
`;

describe("the context of a position", () => {
  test.each([
    ["a|", [], "key", "a"],
    ["entities:\n  |", ["entities"], "either", ""],
    ["entities:\n  bike:\n    fields:\n      name: str|", ["entities", "bike", "fields", "name"], "value", "str"],
    ["roles:\n  x: { inh| }", ["roles", "x"], "key", "inh"],
    ["roles:\n  x: { inherits: [us| }", ["roles", "x", "inherits", "[]"], "value", "us"],
    ["workers:\n  w:\n    steps:\n      - id: a\n        wi|", ["workers", "w", "steps", "[]"], "key", "wi"],
    ["workers:\n  w:\n    steps:\n    - |", ["workers", "w", "steps", "[]"], "either", ""],
    ["entities:\n  b:\n    f: enum[a, |b]", ["entities", "b", "f"], "value", "enum[a, "],
  ] as const)("%s", (marked, path, place, before) => {
    const location = locate(...at(marked));
    expect([location?.path, location?.place, location?.before]).toEqual([path, place, before]);
  });
});

describe("completion", () => {
  test("of top-level keys that are still missing", () => {
    expect(labels("project: a\n|")).toEqual(expect.arrayContaining(["entities", "roles", "tests"]));
    expect(labels("project: a\n|")).not.toContain("project");
  });

  test("of an entity's options, also in broken YAML", () => {
    expect(labels("project: a\nroles: [\nentities:\n  bike:\n    fields:\n      a: string\n    sof|")).toEqual([
      "soft_delete",
    ]);
  });

  test("of types, their arguments, modifiers and defaults", () => {
    const field = (rest: string): string => `${shop}      extra: ${rest}`;
    expect(labels(field("dec|"))).toEqual(["decimal"]);
    expect(accept(field("ref|"), "ref")).toContain("extra: ref(");
    expect(labels(field("ref(|"))).toEqual(["bike", "offer"]);
    expect(labels(field("string uni|"))).toEqual(["unique"]);
    expect(labels(field("string? |"))).not.toContain("on_delete");
    expect(labels(field("ref(bike) on_delete(|"))).toEqual(["cascade", "restrict"]);
    expect(labels(field("ref(bike)? on_delete(|"))).toEqual(["cascade", "restrict", "set_null"]);
    expect(labels(field("enum[a, b] = |"))).toEqual(["a", "b"]);
    expect(labels(field("{ type: int, def| }"))).toEqual(["default"]);
  });

  test("of the expression of a computed field", () => {
    const made = (text: string): string => shop.replace("status: enum", `total: computed(${text}\n      status: enum`);
    expect(labels(made("off|"))).toEqual(["offers"]);
    expect(labels(made("offers.sum(o, o.am|"))).toEqual(["amount"]);
    expect(labels(made("|"))).not.toContain("current_user");
    expect(labels(made("offers.sum(o, o.amount)) de|"))).toEqual(["deprecated"]);
  });

  test("of roles, operations and transitions in permissions", () => {
    const permissions = `${shop}permissions:\n  bike:\n`;
    expect(labels(`${permissions}    |`)).toEqual(["public", "user", "owner", "admin", "mechanic"]);
    expect(labels(`${permissions}    user:\n      |`)).toEqual(
      expect.arrayContaining(["read", "all", "transition:publish"]),
    );
  });

  test("of rules: fields, relations, the user, enum values, methods, variables", () => {
    const rule = (text: string): string => `${shop}permissions:\n  bike:\n    user:\n      read: ${text}`;
    expect(labels(rule("|"))).toEqual(
      expect.arrayContaining(["name", "seller", "offers", "current_user", "is_mine", "has"]),
    );
    expect(labels(rule("status == |"))).toEqual(["draft", "on_sale"]);
    expect(labels(rule("status in [draft, |"))).toEqual(["on_sale"]);
    expect(labels(rule("current_user.|"))).toEqual(["id", "email", "roles", "is", "team"]);
    expect(labels(rule("name.sta|"))).toEqual(["startsWith"]);
    expect(labels(rule("offers.|"))).toEqual("exists all exists_one filter count sum avg min max size".split(" "));
    expect(labels(rule("offers.sum(o, o.|"))).toEqual(labels(rule("offers.exists(o, o.|")));
    expect(labels(rule("offers.exists(o, o.am|"))).toEqual(["amount"]);
    const housed = rule("home.|").replace(
      "name: string",
      "name: string\n      home: object{ city: string, floor: int }",
    );
    expect(labels(housed)).toEqual(["city", "floor"]);
    expect(labels(rule("old.na|"))).toEqual([]);
    expect(labels(rule("old.na|").replace("read:", "update:"))).toEqual(["name"]);
    expect(accept(rule("stat|us == draft"), "status")).toContain("read: status");
  });

  test("of background work: the event, its record, earlier steps", () => {
    const work = (steps: string, head = "    on: bike.publish\n"): string =>
      `${shop}events:\n  bike.sold:\n    payload:\n      price: money(EUR)\nworkflows:\n  tell:\n${head}    steps:\n${steps}`;
    const note = (expression: string): string =>
      `      - audit.write:\n          with:\n            note: \${{ ${expression}`;
    expect(labels(work(note("|")))).toEqual(["record", "old", "event", "run", "now", "has", "size", "duration"]);
    expect(labels(work(note("record.st|")))).toEqual(["status"]);
    expect(labels(work(note("record.status == |")))).toEqual(["draft", "on_sale"]);
    expect(labels(work(note("event.ac|")))).toEqual(["actor"]);
    expect(labels(work(note("event.actor.|")))).toEqual(["kind", "id"]);
    expect(labels(work(note("event.data.|"), "    on: bike.sold\n"))).toEqual(["price"]);
    expect(labels(work(note("re|"), "    on: bike.sold\n    record: { offer: { amount: 1 } }\n"))).toEqual(["record"]);
    expect(labels(work(note("record.|"), "    on: user.created\n"))).toEqual(["id", "email", "name", "team"]);
    const added = (steps: string): string =>
      work(steps, "    on: organization.member_added\n").replace(
        /^modules:.*$/m,
        "modules:\n  - users\n  - organizations",
      );
    expect(labels(added(note("event.data.|")))).toEqual(["user_id", "role"]);
    expect(labels(added(note("event.data.role == |")))).toEqual(["owner", "admin", "member"]);
    expect(labels(added(note("record.|")))).toEqual(["id", "name", "created_at", "updated_at"]);
    expect(labels(work("", "    on: |"))).toContain("user.created");
    expect(labels(work("", "    on: |"))).not.toContain("organization.created");
    const before = [
      "      - record.find: { with: { entity: offer, bike_id: a } }\n",
      "      - { id: ask, approval: { roles: [admin] } }\n",
    ].join("");
    expect(labels(work(`${before}${note("steps.|")}`))).toEqual(["find", "ask"]);
    expect(labels(work(`${before}${note("steps.find.am|")}`))).toEqual(["amount"]);
    expect(labels(work(`${before}${note("steps.ask.|")}`))).toEqual(["approved", "by", "at", "note"]);
    const failing = (text: string): string =>
      `      - action: record.find\n        with: { entity: offer }\n        on_error:\n          - audit.write: { with: { note: "\${{ ${text}`;
    expect(labels(work(failing("err|")))).toEqual(["error"]);
    expect(labels(work(failing("error.|")))).toEqual(["step", "code", "message", "status", "body", "attempts"]);
    expect(labels(work(failing("error.code == |")))).toContain("rejected");
    expect(labels(work(note("err|")))).toEqual([]);
    const waiting = (text: string): string =>
      `      - wait_for:\n          event: offer.created\n          if: "${text}`;
    expect(labels(work(waiting("record.|")))).toContain("amount");
    expect(labels(work(waiting("run.re|")))).toEqual(["request_id", "record"]);
    expect(labels(work(waiting("run.record.st|")))).toEqual(["status"]);
    expect(labels(work(waiting("run.event.record|")))).toEqual(["record_id", "record"]);
    expect(labels(work(note("error.|")))).toEqual([]);
    expect(labels(work("", "    when: record.na|"))).toEqual(["name"].slice(1));
    expect(labels(work("", "    on: bike.created\n    when: record.na|"))).toEqual(["name"]);
    expect(labels(work(`      - { action: audit.write, if: "old.st|" }`))).toEqual(["status"]);
    expect(accept(work(note("record.na|me")), "name")).toContain("record.name");
  });

  test("of an action's input and caller", () => {
    const action = `${shop}actions:\n  sell:\n    input:\n      price: int\n    steps:\n      - audit.write: { with: { note: "\${{ `;
    expect(labels(`${action}input.|`)).toEqual(["price"]);
    expect(labels(`${action}cur|`)).toEqual(["current_user"]);
    expect(labels(`${action}current_user.te|`)).toEqual(["team"]);
  });

  test("of a relation through another entity", () => {
    expect(labels(`${shop}permissions:\n  offer:\n    user:\n      read: bike.st|`)).toEqual(["status"]);
  });

  test("of names in tests", () => {
    const tests = `${shop}tests:\n  users:\n    ana: { roles: [user] }\n  rows:\n    bike:\n      one: { name: A }\n  expect:\n`;
    expect(labels(`${tests}    - { as: |`)).toEqual(["public", "ana"]);
    expect(labels(`${tests}    - { as: ana, list: |`)).toEqual(["bike", "offer"]);
    expect(labels(`${tests}    - { as: ana, list: bike, sees: [|`)).toEqual(["one"]);
  });

  test("is empty in a comment, a text, or a block of text", () => {
    expect(labels("project: a # |")).toEqual([]);
    expect(labels(`${shop}emails:\n  hello:\n    subject: Hello na|`)).toEqual([]);
    const text = (rest: string): string => `${shop}    label: ${rest}`;
    expect(labels(text("The bi|"))).toEqual([]);
    const block = `${text("|")}\n      bike: re`;
    expect(completeAt(block, block.length)).toBeNull();
    const mail = `${shop}emails:\n  hello:\n    subject: Hello\n    body: |\n      Dear reader, fie`;
    expect(completeAt(mail, mail.length)).toBeNull();
  });

  test("of a rule in a block scalar", () => {
    const rule = `${shop}permissions:\n  bike:\n    user:\n      read: >-\n        seller_id == current_user.id &&\n        stat`;
    expect(completeAt(rule, rule.length)?.suggestions.map((one) => one.label)).toEqual(["status"]);
  });

  test("of maps and lists in brackets, also over several lines", () => {
    const grant = (inside: string): string => `${shop}permissions:\n  bike:\n    user: ${inside}`;
    expect(labels(grant("{ read: true, | }"))).toEqual(["create", "update", "delete", "all", "transition:publish"]);
    expect(labels(grant("{ read: |, create: true }"))[0]).toBe("true");
    expect(labels(grant("{\n        read: stat|,\n        create: true }"))).toEqual(["status"]);
    expect(labels("project: a\nmodules: [auth, us|")).toEqual(["users"]);
    expect(labels("project: a\nmodules: [auth, |]\nentities: {}")).not.toContain("auth");
  });

  test("of the states of a transition, matching fields, and rows of tests", () => {
    const edge = (inside: string): string => shop.replace("{ from: draft, to: on_sale }", `{ ${inside} }`);
    expect(labels(edge("from: |"))).toEqual(["draft", "on_sale"]);
    expect(labels(edge("from: draft, to: |"))).toEqual(["on_sale"]);
    expect(labels(edge("from: [draft, |]"))).toEqual(["on_sale"]);
    expect(labels(edge("require: [|]"))).toEqual(["name", "seller_id"]);
    const option = (text: string): string => shop.replace("    transitions:", `    ${text}\n    transitions:`);
    expect(labels(option("lock: |"))).toEqual(["seller_id", "created_by"]);
    expect(labels(option("views: { new: { sort: -cre| } }"))).toEqual(["-created_at", "-created_by"]);
    const expected = `${shop}tests:\n  users:\n    ana:\n  rows:\n    bike:\n      one: { name: A }\n  expect:\n`;
    expect(labels(`${expected}    - { as: ana, update: |`)).toEqual(["bike.one"]);
    expect(labels(`${expected}    - { as: ana, transition: |`)).toEqual(["bike.one.publish"]);
    expect(labels(`${expected}    - { as: ana, update: bike.one, | }`)).toEqual(["with", "allow"]);
    expect(labels(`${expected}    - { as: ana, create: bike, with: { name: B, | } }`)).toEqual(["status", "seller_id"]);
  });

  test("is limited to the listed modules", () => {
    expect(labels("project: a\nmodules: [auth]\n|")).not.toContain("workflows");
    expect(labels("project: a\nmodules: [auth, workers]\n|")).toContain("workflows");
    expect(labels(`${shop}      extra: org|`)).toEqual([]);
  });

  test("starts with required keys, and inserts the beginning of their value", () => {
    expect(labels("project: a\nschedules:\n  nightly:\n    |").slice(0, 2)).toEqual(["cron", "run"]);
    expect(accept("project: a\nent|", "entities")).toBe("project: a\nentities:\n  ");
    expect(accept("project: a\nmodu|", "modules")).toBe("project: a\nmodules: []");
    expect(accept("project: a\nmodu|: [auth]", "modules")).toBe("project: a\nmodules: [auth]");
    const permissions = `${shop}permissions:\n  bike:\n    us|`;
    expect(accept(permissions, "user")).toBe(`${permissions.slice(0, -3)}user:\n      `);
    expect(accept(`${shop}permissions:\n  bike: { us| }`, "user")).toContain("bike: { user: {  } }");
    const steps = `${shop}workers:\n  w:\n    ste|`;
    expect(accept(steps, "steps")).toBe(`${steps.slice(0, -4)}steps:\n      - `);
    expect(accept(`${shop}      extra: mon|`, "money")).toContain("extra: money(EUR)");
    expect(accept(`${shop}      extra: { type: enu| }`, "enum")).toContain('{ type: "enum[draft, active]" }');
  });

  test("never throws, at any position", () => {
    for (let offset = 0; offset <= shop.length; offset++) {
      const cut = shop.slice(0, offset);
      expect(() => [completeAt(shop, offset), completeAt(cut, offset), hoverAt(shop, offset)]).not.toThrow();
    }
  });
});

describe("the hover text", () => {
  test.each([
    ["entit|ies:", "kinds of records"],
    ["entities:\n  bike:\n    fields:\n      price: mon|ey(EUR)", "exact amount"],
    ["entities:\n  bike:\n    fields:\n      price: int uni|que", "Two records can't have the same value"],
    ["modules: [au|th]", "Sign-up"],
    ["permissions:\n  bike:\n    pub|lic:", "Everybody with a key"],
    ["permissions:\n  bike:\n    public:\n      re|ad: true", "Read a record"],
    ["permissions:\n  bike:\n    public:\n      read: a == current_|user.id", "The signed-in user"],
  ])("%s", (marked, said) => {
    expect(hoverAt(...at(marked))?.text).toContain(said);
  });

  test("shows the type of a name in background work", () => {
    const work = `${shop}workflows:\n  tell:\n    on: bike.created\n    steps:\n      - audit.write: { with: { note: "\${{ record.sta|tus }}" } }`;
    expect(hoverAt(...at(work))?.text).toContain("enum[draft, on_sale] = draft");
    expect(hoverAt(...at(work.replace("sta|tus", "status").replace("{{ rec", "{{ re|c")))?.text).toContain("about");
    expect(hoverAt(...at(work.replace("record.sta|tus", "event.a|t")))?.text).toContain("datetime");
  });

  test("covers all suggestions of completion", () => {
    expect(hoverAt(...at(shop.replace("to: on_sale", "to: on_|sale")))?.text).toContain("A state of `status`");
    expect(hoverAt(...at(shop.replace("ref(bike)", "ref(bi|ke)")))?.text).toContain("An entity of this blueprint");
  });

  test("explains an entity, a field in a rule, and an enum's value", () => {
    expect(hoverAt(...at(shop.replace("  bike:", "  bi|ke:")))?.text).toContain("status: enum[draft, on_sale] = draft");
    const rule = `${shop}permissions:\n  bike:\n    user:\n      read: `;
    expect(hoverAt(...at(`${rule}sta|tus == draft`))?.text).toContain("field of `bike`");
    expect(hoverAt(...at(`${rule}status == dra|ft`))?.text).toContain("value of `status`");
  });
});
