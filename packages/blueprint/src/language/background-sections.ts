// The keys of the sections that run in the background. Data alone.
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
  "How often and how it is tried again.",
  anyOf(
    integer,
    map({
      attempts: key("Tries in all.", integer),
      backoff: key("How the pauses grow.", words("constant", "linear", "exponential")),
      delay: key("The first pause, such as `30s`.", text),
      max_delay: key("The longest pause.", text),
    }),
  ),
);

const stepKeys: Readonly<Record<string, KeyShape>> = {
  id: key("Its name in `steps.<id>`; the action's last word where none is given.", text),
  action: key("What it does, such as `record.update`.", named("action")),
  connection: key("Which connection of the integration it uses.", named("connection")),
  with: key("What it is given; `${{ ... }}` is computed.", names("input", value)),
  if: key("Only where this holds.", rule),
  retry,
  timeout: key("How long it may take, such as `30s`.", text),
  on_error: key(
    "What happens when it fails: `fail`, `continue`, or steps, which know why as `error`.",
    anyOf(words("fail", "continue"), listOf(shape("step"))),
  ),
  for_each: key("A list; the step runs for each member, called `each`.", anyOf(template, listOf(value))),
  max_parallel: key("How many of them at once.", integer),
  delay: key("How long it waits before it runs.", text),
  wait_for: key(
    "An event that it waits for.",
    anyOf(
      named("event"),
      map({
        event: key("The event.", named("event")),
        timeout: key("How long it waits.", text),
        if: key("Which of them.", rule),
      }),
    ),
  ),
  approval: key(
    "Who must agree before it goes on.",
    map({
      roles: key("Holders of these roles; admins where none is named.", oneOrMore(named("role"))),
      by_self: key("Whether who caused the run may approve it.", boolean),
      timeout: key("How long it waits.", text),
      message: key("What those who are asked read of it.", template),
      on_reject: key(
        "What a refusal does: it fails the step (`fail`, the default), or the step gives `approved: false` (`continue`).",
        words("fail", "continue"),
      ),
    }),
  ),
  compensate: key("What undoes it, should the run fail later.", listOf(shape("step"))),
  as: key("Whose rights a record step of an action has: the `caller`'s, or `service`.", words("service", "caller")),
};

/** A plain name, a map of one (`record.update: { with: ... }`), or the long form. */
export const step: Shape = anyOf(named("action"), map(stepKeys), names("action", map(stepKeys)));

const lookup: Shape = names("entity", names("field", template));

const workflow: Shape = map({
  on: {
    ...key(
      "What starts it: an event, a list of them, or `schedule` (`manual` means the same): a schedule that runs it.",
      oneOrMore(named("event")),
    ),
    required: true,
  },
  when: key("Only where this holds of `event`, `record` and `old`.", rule),
  record: key("Which record it is about, where the event carries none.", lookup),
  ordered: key("`record`: the runs of one record follow one another.", words("record")),
  actions: key("What it does, in order.", listOf(shape("step"))),
  steps: key("What it does, in order.", listOf(shape("step"))),
});

const worker: Shape = map({
  on: key("What starts it; without, it is called by name.", oneOrMore(named("event"))),
  when: key("Only where this holds of `event`, `record` and `old`.", rule),
  record: key("Which record it is about, where the event carries none.", lookup),
  ordered: key("`record`: the runs of one record follow one another.", words("record")),
  steps: key("What it does, in order.", listOf(shape("step"))),
  http: key(
    "A signed call to your own service.",
    map({
      url: key("Where.", text),
      method: key("How.", words("POST", "PUT", "PATCH", "GET", "DELETE")),
      headers: key("Headers.", names("header", template)),
      body: key("What is sent: JSON, or a text.", value),
    }),
  ),
  concurrency: key("How many run at once.", integer),
  timeout: key("How long it may take, such as `5m`.", text),
  retry,
});

const schedule: Shape = map({
  cron: { ...key("When: five fields, such as `0 2 * * *`, or `@daily` and its like.", text), required: true },
  timezone: key("In which time zone, such as `Europe/Berlin`; UTC without.", text),
  run: { ...key("The worker or workflow that it runs.", named("worker")), required: true },
  overlap: key("What happens where the last run still runs.", words("skip", "queue", "allow")),
  catch_up: key("What happens with runs that were missed.", words("none", "last", "all")),
});

const action: Shape = map({
  input: key("What a caller sends: fields.", shape("fields")),
  output: key("What comes back, over `input` and `steps`.", value),
  permissions: key("Who may run it: role > rule.", names("role", rule)),
  steps: { ...key("What it does, in order.", listOf(shape("step"))), required: true },
  mode: key("`async` answers 202 with a run to follow.", words("sync", "async")),
});

const inbound: Shape = map({
  verify: {
    ...key(
      "A provider's name, or how a call is proven genuine.",
      anyOf(
        text,
        map({
          scheme: key("How it is signed.", text),
          header: key("Where the signature stands.", text),
          format: key("What the header holds, such as `sha256={hex}`.", text),
          message: key("What is signed, in order.", listOf(text)),
        }),
      ),
    ),
    required: true,
  },
  each: key("Where a list of events stands, such as `body`, each of which is one of the project.", text),
  type: key("Where the provider's event type stands, such as `body.type`, or `item.type` in a list.", text),
  dedupe: key("Where the event's own id stands, such as `body.id`.", text),
  events: key("The provider's types > ours.", names("type", text)),
});

const payloadVersion = map({
  names: key("Names in this version > the fields that they are by now.", names("name", text)),
  omit: key("Fields that this version doesn't have.", oneOrMore(text)),
});

export const backgroundSections: Readonly<Record<string, KeyShape>> = {
  workflows: key("What happens when something has happened.", names("workflow", workflow)),
  workers: key("Named units of background work.", names("worker", worker)),
  schedules: key("What runs at which times.", names("schedule", schedule)),
  work: key(
    "What is kept of work in the background.",
    map({
      retention: key(
        "How long events are kept, and runs after their end, such as `7d`; no longer than the operator keeps them.",
        text,
      ),
    }),
  ),
  events: key(
    "Events that no entity or integration emits.",
    names(
      "event",
      bareMap({ payload: key("What it carries: fields.", shape("fields")), help: key("What it tells.", text) }),
    ),
  ),
  webhooks: key(
    "Webhooks in and out.",
    map({
      out: key(
        "What holds for the endpoints that events are sent to; the operator's limits outrank it.",
        map({
          events: key(
            "The events that endpoints may be sent; all of them where none is named.",
            oneOrMore(named("event")),
          ),
          enabled: key("Whether any event is sent.", boolean),
          payload: key(
            "What a new endpoint is sent unless it says otherwise: the record (`full`), or its id alone (`thin`).",
            words("full", "thin"),
          ),
          signing: key(
            "How a new endpoint's messages are signed unless it says otherwise: `v1` (HMAC), or `v1a` (Ed25519).",
            words("v1", "v1a"),
          ),
          retry,
          concurrency: key("Calls of one endpoint at once.", integer),
          disable_after: key(
            "How long an endpoint may fail, without a success, before it is disabled, such as `5d`.",
            text,
          ),
          retention: key("How long deliveries are kept after they have ended, such as `7d`.", text),
          version: key("Which version of payloads new endpoints are sent; 1 without.", integer),
          versions: key(
            "Earlier versions, and how endpoints of each are sent what has changed since.",
            names("version", names("entity", payloadVersion)),
          ),
        }),
      ),
      in: key("Sources of inbound events.", names("source", inbound)),
    }),
  ),
  actions: key("Operations of your own, as `POST /v1/actions/<name>`.", names("action", action)),
  integrations: key(
    "Which connectors the project uses; their secrets stand in connections, never here.",
    names(
      "connection",
      map({
        kind: { ...key("What it is for, such as `parcel`.", text), required: true },
        provider: { ...key("Whose, such as `easypost`.", text), required: true },
        help: key("What it is for.", text),
      }),
    ),
  ),
  auth: key(
    "Sign-up and passwords of the app's users.",
    map({
      verify_email: key("Whether there is an account only once its address is verified.", boolean),
      verify_url: key("The page of your app that verifies; the token stands behind `#token=`.", text),
      reset_url: key("The page of your app that sets a new password.", text),
      invitation_url: key("The page of your app that accepts an invitation.", text),
    }),
  ),
  emails: key(
    "What mails say.",
    names(
      "template",
      map({
        variables: key("What a step gives it: fields.", shape("fields")),
        language: key("The language of its own texts; `en` without.", text),
        subject: { ...key("The subject, with `${{ variable }}` in it.", template), required: true },
        body: { ...key("The mail, in Markdown.", template), required: true },
        translations: key(
          "The same in other languages.",
          names(
            "language",
            map({
              subject: { ...key("The subject.", template), required: true },
              body: { ...key("The mail, in Markdown.", template), required: true },
            }),
          ),
        ),
        help: key("What it is for.", text),
      }),
    ),
  ),
  storage: key("Where files are kept, and their limits.", names("option", value)),
};
