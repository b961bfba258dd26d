// The keys of the background sections. Only data.
import {
  anyOf,
  bareMap,
  boolean,
  integer,
  type KeyShape,
  key,
  listOf,
  map,
  named,
  names,
  oneOrMore,
  rule,
  type Shape,
  shape,
  template,
  text,
  value,
  words,
} from "./shape.ts";

const retry = key(
  "How often and when it is retried.",
  anyOf(
    integer,
    map({
      attempts: key("The number of attempts in total.", integer),
      backoff: key("How the pauses between attempts grow.", words("constant", "linear", "exponential")),
      delay: key("The first pause, such as `30s`.", text),
      max_delay: key("The longest pause.", text),
    }),
  ),
);

export const stepKeys: Readonly<Record<string, KeyShape>> = {
  id: key("The name of the step in `steps.<id>`. The default is the last word of the action.", text),
  action: key("The action of the step, such as `record.update`.", named("action")),
  connection: key("Which connection of the integration it uses.", named("connection")),
  with: key("The input of the action. `${{ ... }}` is computed.", names("input", value)),
  if: key(
    "The step runs only if this is true. With `for_each`, it can be a condition on `each`, for each member.",
    rule,
  ),
  retry,
  timeout: key("The maximum time for one attempt, such as `30s`.", text),
  on_error: key(
    "What happens after a failure: `fail`, `continue`, or a list of steps. These steps can read the cause as `error`.",
    anyOf(words("fail", "continue"), listOf(shape("step"))),
  ),
  for_each: key("A list. The step runs for each member, which is named `each`.", anyOf(template, listOf(value))),
  max_parallel: key("How many members it handles at the same time.", integer),
  delay: key(
    "How long the step waits before it runs, such as `5m`, or until which time.",
    anyOf(
      text,
      map({
        until: { ...key("The time, such as `record.due_at`.", rule), required: true },
        before: key("How long before that time, such as `1d`.", text),
        after: key("How long after that time, such as `2h`.", text),
      }),
    ),
  ),
  wait_for: key(
    "An event to wait for.",
    anyOf(
      named("event"),
      map({
        event: key("The event.", named("event")),
        timeout: key("The maximum time to wait.", text),
        if: key("The condition that the event must meet.", rule),
      }),
    ),
  ),
  approval: key(
    "An approval that is needed before the run goes on.",
    map({
      roles: key("The roles that can approve. The default is `admin`.", oneOrMore(named("role"))),
      by_self: key("Whether the person who caused the run can approve it.", boolean),
      timeout: key("The maximum time to wait.", text),
      message: key("The text that the approvers read.", template),
      on_reject: key(
        "What happens after a refusal: the step fails (`fail`, the default), or it returns `approved: false` (`continue`).",
        words("fail", "continue"),
      ),
    }),
  ),
  compensate: key("The steps that undo this one if the run fails later.", listOf(shape("step"))),
  as: key(
    "The rights of a record step in an action: those of the `caller`, or of the `service`.",
    words("service", "caller"),
  ),
};

/** A plain name, a map with one key (`record.update: { with: ... }`), or the long form. */
export const step: Shape = anyOf(named("action"), map(stepKeys), names("action", map(stepKeys)));

const lookup: Shape = names("entity", names("field", template));

const afterFailure = key(
  "With `ordered`: whether a failed run blocks the later runs of its record until somebody retries or cancels it (`block`), or is skipped (`skip`, the default).",
  words("block", "skip"),
);

const workflow: Shape = map({
  on: {
    ...key(
      "What starts it: an event, a list of events, or `schedule` (or `manual`, which means the same) for a schedule that runs it.",
      oneOrMore(named("event")),
    ),
    required: true,
  },
  when: key("It starts only if this is true of `event`, `record` and `old`.", rule),
  record: key("Which record it works on, if the event carries none.", lookup),
  ordered: key("With `record`, runs for the same record run one after the other.", words("record")),
  after_failure: afterFailure,
  actions: key("The steps, in order.", listOf(shape("step"))),
  steps: key("The steps, in order.", listOf(shape("step"))),
});

const worker: Shape = map({
  on: key("The event that starts it. Without `on`, it is started by name.", oneOrMore(named("event"))),
  when: key("It starts only if this is true of `event`, `record` and `old`.", rule),
  record: key("Which record it works on, if the event carries none.", lookup),
  ordered: key("With `record`, runs for the same record run one after the other.", words("record")),
  after_failure: afterFailure,
  steps: key("The steps, in order.", listOf(shape("step"))),
  http: key(
    "A signed call to your own service.",
    map({
      url: key("Where.", text),
      method: key("How.", words("POST", "PUT", "PATCH", "GET", "DELETE")),
      headers: key("Headers.", names("header", template)),
      body: key("The body of the request: JSON or text.", value),
    }),
  ),
  concurrency: key("How many run at the same time.", integer),
  timeout: key("The maximum time, such as `5m`.", text),
  retry,
});

const schedule: Shape = map({
  cron: {
    ...key("When it runs: five cron fields, such as `0 2 * * *`, or a nickname such as `@daily`.", text),
    required: true,
  },
  timezone: key("The time zone, such as `Europe/Berlin`. The default is UTC.", text),
  run: { ...key("The worker or workflow to run.", named("worker")), required: true },
  overlap: key("What happens if the previous run is still running.", words("skip", "queue", "allow")),
  catch_up: key("What happens to runs that were missed.", words("none", "last", "all")),
});

const action: Shape = map({
  input: key("The input from the caller, as fields.", shape("fields")),
  output: key("The result, computed from `input` and `steps`.", value),
  permissions: key("Who can call it: role > rule.", names("role", rule)),
  steps: { ...key("The steps, in order.", listOf(shape("step"))), required: true },
  mode: key("With `async`, the call answers 202 with a run that the caller can follow.", words("sync", "async")),
});

const inbound: Shape = map({
  verify: {
    ...key(
      "The name of a provider, or a description of how requests are signed.",
      anyOf(
        named("webhook_provider"),
        map({
          scheme: key("The signature scheme.", words("hmac-sha256", "hmac-sha1", "hmac-sha512", "token", "ed25519")),
          header: key("The header with the signature.", text),
          format: key("The format of the header, such as `sha256={hex}`.", text),
          message: key("The signed parts, in order.", listOf(text)),
        }),
      ),
    ),
    required: true,
  },
  each: key("Where a request has a list of events, such as `body`. Each member becomes an event of the project.", text),
  type: key("Where a request has the provider's event type, such as `body.type`, or `item.type` in a list.", text),
  dedupe: key("Where a request has the id of the event, such as `body.id`.", text),
  events: key("The provider's event types > the events of this project.", names("type", text)),
});

const payloadVersion = map({
  names: key("Field names in this version > the fields of today.", names("name", text)),
  omit: key("Fields of today that this version doesn't have.", oneOrMore(text)),
});

export const backgroundSections: Readonly<Record<string, KeyShape>> = {
  workflows: key("Work that starts after an event.", names("workflow", workflow)),
  workers: key("Units of background work, with names.", names("worker", worker)),
  schedules: key("Work that runs at fixed times.", names("schedule", schedule)),
  work: key(
    "How long the records of background work are kept.",
    map({
      retention: key("How long events and finished runs are kept, such as `7d`. The operator sets the maximum.", text),
    }),
  ),
  events: key(
    "Events that no entity or integration emits.",
    names(
      "event",
      bareMap({
        payload: key("The data of the event, as fields.", shape("fields")),
        help: key("What the event means.", text),
      }),
    ),
  ),
  webhooks: key(
    "Webhooks that the project sends and receives.",
    map({
      out: key(
        "Settings for the endpoints that events are sent to. The operator's limits have priority.",
        map({
          events: key("The events that endpoints can receive. The default is all of them.", oneOrMore(named("event"))),
          enabled: key("Whether events are sent at all.", boolean),
          payload: key(
            "What a new endpoint receives by default: the whole record (`full`), or only its id (`thin`).",
            words("full", "thin"),
          ),
          signing: key(
            "How messages to a new endpoint are signed by default: `v1` (HMAC) or `v1a` (Ed25519).",
            words("v1", "v1a"),
          ),
          retry,
          concurrency: key("How many calls one endpoint receives at the same time.", integer),
          disable_after: key("After how long without a success a failing endpoint is disabled, such as `5d`.", text),
          retention: key("How long finished deliveries are kept, such as `7d`.", text),
          version: key("The payload version for new endpoints. The default is 1.", integer),
          versions: key(
            "Earlier payload versions, and how they differ from today.",
            names("version", names("entity", payloadVersion)),
          ),
        }),
      ),
      in: key("Services that send webhooks to the project.", names("source", inbound)),
    }),
  ),
  actions: key("Your own operations, called with `POST /v1/actions/<name>`.", names("action", action)),
  integrations: key(
    "The connectors of the project. Their secrets are stored in connections, never in the blueprint.",
    names(
      "connection",
      map({
        kind: {
          ...key("The purpose of the integration, such as `parcel`.", named("integration_kind")),
          required: true,
        },
        provider: { ...key("The provider, such as `easypost`.", named("provider")), required: true },
        help: key("A description for readers.", text),
      }),
    ),
  ),
  auth: key(
    "Sign-up and passwords of the app's users.",
    map({
      verify_email: key("Whether users must verify their address before they get an account.", boolean),
      verify_url: key("The page of your app that verifies an address. The link in the mail adds `#token=`.", text),
      reset_url: key("The page of your app that sets a new password.", text),
      invitation_url: key("The page of your app that accepts an invitation.", text),
    }),
  ),
  emails: key(
    "The e-mail templates.",
    names(
      "template",
      map({
        variables: key("The variables of the template, as fields.", shape("fields")),
        language: key("The language of the template. The default is `en`.", text),
        subject: { ...key("The subject, with variables as `${{ variable }}`.", template), required: true },
        body: { ...key("The mail, in Markdown.", template), required: true },
        translations: key(
          "Translations of the template.",
          names(
            "language",
            map({
              subject: { ...key("The subject.", template), required: true },
              body: { ...key("The mail, in Markdown.", template), required: true },
            }),
          ),
        ),
        help: key("A description for readers.", text),
      }),
    ),
  ),
  storage: key(
    "Where files are stored, and their limits. Not available yet: the section is ignored.",
    names("option", value),
  ),
};
