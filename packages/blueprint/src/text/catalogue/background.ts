// Diagnostics of the background sections.
import { type DiagnosticKind, error, listing, warning } from "./kind.ts";

export type BackgroundCode =
  | "unknown_event"
  | "event_exists"
  | "unknown_action"
  | "unknown_worker"
  | "unknown_connection"
  | "unknown_email_template"
  | "connection_missing"
  | "connection_unused"
  | "unknown_step"
  | "duplicate_step"
  | "invalid_step"
  | "invalid_step_value"
  | "step_value_missing"
  | "invalid_template"
  | "foreign_template"
  | "invalid_lookup"
  | "event_never_comes"
  | "work_never_starts"
  | "action_without_caller"
  | "private_host"
  | "step_never_runs"
  | "approval_always_given"
  | "wait_compares_itself"
  | "endless_work"
  | "circular_work"
  | "schedule_without_event"
  | "literal_credential"
  | "invalid_duration"
  | "invalid_option"
  | "invalid_schedule"
  | "unsigned_dedupe"
  | "invalid_webhook";

function withSections(lines: string): string {
  const text = `${listing("status: string?")}${lines}\n`;
  return text.replace(
    "modules: [auth, users, roles, audit_logs]",
    "modules: [auth, users, roles, webhooks, workers, audit_logs]",
  );
}

/** A worker with these steps that runs for each new listing. */
function worker(...steps: readonly string[]): string {
  return withSections(
    `workers:\n  greet:\n    on: listing.created\n    steps:\n${steps.map((step) => `      - ${step}\n`).join("")}`.trimEnd(),
  );
}

const declared = "events:\n  listing.promoted: {}\n";

const schedule = (cron: string, run = "greet"): string =>
  `${worker("audit.write").replace("    on: listing.created\n", "")}schedules:\n  nightly: { cron: "${cron}", run: ${run} }\n`;

export const backgroundDiagnostics: Readonly<Record<BackgroundCode, DiagnosticKind>> = {
  unknown_event: error(
    "A declared event that nothing emits",
    withSections("workflows:\n  greet: { on: listing.sold, steps: [audit.write] }"),
    withSections("workflows:\n  greet: { on: listing.created, steps: [audit.write] }"),
  ),
  event_exists: error(
    "A declared event that an entity already emits",
    withSections("events:\n  listing.created: {}"),
    withSections("events:\n  listing.promoted: {}"),
  ),
  unknown_action: error("An action that does not exist", worker("audit.rite"), worker("audit.write")),
  unknown_worker: error(
    "A worker or workflow that does not exist",
    schedule("0 2 * * *", "great"),
    schedule("0 2 * * *", "greet"),
  ),
  unknown_email_template: error(
    "An e-mail template that is not declared",
    `${worker('{ action: email.send, with: { to: "ana@example.com", template: welcom } }')}emails:\n  welcome: { subject: Hello, body: Hello. }\n`,
    `${worker('{ action: email.send, with: { to: "ana@example.com", template: welcome } }')}emails:\n  welcome: { subject: Hello, body: Hello. }\n`,
  ),
  unknown_connection: error(
    "A connection that no integration names",
    `${worker("{ action: audit.write, connection: shiping }")}integrations:\n  shipping: { kind: parcel, provider: easypost }\n`,
    `${worker("audit.write")}integrations:\n  shipping: { kind: parcel, provider: easypost }\n`,
  ),
  connection_unused: warning(
    "A connection on a step that uses none",
    `${worker("{ action: audit.write, connection: shipping }")}integrations:\n  shipping: { kind: parcel, provider: easypost }\n`,
    `${worker("audit.write")}integrations:\n  shipping: { kind: parcel, provider: easypost }\n`,
  ),
  connection_missing: error(
    "An action of a provider without an integration",
    `${worker("easypost.buy_label")}integrations:\n  pay: { kind: payment, provider: stripe }\n`,
    `${worker("audit.write")}integrations:\n  pay: { kind: payment, provider: stripe }\n`,
  ),
  unknown_step: error(
    "A step that has not run yet",
    worker('{ action: audit.write, with: { note: "${{ steps.updat.id }}" } }'),
    worker(
      "record.update: { with: { status: new } }",
      '{ action: audit.write, with: { note: "${{ steps.update.id }}" } }',
    ),
  ),
  duplicate_step: error(
    "Two steps with the same name",
    worker("audit.write", "audit.write"),
    worker("audit.write", "{ id: write_again, action: audit.write }"),
  ),
  invalid_step: error(
    "A step that is not valid",
    worker("{ audit.write: {}, record.delete: {} }"),
    worker("audit.write: {}", "record.delete: {}"),
  ),
  invalid_step_value: error(
    "A value that is not valid for its field",
    worker("record.update: { with: { status: 5 } }"),
    worker("record.update: { with: { status: new } }"),
  ),
  step_value_missing: error(
    "A missing value of a new record or an event",
    withSections(
      "events:\n  listing.promoted: { payload: { by: string } }\nworkflows:\n  promote: { on: listing.created, steps: [{ action: event.emit, with: { name: listing.promoted } }] }",
    ),
    withSections(
      "events:\n  listing.promoted: { payload: { by: string } }\nworkflows:\n  promote: { on: listing.created, steps: [{ action: event.emit, with: { name: listing.promoted, payload: { by: us } } }] }",
    ),
  ),
  invalid_template: error(
    "An unclosed `${{` or an extra `}}`",
    worker('record.update: { with: { status: "${{ record.status" } }'),
    worker('record.update: { with: { status: "${{ record.status }}" } }'),
  ),
  foreign_template: warning(
    "The braces of another template language",
    worker('record.update: { with: { status: "{{ record.title }}" } }'),
    worker('record.update: { with: { status: "${{ record.title }}" } }'),
  ),
  invalid_lookup: error(
    "A look-up that doesn't find one record",
    withSections("workflows:\n  greet:\n    on: user.created\n    record: { listing: {} }\n    steps: [audit.write]"),
    withSections(
      "workflows:\n  greet:\n    on: user.created\n    record: { listing: { title: first } }\n    steps: [audit.write]",
    ),
  ),
  event_never_comes: warning(
    "An event that something waits for, but that nothing emits",
    withSections(`${declared}workflows:\n  greet: { on: listing.promoted, steps: [audit.write] }`),
    withSections(
      `${declared}workflows:\n  greet: { on: listing.promoted, steps: [audit.write] }\n  promote: { on: listing.created, steps: [event.emit: { with: { name: listing.promoted } }] }`,
    ),
  ),
  work_never_starts: warning(
    "A worker or workflow that nothing starts",
    withSections("workflows:\n  greet: { on: manual, steps: [audit.write] }"),
    withSections("workflows:\n  greet: { on: listing.created, steps: [audit.write] }"),
  ),
  action_without_caller: warning(
    "An action that nobody can call",
    withSections("actions:\n  greet: { steps: [audit.write] }"),
    withSections("actions:\n  greet: { permissions: { user: true }, steps: [audit.write] }"),
  ),
  private_host: warning(
    "A call to an address that is not public",
    withSections("workers:\n  greet:\n    on: listing.created\n    http: { url: 'http://localhost:4000/jobs' }"),
    withSections("workers:\n  greet:\n    on: listing.created\n    http: { url: 'https://example.com/jobs' }"),
  ),
  step_never_runs: warning(
    "A step with a condition that is never true",
    worker("{ action: audit.write, if: false }"),
    worker("{ action: audit.write, if: record.status == null }"),
  ),
  approval_always_given: warning(
    "A condition on an approval that is always true",
    worker("approval: { roles: admin }", "{ action: audit.write, if: steps.approve.approved }"),
    worker("approval: { roles: admin, on_reject: continue }", "{ action: audit.write, if: steps.approve.approved }"),
  ),
  wait_compares_itself: warning(
    "A wait that compares the event with itself",
    worker("wait_for: { event: listing.updated, if: event.record_id == record.id }"),
    worker("wait_for: { event: listing.updated, if: record.id == run.record.id }"),
  ),
  endless_work: error(
    "Work that starts itself again without end",
    withSections("workflows:\n  touch: { on: listing.updated, steps: [record.update: { with: { status: seen } }] }"),
    withSections("workflows:\n  touch: { on: listing.created, steps: [record.update: { with: { status: seen } }] }"),
  ),
  circular_work: warning(
    "Work that starts itself under a condition",
    withSections(
      "workflows:\n  touch: { on: listing.updated, when: record.status == null, steps: [record.update: { with: { status: seen } }] }",
    ),
    withSections("workflows:\n  touch: { on: listing.created, steps: [record.update: { with: { status: seen } }] }"),
  ),
  schedule_without_event: error(
    "A schedule for work that needs an event",
    `${worker("audit.write")}schedules:\n  nightly: { cron: "0 2 * * *", run: greet }\n`,
    schedule("0 2 * * *"),
  ),
  literal_credential: warning(
    "A credential in the blueprint",
    withSections(
      "workers:\n  greet:\n    on: listing.created\n    http: { url: 'https://example.com/jobs', headers: { authorization: Bearer 1234 } }",
    ),
    withSections("workers:\n  greet:\n    on: listing.created\n    http: { url: 'https://example.com/jobs' }"),
  ),
  invalid_duration: error(
    "A duration that is not valid",
    worker("{ action: audit.write, timeout: soon }"),
    worker("{ action: audit.write, timeout: 30s }"),
  ),
  invalid_option: error(
    "A value that this key does not accept",
    worker("{ action: audit.write, on_error: ignore }"),
    worker("{ action: audit.write, on_error: continue }"),
  ),
  invalid_schedule: error(
    "A schedule with a time that never comes, or an unknown time zone",
    schedule("0 25 * * *"),
    schedule("0 2 * * *"),
  ),
  unsigned_dedupe: warning(
    "A request id that is not signed",
    withSections("webhooks:\n  in:\n    shop: { verify: github, dedupe: headers.x-github-delivery }"),
    withSections("webhooks:\n  in:\n    shop: { verify: github, dedupe: body.id }"),
  ),
  invalid_webhook: error(
    "A webhook that can't be verified or read",
    withSections("webhooks:\n  in:\n    shop: { verify: strip, type: body.type }"),
    withSections("webhooks:\n  in:\n    shop: { verify: stripe, type: body.type }"),
  ),
};
