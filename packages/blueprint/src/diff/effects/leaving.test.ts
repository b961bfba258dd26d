// Data that newly leaves the project: each receiver with the fields that reach it.
import { expect, test } from "vitest";
import { checkBlueprint } from "../../check-blueprint.ts";
import type { Model } from "../../model/model.ts";
import { diffModels } from "../diff.ts";

const HEAD = `project: shop
modules: [auth, users, roles, workers, webhooks, audit_logs]
events:
  order.packed: { payload: { order_id: uuid, weight: int?, note: text? } }
`;
const ORDER = `entities:
  order:
    fields: { title: string, note: text?, total: int, email: email?, margin: int? internal }
    permissions: { user: { all: true } }
`;
const VALUE = (name: string): string => `\${{ record.${name} }}`;

function modelOf(sections: string, entities = ORDER): Model {
  const { model, diagnostics } = checkBlueprint(`${HEAD}${entities}${sections}`);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (model === null || errors.length > 0) throw new Error(JSON.stringify(errors.slice(0, 3)));
  return model;
}

const follow = (step: string, on = "order.created", more = ""): string =>
  `workflows:\n  follow:\n    on: ${on}\n${more}    steps:\n      - ${step}\n`;
const mail = (to: string, text: string, more = ""): string =>
  `email.send: { ${more}with: { to: "${to}", subject: Order, text: "${text}" } }`;
const call = (url: string, more = ""): string => `http.request: { with: { url: "${url}"${more} } }`;
const worker = (body: string, event = "order.created"): string =>
  `workers:\n  label: { on: ${event}, http: { url: "https://labels.example/jobs"${body} } }\n`;
const emit = (payload: string): string =>
  follow(`event.emit: { with: { name: order.packed, payload: { order_id: "${VALUE("id")}"${payload} } } }`);
const template = (body: string): string =>
  `emails:\n  news:\n    variables: { title: string, note: text? }\n    subject: News\n    body: ${JSON.stringify(body)}\n`;
const templated = follow(
  `email.send: { with: { to: "desk@shop.example", template: news, values: { title: "${VALUE("title")}", note: "${VALUE("note")}" } } }`,
);
const DESK = "desk@shop.example";

const named = (before: string, after: string, entities = ORDER): string[] =>
  diffModels(modelOf(before), modelOf(after, entities))
    .filter(({ classes }) => classes.includes("widens_egress"))
    .map(({ path, summary }) => `${path}: ${summary.slice(summary.indexOf(". ") + 2)}`);

test.each<[string, string, string, string[]]>([
  [
    "a new mail",
    "",
    follow(mail(DESK, VALUE("title"))),
    ["workflows.follow: On `order.created`, `title` of `order` now reaches `desk@shop.example` by mail."],
  ],
  [
    "a new fixed recipient",
    follow(mail(DESK, VALUE("title"))),
    follow(mail("x@other.example", VALUE("title"))),
    ["workflows.follow: On `order.created`, `title` of `order` now reaches `x@other.example` by mail."],
  ],
  [
    "more fields in a mail",
    follow(mail(DESK, VALUE("title"))),
    follow(mail(DESK, `${VALUE("title")} ${VALUE("total")} ${VALUE("margin")}`)),
    ["workflows.follow: On `order.created`, `total` and `margin` of `order` now reach `desk@shop.example` by mail."],
  ],
  [
    "a mail in more cases",
    follow(mail(DESK, VALUE("title"), 'if: "record.total > 9", ')),
    follow(mail(DESK, VALUE("title"), 'if: "record.total > 5", ')),
    [
      "workflows.follow: On `order.created`, `title` of `order` now reaches `desk@shop.example` by mail in cases in which this did not happen before.",
    ],
  ],
  [
    "another field as the recipient",
    follow(mail(VALUE("email"), "Hello")),
    follow(mail(VALUE("title"), "Hello")),
    ["workflows.follow: On `order.created`, a mail is now sent to the address in `record.title`."],
  ],
  [
    "a link with a value",
    follow(mail(DESK, "Hello")),
    follow(mail(DESK, `https://track.example/?o=${VALUE("margin")}`)),
    [
      "workflows.follow: On `order.created`, `margin` of `order` now reaches `desk@shop.example` by mail. On `order.created`, `margin` of `order` now reaches `track.example` through a link in a mail.",
    ],
  ],
  [
    "a template that shows more",
    template("{{ title }}").replaceAll("{{", "${{") + templated,
    template("{{ title }} {{ note }}").replaceAll("{{", "${{") + templated,
    ["workflows.follow: On `order.created`, `note` of `order` now reaches `desk@shop.example` by mail."],
  ],
  [
    "more in a body",
    follow(call("https://api.example/orders", ", body: { a: 1 }")),
    follow(call("https://api.example/orders", `, body: { a: "${VALUE("note")}" }`)),
    ["workflows.follow: On `order.created`, `note` of `order` now reaches `https://api.example/orders`."],
  ],
  [
    "more in a header",
    follow(call("https://api.example")),
    follow(call("https://api.example", `, headers: { x-note: "${VALUE("note")}" }`)),
    ["workflows.follow: On `order.created`, `note` of `order` now reaches `api.example`."],
  ],
  [
    "another path on the same host",
    follow(call("https://hooks.example/team/1")),
    follow(call("https://hooks.example/team/2")),
    ["workflows.follow: On `order.created`, a message is now sent to `https://hooks.example/team/2`."],
  ],
  [
    "a second workflow to a known host",
    follow(call("https://api.example", `, body: "${VALUE("title")}"`)),
    `${follow(call("https://api.example", `, body: "${VALUE("title")}"`))}  more:\n    on: order.deleted\n    steps: [{ ${call("https://api.example", `, body: "${VALUE("title")}"`)} }]\n`,
    ["workflows.more: On `order.deleted`, `title` of `order` now reaches `api.example`."],
  ],
  [
    "the whole event instead of a body",
    worker(`, body: { title: "${VALUE("title")}" }`),
    worker(""),
    [
      "workers.label: On `order.created`, `id`, `note`, `total`, `email`, `created_by`, `created_at`, `updated_at` and `version` of `order` now reach `https://labels.example/jobs`.",
    ],
  ],
  [
    "more in the payload of an event",
    emit(""),
    emit(`, note: "${VALUE("note")}"`),
    ["workflows.follow: On `order.created`, `note` of `order` now reaches endpoints that receive `order.packed`."],
  ],
  [
    "the same for the same event",
    follow(mail(DESK, VALUE("title"))),
    follow(mail(DESK, `New: ${VALUE("title")}!`)),
    [],
  ],
  ["fewer fields", follow(mail(DESK, `${VALUE("title")} ${VALUE("note")}`)), follow(mail(DESK, VALUE("title"))), []],
  [
    "another name",
    follow(mail(DESK, VALUE("title"))),
    follow(mail(DESK, VALUE("title"))).replace("follow", "tell"),
    [],
  ],
  [
    "a new condition",
    follow(mail(DESK, "x")),
    follow(mail(DESK, "x"), "order.created", "    when: record.total > 3\n"),
    [],
  ],
])("%s", (_, before, after, expected) => {
  expect(named(before, after)).toEqual(expected);
});

test("a new field reaches a receiver of whole events, unless it is internal", () => {
  const added = (field: string): string => ORDER.replace("title: string", `title: string, ${field}`);
  expect(named(worker(""), worker(""), added("colour: string?"))).toEqual([
    "workers.label: On `order.created`, `colour` of `order` now reaches `https://labels.example/jobs`.",
  ]);
  expect(named(worker(""), worker(""), added("colour: string? internal"))).toEqual([]);
});

test("a long list of fields is cut off", () => {
  const many = Array.from({ length: 40 }, (_, i) => `f${i}: int?`).join(", ");
  const [sentence = ""] = named("", worker(""), ORDER.replace("title: string", `title: string, ${many}`));
  expect(sentence).toContain("`f17` and 29 more fields of `order` now reach `https://labels.example/jobs`.");
});
