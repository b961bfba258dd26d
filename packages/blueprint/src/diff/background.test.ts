// The classes of changed background parts.
import { describe, expect, test } from "vitest";
import type { Action, BackgroundPart, Template } from "../model/background.ts";
import type { Field, FieldType, Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import {
  currentUser,
  fieldOf,
  grant,
  literal,
  op,
  sampleAction,
  sampleEntity,
  sampleField,
  sampleModel,
  sampleStep,
  sampleWorkflow,
  yes,
} from "./testing/samples.ts";

const status: FieldType = { kind: "enum", values: ["draft", "active", "sold"] };
const price: FieldType = { kind: "int" };
const fields: readonly Field[] = [sampleField("status", status), sampleField("price", price, { optional: true })];
const permissions = [grant("public", "read", yes), grant("user", "update", yes), grant("user", "create", yes)];
const plain = sampleModel([sampleEntity("listing", fields, { permissions })]);
const withParts = (more: Partial<Model["background"]>): Model => ({
  ...plain,
  background: { ...plain.background, ...more },
});

function told(before: Model, after: Model): string[] {
  return diffModels(before, after).map((one) => `${one.kind} ${one.path} ${one.classes.join("+")}`);
}

describe("background parts", () => {
  const part = (
    name: string,
    declaration: BackgroundPart["declaration"],
    ...egress: BackgroundPart["egress"]
  ): BackgroundPart => ({ name, declaration, egress });
  const quiet = sampleWorkflow("tell");
  const priceOf: Template = { kind: "value", expression: fieldOf(price, "price") };
  const mail = sampleWorkflow("tell", {
    steps: [
      sampleStep("send", {
        kind: "email.send",
        connection: null,
        to: { kind: "literal", value: "desk@shop.example" },
        toUser: null,
        replyTo: null,
        subject: { kind: "literal", value: "Sold" },
        text: priceOf,
        html: null,
        template: null,
        values: null,
        language: null,
      }),
    ],
  });
  const reaching = (name: string, host: string) => {
    const url: Template = { kind: "literal", value: `https://${host}` };
    const action = { method: "POST", url, headers: {}, body: priceOf, signed: false, repeat: "unsafe" } as const;
    return sampleWorkflow(name, { steps: [sampleStep("call", { kind: "http.request", ...action })] });
  };
  const call = (url: string) => reaching("w", url.slice("https://".length));
  const target: Template = { kind: "literal", value: "01980000-0000-7000-8000-000000000000" };
  const drop = sampleStep("drop", { kind: "record.delete", entity: "listing", id: target });
  const deleting = (access: Action["access"], more: Partial<Action> = {}) =>
    sampleAction("buy", access, { steps: [drop], ...more });

  test("name a host that receives data for the first time", () => {
    const [change] = diffModels(withParts({}), withParts({ workers: [reaching("tell", "a.example")] }));
    expect(change?.summary).toBe(
      "Add the worker `tell`. On `listing.created`, `price` of `listing` now reaches `a.example`.",
    );
  });

  test.each<[string, Partial<Model["background"]>, Partial<Model["background"]>, string[]]>([
    ["one that keeps to itself", {}, { workflows: [quiet] }, ["background_added workflows.tell safe"]],
    ["kept shorter", {}, { retentionDays: 7 }, ["background_changed work.retention destructive"]],
    ["kept longer", { retentionDays: 7 }, {}, ["background_changed work.retention safe"]],
    ["one that sends", {}, { workflows: [mail] }, ["background_added workflows.tell widens_egress"]],
    [
      "one that begins to send",
      { workflows: [quiet] },
      { workflows: [mail] },
      ["background_changed workflows.tell widens_egress"],
    ],
    [
      "a second that sends the same",
      { workflows: [mail] },
      { workflows: [mail, { ...mail, name: "more" }] },
      ["background_added workflows.more safe"],
    ],
    [
      "one that sends elsewhere",
      { workers: [call("https://a.example")] },
      { workers: [call("https://b.example")] },
      ["background_changed workers.w widens_egress"],
    ],
    [
      "a second that sends the same to another host",
      { workers: [reaching("one", "a.example")] },
      { workers: [reaching("one", "a.example"), reaching("two", "b.example")] },
      ["background_added workers.two widens_egress"],
    ],
    ["one that stops", { workflows: [mail] }, {}, ["background_removed workflows.tell breaking"]],
    [
      "an action for users that deletes",
      {},
      { actions: [deleting({ user: yes })] },
      ["background_added actions.buy loosens_access"],
    ],
    [
      "an action for users that only leaves a note",
      {},
      { actions: [sampleAction("buy", { user: yes })] },
      ["background_added actions.buy safe"],
    ],
    [
      "an action for fewer users",
      { actions: [sampleAction("buy", { user: yes })] },
      { actions: [sampleAction("buy", { user: op("==", currentUser, literal(null)) })] },
      ["background_changed actions.buy breaking"],
    ],
    [
      "an action that does something else",
      { actions: [sampleAction("buy", { user: yes })] },
      { actions: [deleting({ user: yes }, { mode: "async" })] },
      ["background_changed actions.buy loosens_access+breaking"],
    ],
    [
      "an action that nobody could or can call",
      { actions: [sampleAction("buy", {})] },
      { actions: [sampleAction("buy", {}, { mode: "async" })] },
      ["background_changed actions.buy breaking"],
    ],
    [
      "an inbound webhook that believes others",
      { inboundWebhooks: [part("paid", { verify: "stripe" })] },
      { inboundWebhooks: [part("paid", { verify: "none" })] },
      ["background_changed webhooks.in.paid loosens_access+breaking"],
    ],
  ])("%s", (_, before, after, expected) => {
    expect(told(withParts(before), withParts(after))).toEqual(expected);
  });

  test("an action for new callers names the input that they can send", () => {
    const input = [sampleField("count", price)];
    const below = (count: number): Model => {
      const rule = op("<", fieldOf(price, "count", "input"), literal(count));
      return withParts({ actions: [deleting({ user: rule }, { input })] });
    };
    const [opened] = diffModels(below(5), below(10));
    expect(opened?.classes).toEqual(["loosens_access"]);
    expect(opened?.witness).toMatchObject({ role: "user", entity: "buy", decided: true, record: { count: 5 } });
    expect(diffModels(below(10), below(5)).map((one) => one.classes)).toEqual([["breaking"]]);
  });

  test("are shown in the form of the blueprint", () => {
    const expression = fieldOf({ kind: "uuid" }, "id");
    const note = sampleStep("write", {
      kind: "audit.write",
      note: {
        kind: "object",
        members: { of: { kind: "value", expression }, as: { kind: "text", parts: ["it is ", expression] } },
      },
    });
    const when = op("==", fieldOf(status, "status"), literal("sold"));
    const [change] = diffModels(
      withParts({}),
      withParts({ workflows: [sampleWorkflow("tell", { when, steps: [note] })] }),
    );
    expect(change?.after).toMatchObject({
      on: ["listing.created"],
      when: 'record.status == "sold"',
      steps: [{ action: { kind: "audit.write", note: { of: "${{ record.id }}", as: "it is ${{ record.id }}" } } }],
    });
  });

  test("have a summary that names the data and its target", () => {
    const [change] = diffModels(withParts({}), withParts({ workflows: [mail] }));
    expect(change?.summary).toBe(
      "Add the workflow `tell`. On `listing.created`, `price` of `listing` now reaches `desk@shop.example` by mail.",
    );
  });
});
