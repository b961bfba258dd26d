// For tests: a project with every kind of action that is one transaction, its callers, and a check that a refusal
// changes nothing.
import assert from "node:assert/strict";
import { createWorkBudget } from "../../../events/work-budget.ts";
import {
  createTestCell,
  keyPrincipal,
  type TestCell,
  type TestProject,
  type TestReply,
} from "../../../http/testing/test-cell.ts";
import { createSecretBox } from "../../../identity/secret-box.ts";
import type { OperatorPrincipal } from "../../../project/principal.ts";
import { createModuleRoutes } from "../../module-routes.ts";
import { actionHandlers } from "../routes.ts";

const blueprint = `project: desk
modules: [auth, users, roles, workers, audit_logs]
roles:
  clerk:
users:
  fields:
    desk: string?
entities:
  account:
    fields:
      name: string unique
      owner_id: user_ref?
      balance: money(EUR) = 0.00
    checks:
      solvent: balance >= 0
    permissions:
      user: { read: owner_id == current_user.id, update: owner_id == current_user.id, create: true }
      clerk: { read: true, create: true, update: name != "vault" }
      admin: { all: true }
  entry:
    fields:
      account_id: ref(account)
      amount: money(EUR)
      memo: string?
    permissions:
      clerk: { create: true }
      admin: { all: true }
  parcel:
    fields:
      code: string
      status: enum[packed, sent, lost] = packed
    transitions:
      status:
        initial: packed
        send: { from: packed, to: sent, roles: [clerk] }
        lose: { from: sent, to: lost }
    soft_delete: true
    permissions:
      clerk: { read: true, create: true, delete: true }
  label:
    fields:
      parcel_id: { type: ref(parcel), on_delete: cascade }
    soft_delete: true
  page:
    fields:
      body: text
    permissions:
      clerk: { read: { allow: true, fields: [id, created_at] } }
      admin: { read: true }
events:
  booking.made:
    payload: { amount: money(EUR) }
workers:
  hear:
    on: [account.created, booking.made]
    steps: [audit.write]
actions:
  book:
    input:
      account_id: ref(account)
      amount: { type: money(EUR), min: -1000 }
      memo: { type: string?, pattern: "^[a-z ]+$" }
      pin: { type: int?, pii: true }
    permissions:
      clerk: true
      user: account_id.owner_id == current_user.id && input.amount < 100
    steps:
      - id: add
        action: record.create
        as: service
        with: { entity: entry, values: { account_id: "\${{ input.account_id }}", amount: "\${{ input.amount }}", memo: "\${{ input.memo }}" } }
      - id: found
        action: record.find
        with: { entity: account, where: { id: "\${{ input.account_id }}" } }
      - id: move
        action: record.update
        with: { entity: account, id: "\${{ input.account_id }}", values: { balance: "\${{ input.amount }}" } }
      - event.emit: { with: { name: booking.made, payload: { amount: "\${{ input.amount }}" } } }
    output:
      entry: \${{ steps.add.id }}
      balance: \${{ steps.move.balance }}
      before: \${{ steps.found.balance }}
  add-up:
    input: { account_id: ref(account), amount: money(EUR) }
    permissions: { clerk: true }
    steps:
      - record.find: { with: { entity: account, where: { id: "\${{ input.account_id }}" } } }
      - record.update: { with: { entity: account, id: "\${{ input.account_id }}", balance: "\${{ steps.find.balance + input.amount }}" } }
  open-own:
    input: { name: string }
    permissions: { user: true }
    steps:
      - record.create: { with: { entity: account, name: "\${{ input.name }}", owner_id: "\${{ current_user.id }}" } }
    output: { id: "\${{ steps.create.id }}", desk: "\${{ current_user.desk }}", by: "\${{ current_user.email }}" }
  hello:
    permissions: { public: true }
    steps: [audit.write: { with: { note: hello } }]
  many:
    input:
      names: list<string>
      on: bool = true
      size: enum[small, large] = small
    permissions: { clerk: true }
    steps:
      - id: one
        action: record.create
        for_each: \${{ input.names }}
        if: input.on
        on_error: continue
        with: { entity: account, name: "\${{ each }}" }
    output: { made: "\${{ size(steps.one) }}", size: "\${{ input.size }}" }
  rescue:
    input: { name: string }
    permissions: { clerk: true }
    steps:
      - id: one
        action: record.create
        with: { entity: account, name: "\${{ input.name }}" }
        on_error:
          - id: other
            action: record.create
            with: { entity: account, name: "\${{ input.name }} again" }
  rename:
    input: { id: uuid, name: string }
    permissions: { user: true }
    steps: [record.update: { with: { entity: account, id: "\${{ input.id }}", values: { name: "\${{ input.name }}" } } }]
  peek:
    input: { id: uuid }
    permissions: { user: true }
    steps:
      - { id: own, action: record.find, with: { entity: account, where: { id: "\${{ input.id }}" } } }
      - { id: any, action: record.find, as: service, with: { entity: account, where: { id: "\${{ input.id }}" } } }
    output: { own: "\${{ steps.own.name }}", any: "\${{ steps.any.name }}" }
  ship:
    input: { parcel: uuid }
    permissions: { clerk: true, user: true }
    steps:
      - record.transition: { with: { entity: parcel, id: "\${{ input.parcel }}", edge: send } }
    output: \${{ steps.transition.status }}
  drop:
    input: { parcel: uuid }
    permissions: { clerk: true }
    steps:
      - record.delete: { with: { entity: parcel, id: "\${{ input.parcel }}" } }
  read-all:
    permissions: { admin: true }
    steps: [record.find: { with: { entity: page, where: {}, limit: 1000 } }]
    output: \${{ size(steps.find) }}
  seek:
    input: { body: text }
    permissions: { clerk: true, admin: true }
    steps: [record.find: { with: { entity: page, where: { body: "\${{ input.body }}" } } }]
    output: \${{ steps.find.id }}
  keep:
    input: { key: secret, at: date?, note: json? }
    permissions: { clerk: true }
    steps: [audit.write]
    output: { at: "\${{ input.at }}" }
`;

export interface Desk {
  readonly cell: TestCell;
  readonly project: TestProject;
  /** The id of the user of that name. `ben` is another user; `key`, `admin`, `visitor` and `viewer` aren't users. */
  readonly ana: string;
  call(as: string | null, action: string, input?: unknown, headers?: Record<string, string>): Promise<TestReply>;
  /** Asserts that nothing was written: no row, no event, no line of the audit log, no reply. */
  refused(status: number, code: string, ...sent: Parameters<Desk["call"]>): Promise<TestReply>;
  /** Creates an account, and returns its id. */
  account(name: string, owner?: string | null): Promise<string>;
  close(): Promise<void>;
}

export async function openDesk(): Promise<Desk> {
  let next = 0;
  const modules = createModuleRoutes(
    actionHandlers({
      scopeOf: (projectId) => cell.tenants.forProject({ projectId }),
      secretBox: createSecretBox(Buffer.alloc(32, 1)),
      newId: () => `0190b3c2-6a7e-7d51-8f0e-${(++next).toString(16).padStart(12, "0")}`,
      now: Date.now,
      budget: createWorkBudget(),
      onDue: () => {},
    }),
  );
  const cell = await createTestCell({ modules });
  const project = await cell.addProject(blueprint);
  await cell.rows(project, "insert into {schema}.workers__listeners values ('account.created'), ('booking.made')");
  const ana = await cell.addUser("ana", project, ["owner", "user"]);
  await cell.rows(project, "update {schema}.users set desk = 'left' where id = $1", [ana]);
  await cell.addUser("ben", project, ["owner", "user"]);
  cell.addCaller("key", project, keyPrincipal("key_clerk", ["clerk"]));
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("visitor", project, keyPrincipal("key_pub", []));
  const viewer: OperatorPrincipal = { kind: "operator", email: "v@example.com", roles: ["clerk"], readOnly: true };
  cell.addCaller("viewer", project, viewer);
  const call: Desk["call"] = (as, action, input, headers = {}) =>
    cell.send(as, "POST", `/v1/actions/${action}`, input, headers);
  return {
    cell,
    project,
    ana,
    call,
    async refused(status, code, ...sent) {
      const outbox = "select count(*)::int as n from plinth.outbox";
      const before = [await cell.fingerprint(project), await cell.rows(project, outbox)];
      const reply = await call(...sent);
      assert.deepEqual([reply.status, reply.json?.code], [status, code], reply.text);
      assert.deepEqual(
        [await cell.fingerprint(project), await cell.rows(project, outbox)],
        before,
        "it left something",
      );
      return reply;
    },
    async account(name, owner = null) {
      const [row] = await cell.rows(
        project,
        "insert into {schema}.accounts (id, name, owner_id) values (gen_random_uuid(), $1, $2) returning id",
        [name, owner],
      );
      return row?.["id"] as string;
    },
    close: () => cell.close(),
  };
}
