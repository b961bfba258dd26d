// Events of modules: what a workflow can read of them, and that no blueprint can declare or emit them.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

// The diagnostics of incomplete snippets.
const unasked = ["entity_unused", "module_not_served"];

function blueprint(sections: string, modules = "users, auth, organizations"): string {
  return `project: demo
modules: [${modules}, roles, storage, webhooks, workers, audit_logs]
entities:
  shipment:
    fields: { tracking_number: string? }
${sections}
`;
}

function codesIn(text: string): string[] {
  return checkBlueprint(text).diagnostics.flatMap(({ code }) => (unasked.includes(code) ? [] : [code]));
}

const workflow = (steps: string, on = "shipment.created"): string =>
  `workflows:\n  flow:\n    on: ${on}\n    steps:\n      ${steps}`;

describe("events of modules", () => {
  const note = (text: string): string => `- audit.write: { with: { note: "\${{ ${text} }}" } }`;
  const codes = (on: string, steps: string, modules?: string): string[] =>
    codesIn(blueprint(workflow(steps, on), modules));

  test("start a workflow, which can read the record and the event's data", () => {
    expect(codes("user.created", note("record.email"))).toEqual([]);
    expect(codes("user.updated", note("old.name"))).toEqual([]);
    expect(
      codes("user.roles_changed", '- audit.write: { if: "size(event.data.roles) > 1", with: { note: a } }'),
    ).toEqual([]);
    expect(codes("organization.member_added", note("event.data.role == owner ? record.name : event.name"))).toEqual([]);
    expect(codes("organization.invitation_accepted", note("event.data.email"))).toEqual([]);
  });

  test("contain no other data", () => {
    expect(codes("user.created", note("record.password_hash"))).toEqual(["unknown_name"]);
    expect(codes("user.created", note("event.data.email"))).toEqual(["unknown_name"]);
    expect(codes("organization.invitation_created", note("event.data.token"))).toEqual(["unknown_name"]);
  });

  test("exist for the listed modules only", () => {
    expect(codes("organization.created", note("record.name"), "users")).toContain("unknown_event");
    expect(codes("user.created", note("record.email"), "users")).toContain("unknown_event");
    expect(codes("user.updated", note("record.email"), "users")).toEqual([]);
  });

  test("can't be declared or emitted by a step", () => {
    expect(codesIn(blueprint("events:\n  user.created: {}"))).toEqual(["event_exists"]);
    expect(codesIn(blueprint(workflow("- event.emit: { with: { name: user.created } }")))).toEqual(["unknown_event"]);
  });
});
