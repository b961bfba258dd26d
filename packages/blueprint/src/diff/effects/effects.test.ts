// Background work that newly does something with the rights of the service, and background work that doesn't: pairs of
// blueprints with the classes of their changes.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../../check-blueprint.ts";
import type { Model } from "../../model/model.ts";
import type { Change } from "../change.ts";
import { diffModels } from "../diff.ts";
import { protect } from "../protect.ts";

const HEAD = `project: vault
modules: [auth, users, roles, workers, webhooks, audit_logs]
roles:
  support: {}
  lead: {}
`;

const ENTITIES = `
entities:
  request:
    fields:
      title: string
      note: text?
      fee: int? = 0
      cost: text? internal
      user_id: user_ref = current_user.id
      grant_id: ref(grant)?
      status: enum[open, done] = open
    permissions:
      user:
        create: user_id == current_user.id
        read: user_id == current_user.id
        update: user_id == current_user.id
        delete: user_id == current_user.id
      support: { read: { allow: true, fields: [title, fee] } }
      lead: { read: true }
  grant:
    fields:
      label: string
      user_id: user_ref?
      level: int = 0
    permissions:
      user: { read: user_id == current_user.id }
      lead: { all: true }
  secret_note:
    fields:
      text: text
      user_id: user_ref?
      key: text? internal
    permissions:
      lead: { read: true, create: true, update: true }
  board:
    fields: { text: text?, hidden: text? internal, user_id: user_ref? }
    permissions:
      user: { read: true, create: true, update: true, delete: user_id == current_user.id }
`;

function modelOf(sections: string, entities = ENTITIES, head = HEAD): Model {
  const { model, diagnostics } = checkBlueprint(`${head}${entities}${sections}`);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (model === null || errors.length > 0) throw new Error(JSON.stringify(errors.slice(0, 3)));
  return model;
}

function told(before: Model, after: Model): string[] {
  return background(before, after).map(({ path, classes }) => `${path} ${classes.join("+")}`);
}

function background(before: Model, after: Model): readonly Change[] {
  return diffModels(before, after).filter(({ kind }) => kind.startsWith("background_"));
}

const workflow = (steps: string, on = "request.created", more = ""): string =>
  `\nworkflows:\n  follow:\n    on: ${on}\n${more}    steps:\n${steps
    .split("\n")
    .map((line) => `      ${line}\n`)
    .join("")}`;

const none = modelOf("");
const GIVE = `- record.update: { with: { entity: grant, id: "\${{ record.grant_id }}", user_id: "\${{ record.user_id }}" } }`;
const DROP = `- record.delete: { with: { entity: grant, id: "\${{ record.grant_id }}" } }`;
const APPROVED = `- approval: { roles: [lead] }\n${DROP}`;
const SWEEP = (where: string): string =>
  `
workers:
  sweep:
    steps:
      - record.find: { with: { entity: request, where: { ${where} }, limit: 100 } }
      - record.delete: { for_each: "\${{ steps.find }}", with: { entity: request, id: "\${{ each.id }}" } }
  look:
    steps:
      - record.find: { with: { entity: request, where: { status: done }, limit: 100 } }
schedules:
  nightly: { cron: "0 2 * * *", run: RUN }
`;
const ACTION = (access: string, steps: string, more = ""): string =>
  `\nactions:\n  settle:\n    permissions: ${access}\n${more}    steps:\n${steps
    .split("\n")
    .map((line) => `      ${line}\n`)
    .join("")}`;
const OWN = `- record.update: { with: { entity: board, id: "\${{ input.id }}", text: "\${{ input.text }}" } }`;
const AS_SERVICE = `- record.update: { as: service, with: { entity: grant, id: "\${{ input.id }}", level: "\${{ input.level }}" } }`;
const INPUT = "    input: { id: uuid, text: text?, level: { type: int, min: 0, max: 5 } }\n";

describe("is named if it is new or wider", () => {
  test.each<[string, string, string, string[]]>([
    ["a value that a rule reads", "", workflow(GIVE), ["workflows.follow loosens_access"]],
    ["a delete", "", workflow(DROP), ["workflows.follow loosens_access"]],
    [
      "a hidden field in one that others read",
      "",
      workflow(
        `- record.create: { with: { entity: board, text: "\${{ record.note }}", user_id: "\${{ record.user_id }}" } }`,
      ),
      ["workflows.follow loosens_access"],
    ],
    [
      "an internal field in one that others read",
      "",
      workflow(`- record.update: { with: { note: "\${{ record.cost }}" } }`, "request.created"),
      ["workflows.follow loosens_access"],
    ],
    [
      "a value that a step found",
      "",
      workflow(
        `- record.find: { with: { entity: secret_note, where: { user_id: "\${{ record.user_id }}" } } }\n- record.create: { with: { entity: board, text: "\${{ steps.find.text }}" } }`,
      ),
      ["workflows.follow loosens_access"],
    ],
    [
      "no `when`",
      workflow(DROP, "request.created", "    when: record.fee > 3\n"),
      workflow(DROP),
      ["workflows.follow loosens_access"],
    ],
    [
      "a wider `when`",
      workflow(DROP, "request.created", "    when: record.fee > 3\n"),
      workflow(DROP, "request.created", "    when: record.fee > 2\n"),
      ["workflows.follow loosens_access"],
    ],
    [
      "no `if`",
      workflow(DROP.replace("{ with", "{ if: record.fee > 3, with")),
      workflow(DROP),
      ["workflows.follow loosens_access"],
    ],
    ["another event", workflow(DROP), workflow(DROP, "request.updated"), ["workflows.follow loosens_access"]],
    ["no approval", workflow(APPROVED), workflow(DROP), ["workflows.follow loosens_access"]],
    [
      "an approval by a wider role",
      workflow(APPROVED),
      workflow(APPROVED.replace("[lead]", "[lead, user]")),
      ["workflows.follow loosens_access"],
    ],
    [
      "an approval by the person who caused it",
      workflow(APPROVED),
      workflow(APPROVED.replace("[lead]", "[lead], by_self: true")),
      ["workflows.follow loosens_access"],
    ],
    [
      "an approval that a refusal passes",
      workflow(APPROVED),
      workflow(APPROVED.replace("[lead]", "[lead], on_reject: continue")),
      ["workflows.follow loosens_access"],
    ],
    [
      "one of two approvals",
      workflow(`- { id: first, approval: { roles: [lead] } }\n${APPROVED}`),
      workflow(APPROVED),
      ["workflows.follow loosens_access"],
    ],
    [
      "no wait for an event",
      workflow(`- wait_for: { event: grant.updated, timeout: 1d }\n${DROP}`),
      workflow(DROP),
      ["workflows.follow loosens_access"],
    ],
    [
      "a schedule that runs another worker",
      SWEEP("status: done").replace("RUN", "look"),
      SWEEP("status: done").replace("RUN", "sweep"),
      ["workers.sweep loosens_access", "schedules.nightly safe"],
    ],
    [
      "a look-up that finds more",
      SWEEP("status: done, fee: 3").replace("RUN", "sweep"),
      SWEEP("status: done").replace("RUN", "sweep"),
      ["workers.sweep loosens_access"],
    ],
    [
      "a step of an action with the rights of the service",
      ACTION("{ user: true }", OWN, INPUT),
      ACTION("{ user: true }", AS_SERVICE, INPUT),
      ["actions.settle loosens_access"],
    ],
    [
      "more callers of an action",
      ACTION("{ lead: true }", AS_SERVICE, INPUT),
      ACTION("{ lead: true, user: input.level == 0 }", AS_SERVICE, INPUT),
      ["actions.settle loosens_access"],
    ],
    [
      "a wider input of an action",
      ACTION("{ user: true }", AS_SERVICE, INPUT),
      ACTION("{ user: true }", AS_SERVICE, INPUT.replace("max: 5", "max: 9")),
      ["actions.settle loosens_access"],
    ],
    [
      "an answer that shows more",
      ACTION(
        "{ user: true }",
        `- record.find: { as: service, with: { entity: secret_note, user_id: "\${{ current_user.id }}" } }`,
      ),
      ACTION(
        "{ user: true }",
        `- record.find: { as: service, with: { entity: secret_note, user_id: "\${{ current_user.id }}" } }`,
        '    output: { text: "${{ steps.find.text }}" }\n',
      ),
      ["actions.settle loosens_access"],
    ],
    [
      "a step for a failure that always runs now",
      workflow(`- record.update:\n    with: { status: done }\n    on_error:\n      ${DROP}`),
      workflow(`- record.update: { with: { status: done } }\n${DROP}`),
      ["workflows.follow loosens_access"],
    ],
  ])("%s", (_, before, after, expected) => {
    const [was, is] = [modelOf(before), modelOf(after)];
    expect(told(was, is)).toEqual(expected);
    for (const { classes, witness } of background(was, is))
      expect(witness !== undefined).toBe(classes.includes("loosens_access"));
    expect(protect(was, is, "ai").map(({ rule }) => rule)).toContain("effects");
    expect(protect(was, is, "person").map(({ rule }) => rule)).not.toContain("effects");
  });

  test("a rule that lets more people cause it", () => {
    const follow = workflow(DROP);
    const before = modelOf(follow, ENTITIES.replace("create: user_id", "create: fee == 0 && user_id"));
    const changes = background(before, modelOf(follow));
    expect(changes.map(({ kind, path, classes }) => `${kind} ${path} ${classes.join()}`)).toEqual([
      "background_widened workflows.follow loosens_access",
    ]);
    expect(changes[0]?.witness?.summary).toBe(
      "On `request.created`, which a `user` can cause, the service deletes a `grant`, and more people can cause it now.",
    );
  });

  test("a service that can cause an event for the first time", () => {
    const head = `${HEAD}events:\n  grant.asked: { payload: { grant_id: uuid } }\n`;
    const work = `${workflow(DROP.replace("record.grant_id", "event.data.grant_id"), "grant.asked")}  ask:
    on: request.created
    steps: [{ event.emit: { with: { name: grant.asked, payload: { grant_id: "\${{ record.grant_id }}" } } } }]
`;
    const inbound = `webhooks:\n  in:\n    desk: { verify: stripe, type: body.type, events: { asked: grant.asked } }\n`;
    const changes = background(modelOf(work, ENTITIES, head), modelOf(`${work}${inbound}`, ENTITIES, head));
    expect(changes.map(({ kind, path, classes }) => `${kind} ${path} ${classes.join()}`)).toEqual([
      "background_widened workflows.follow loosens_access",
      "background_added webhooks.in.desk safe",
    ]);
    expect(changes[0]?.witness?.role).toBe("public");
  });

  test("work that follows from other work", () => {
    const chain = (first: string): string =>
      `${workflow(first)}  then:\n    on: secret_note.created\n    steps:\n      - record.delete: { with: { entity: grant, id: "\${{ record.id }}" } }\n`;
    const changes = background(
      modelOf(chain("- audit.write")),
      modelOf(chain(`- record.create: { with: { entity: secret_note, text: x } }`)),
    );
    expect(changes.map(({ path, classes }) => `${path} ${classes.join()}`)).toEqual([
      "workflows.follow loosens_access",
      "workflows.then loosens_access",
    ]);
  });

  test("by its operation, target, value and cause", () => {
    const [change] = background(none, modelOf(workflow(GIVE)));
    expect(change?.summary).toBe("Add the workflow `follow`.");
    expect(change?.witness).toMatchObject({
      role: "user",
      operation: "update",
      entity: "grant",
      decided: true,
      summary:
        "On `request.created`, which a `user` can cause, the service now sets `user_id` of a `grant` to `record.user_id`.",
    });
  });
});

describe("is nothing", () => {
  test.each<[string, string, string]>([
    [
      "another retry and delay",
      workflow(DROP),
      workflow(DROP.replace("{ with", "{ retry: { attempts: 7 }, delay: 5m, with")),
    ],
    ["another name of a step", workflow(APPROVED), workflow(APPROVED.replace("{ with", "{ id: gone, with"))],
    ["a removed step", workflow(`${DROP}\n- audit.write`), workflow("- audit.write")],
    ["a new condition", workflow(DROP), workflow(DROP, "request.created", "    when: record.fee > 3\n")],
    ["a new approval", workflow(DROP), workflow(APPROVED)],
    ["a second approval", workflow(APPROVED), workflow(`- { id: first, approval: { roles: [support] } }\n${APPROVED}`)],
    ["fewer approvers", workflow(APPROVED.replace("[lead]", "[lead, support]")), workflow(APPROVED)],
    [
      "the same condition in the step",
      workflow(DROP, "request.created", "    when: record.fee > 3\n"),
      workflow(DROP.replace("{ with", "{ if: record.fee > 3, with")),
    ],
    [
      "a look-up that finds less",
      SWEEP("status: done").replace("RUN", "sweep"),
      SWEEP("status: done").replace("RUN", "look"),
    ],
    [
      "another name of a worker",
      SWEEP("status: done").replace("RUN", "sweep"),
      SWEEP("status: done").replace("RUN", "tidy").replace("  sweep:", "  tidy:"),
    ],
    ["an action with the rights of its caller", "", ACTION("{ user: true }", OWN, INPUT)],
    [
      "an action with fewer callers",
      ACTION("{ user: true }", AS_SERVICE, INPUT),
      ACTION("{ user: input.level < 3 }", AS_SERVICE, INPUT),
    ],
    [
      "a narrower input",
      ACTION("{ user: true }", AS_SERVICE, INPUT),
      ACTION("{ user: true }", AS_SERVICE, INPUT.replace("max: 5", "max: 4")),
    ],
    ["what every causer could do", "", workflow(`- record.create: { with: { entity: board, text: hello } }`)],
    ["what the causer could do with this record", "", workflow(`- record.update: { with: { fee: 3 } }`)],
    [
      "a copy that the same people read",
      "",
      workflow(`- record.update: { with: { text: "\${{ record.text }} again" } }`, "board.created"),
    ],
    [
      "a copy into a hidden field",
      "",
      workflow(`- record.create: { with: { entity: board, hidden: "\${{ record.note }}" } }`),
    ],
  ])("%s", (_, before, after) => {
    const classes = background(modelOf(before), modelOf(after)).flatMap((one) => one.classes);
    expect(classes.filter((one) => one === "loosens_access" || one === "widens_egress")).toEqual([]);
  });

  test("what is written to a new entity, if its readers could read the source", () => {
    const added = `${ENTITIES}  visit:\n    fields: { title: string, note: text? }\n    permissions: { lead: { read: true } }\n`;
    const step = (value: string): string =>
      workflow(`- record.create: { with: { entity: visit, title: x, note: "\${{ record.${value} }}" } }`);
    expect(told(none, modelOf(step("note"), added))).toEqual(["workflows.follow safe"]);
    expect(told(none, modelOf(step("cost"), added))).toEqual(["workflows.follow loosens_access"]);
  });

  test("a new name of a field that steps found", () => {
    const renamed = ENTITIES.replace("label: string", "name: string was(label)");
    const found = (name: string): string =>
      workflow(
        `- record.find: { with: { entity: grant, where: { user_id: "\${{ record.user_id }}" } } }\n- record.create: { if: "steps.find.${name} != null", with: { entity: secret_note, text: "\${{ steps.find.${name} }}" } }`,
      );
    expect(told(modelOf(found("label")), modelOf(found("name"), renamed))).toEqual([]);
  });

  test("only what every causer could do at once, if it happens later", () => {
    const own = `- record.update: { with: { fee: 3 } }`;
    expect(told(none, modelOf(workflow(own)))).toEqual(["workflows.follow safe"]);
    expect(told(none, modelOf(workflow(`- delay: 5m\n${own}`)))).toEqual(["workflows.follow loosens_access"]);
  });

  test("an edit of an action, for its callers", () => {
    const output = '    output: { id: "${{ input.id }}" }\n';
    const before = modelOf(ACTION("{ user: true }", AS_SERVICE, INPUT + output));
    const safe = modelOf(
      ACTION(
        "{ user: true }",
        `${AS_SERVICE}\n- audit.write`,
        INPUT.replace("max: 5", "max: 5, label: Level") + output,
      ),
    );
    expect(told(before, safe).map((one) => one.split(" ")[1])).toEqual(["safe"]);
    const less = modelOf(ACTION("{ user: true }", AS_SERVICE, INPUT));
    expect(told(before, less)).toEqual(["actions.settle breaking"]);
    const needed = modelOf(ACTION("{ user: true }", AS_SERVICE, INPUT.replace("text?", "text") + output));
    expect(told(before, needed)).toEqual(["actions.settle breaking"]);
  });
});
