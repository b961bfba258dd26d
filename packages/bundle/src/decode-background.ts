// The shape of background work in a bundle, for the decoder. Of expressions and templates, it only checks the kind: the
// interpreter refuses what it does not know.
import { z } from "zod";
import { field } from "./decode-field.ts";
import { inbound } from "./inbound.ts";
import { outbound } from "./outbound.ts";
import { predicate } from "./predicate.ts";

/** How many levels of nested steps are checked; deeper ones are not. */
const NESTING = 2;

const oneOf = (kinds: readonly string[]) =>
  z.looseObject({}).refine((value) => kinds.includes(String(value["kind"])), "of an unknown kind");

const expression = oneOf([
  "literal",
  "list",
  "field",
  "sent",
  "user",
  "context",
  "value",
  "operation",
  "each",
  "member",
]);
const template = oneOf(["literal", "value", "text", "list", "object"]);
const values = z.record(z.string(), template);
const ms = z.number().int().nonnegative();
const word = z.string().min(1);
const moment = z.looseObject({ time: expression, shiftMs: z.number().int() });

const action = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("record.create"), entity: word, values }),
  z.looseObject({ kind: z.literal("record.update"), entity: word, id: template, values }),
  z.looseObject({ kind: z.literal("record.delete"), entity: word, id: template }),
  z.looseObject({
    kind: z.literal("record.find"),
    entity: word,
    where: values,
    limit: z.number().int().positive().nullable(),
  }),
  z.looseObject({ kind: z.literal("record.transition"), entity: word, id: template, edge: word, values }),
  z.looseObject({ kind: z.literal("event.emit"), event: word, data: template }),
  z.looseObject({ kind: z.literal("audit.write"), note: template }),
  z.looseObject({ kind: z.literal("webhook.emit") }),
  z.looseObject({
    kind: z.literal("http.request"),
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    url: template,
    headers: values,
    body: template.nullable(),
    signed: z.boolean(),
    repeat: z.enum(["idempotent", "unsafe"]),
  }),
  z.looseObject({
    kind: z.literal("email.send"),
    connection: word.nullable(),
    to: template.nullable(),
    toUser: template.nullable(),
    replyTo: template.nullable(),
    subject: template.nullable(),
    text: template.nullable(),
    html: template.nullable(),
    template: word.nullable(),
    values: template.nullable(),
    language: template.nullable(),
  }),
  z.looseObject({ kind: z.literal("worker.run"), worker: word, input: template }),
  z.looseObject({ kind: z.literal("wait"), forMs: ms, until: moment.optional() }),
  z.looseObject({ kind: z.literal("wait_for"), event: word, if: expression.nullable(), timeoutMs: ms.nullable() }),
  z.looseObject({
    kind: z.literal("approve"),
    roles: z.array(word),
    bySelf: z.boolean(),
    onReject: z.enum(["fail", "continue"]),
    message: template.nullable(),
    timeoutMs: ms.nullable(),
  }),
]);

function stepsAt(depth: number): z.ZodType {
  if (depth === 0) return z.array(z.looseObject({}));
  const within = stepsAt(depth - 1);
  return z.array(
    z.looseObject({
      id: word,
      action,
      if: expression.nullable(),
      forEach: z.looseObject({ items: template, parallelMax: z.number().int().positive() }).nullable(),
      delayMs: ms.nullable(),
      delayUntil: moment.optional(),
      retry: z.looseObject({
        attempts: z.number().int().positive(),
        backoff: z.enum(["constant", "linear", "exponential"]),
        delayMs: ms,
        delayMsMax: ms,
      }),
      timeoutMs: ms,
      onError: z.discriminatedUnion("kind", [
        z.looseObject({ kind: z.literal("fail") }),
        z.looseObject({ kind: z.literal("continue") }),
        z.looseObject({ kind: z.literal("steps"), steps: within }),
      ]),
      compensate: within,
      as: z.enum(["service", "caller"]),
    }),
  );
}

const refusal = z.looseObject({ code: z.string(), message: z.string() });
const input = z.looseObject({ ...field, checks: z.array(z.string()), refusals: z.array(refusal).optional() });

const steps = stepsAt(NESTING);

export const background: z.ZodType = z.looseObject({
  events: z.array(
    z.looseObject({
      name: word,
      entity: z.string().nullable(),
      dataSchema: z.looseObject({}).nullable(),
      isOwn: z.literal(true).optional(),
    }),
  ),
  workflows: z.array(
    z.looseObject({
      name: word,
      kind: z.enum(["workflow", "worker"]),
      on: z.array(word),
      when: expression.nullable(),
      entity: z.string().nullable(),
      lookup: values.nullable(),
      ordered: z.literal("record").nullable(),
      afterFailure: z.literal("block").optional(),
      recordAt: z.literal("step").optional(),
      steps,
      concurrencyMax: z.number().int().positive().nullable(),
      timeoutMs: ms.nullable(),
    }),
  ),
  schedules: z.array(
    z.looseObject({
      name: word,
      cron: word,
      timezone: word,
      run: word,
      overlap: z.enum(["skip", "queue", "allow"]),
      catchUp: z.enum(["none", "last", "all"]),
    }),
  ),
  actions: z.array(
    z.looseObject({
      name: word,
      inputSchema: z.looseObject({}),
      input: z.array(input),
      output: template.nullable(),
      access: z.record(z.string(), predicate),
      steps,
      mode: z.enum(["sync", "async"]),
    }),
  ),
  accounts: z
    .looseObject({
      verifyEmail: z.boolean(),
      verifyUrl: z.string().nullable(),
      resetUrl: z.string().nullable(),
      invitationUrl: z.string().nullable(),
    })
    .optional(),
  emails: z
    .array(
      z.looseObject({
        name: word,
        help: z.string().nullable(),
        valuesSchema: z.looseObject({}),
        example: z.record(z.string(), z.unknown()),
        language: word,
        texts: z.record(
          word,
          z.looseObject({
            subject: template,
            text: template,
            html: z.array(
              z.union([z.string(), z.looseObject({ expression, as: z.enum(["text", "url", "url_part"]) })]),
            ),
          }),
        ),
      }),
    )
    .optional(),
  emailConnections: z.array(z.looseObject({ name: word, provider: word })).optional(),
  inbound: z.array(inbound).optional(),
  outbound: outbound.optional(),
  retentionDays: z.number().int().positive().optional(),
});
