// Reads a step that sends a mail. In: its syntax. Out: the typed step; null after its problems were reported. The text
// is in the step, or in a template of the section `emails`. A receipt without either lists the fields of the record.
import { checkValue, type Expression } from "@plinth/expression";
import { expectText, refuseKey } from "../declarations/expect.ts";
import type { StepAction, Template } from "../model/background.ts";
import type { Field } from "../model/model.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Word } from "../text/syntax.ts";
import type { BackgroundContext, EmailSignature } from "./context.ts";
import { readPayloadValues } from "./payload.ts";
import type { ReadAction } from "./step-scope.ts";
import { literal, readTemplate } from "./templates.ts";
import { objectOf, scopeOf, typed, type WorkPlace } from "./work-scope.ts";

type EmailSend = Extract<StepAction, { kind: "email.send" }>;

const text = typed({ kind: "text" });
const output = objectOf({ id: text, status: text, message_id: text });

const sendKeys = ["to", "to_user", "reply_to", "subject", "text", "html", "template", "values", "language"];

export function readEmailStep(
  context: BackgroundContext,
  action: Word,
  map: MapNode,
  given: MapNode | null,
  place: WorkPlace,
): ReadAction | null {
  const { reader } = context;
  const isReceipt = action.text === "email.send_receipt";
  const what = `\`${action.text}\``;
  for (const option of given?.entries ?? [])
    if (!sendKeys.includes(option.key.text)) refuseKey(reader, option, what, sendKeys, []);
  const at = (key: string): MapEntry | undefined => (given === null ? undefined : entryOf(given, key));
  let fine = true;
  const read = (key: string): Template | null => {
    const entry = at(key);
    const template = entry === undefined ? null : readTemplate(context, entry.value, place);
    if (entry !== undefined && template === null) fine = false;
    return template;
  };
  const connection = connectionOf(context, action, map);
  const receiver = receiverOf(context, action, place, { to: read("to"), toUser: read("to_user"), isReceipt });
  const named = templateOf(context, at("template"), isReceipt);
  const own = { subject: read("subject"), text: read("text"), html: read("html") };
  const values = named === null || named === "wrong" ? null : valuesOf(context, action, at("values"), named, place);
  if (named === "wrong" || values === "wrong" || connection === "wrong" || receiver === null) fine = false;
  if (named === null && !isReceipt) {
    const missing = own.subject === null ? "subject" : own.text === null && own.html === null ? "text" : null;
    if (missing !== null && fine) {
      const hint = "Write `subject` and `text`, or name a `template` of the section `emails`.";
      reader.report.add("missing_key", given?.range ?? action.range, `${what} has no \`${missing}\`.`, hint);
      fine = false;
    }
  }
  if (named !== null && named !== "wrong") refuseBeside(context, at, ["subject", "text", "html"], "the template");
  else if (named === null) refuseBeside(context, at, ["values", "language"], null);
  const [replyTo, language] = [read("reply_to"), read("language")];
  if (!fine || named === "wrong" || values === "wrong" || connection === "wrong" || receiver === null) return null;
  const plain =
    named === null && isReceipt && own.text === null ? { ...receiptOf(context, place), ...given_(own) } : own;
  const send: EmailSend = {
    kind: "email.send",
    connection,
    ...receiver,
    replyTo,
    ...plain,
    template: named?.name ?? null,
    values,
    language,
  };
  return { action: send, output };
}

/** The text in the step itself. */
function given_(own: Pick<EmailSend, "subject" | "text" | "html">): Partial<Pick<EmailSend, "subject" | "html">> {
  return {
    ...(own.subject === null ? {} : { subject: own.subject }),
    ...(own.html === null ? {} : { html: own.html }),
  };
}

function refuseBeside(
  { reader }: BackgroundContext,
  at: (key: string) => MapEntry | undefined,
  keys: readonly string[],
  owner: string | null,
): void {
  for (const key of keys) {
    const entry = at(key);
    if (entry === undefined) continue;
    const message =
      owner === null
        ? `\`${key}\` only works with a template, and this step names none.`
        : `\`${key}\` belongs in ${owner}, not here.`;
    reader.report.add("invalid_option", entry.key.range, message, "Remove it here.");
  }
}

/**
 * The integration that the step names; null for the only one, or if there is none: e-mail can be connected without an
 * integration.
 */
function connectionOf({ reader, connections }: BackgroundContext, action: Word, map: MapNode): string | null | "wrong" {
  const entry = entryOf(map, "connection");
  const mail = connections.filter(({ kind }) => kind === "email");
  if (entry === undefined) {
    if (mail.length <= 1) return mail[0]?.name ?? null;
    const names = mail.map(({ name }) => name).join(", ");
    reader.report.add(
      "missing_key",
      action.range,
      "This project has several integrations that send e-mail.",
      `Add \`connection\`, one of: ${names}.`,
    );
    return "wrong";
  }
  const scalar = entry.value.kind === "scalar" ? entry.value.text : "";
  const found = connections.find(({ name }) => name === scalar);
  // An unknown name is reported where all connections are checked.
  if (found === undefined) return "wrong";
  if (found.kind === "email") return found.name;
  reader.report.add(
    "invalid_option",
    entry.value.range,
    `The integration \`${found.name}\` doesn't send e-mail.`,
    "Name an integration with the kind `email`.",
  );
  return "wrong";
}

type Receiver = Pick<EmailSend, "to" | "toUser">;

/** A receipt is sent to the user of the record, unless the step has a recipient. */
function receiverOf(
  context: BackgroundContext,
  action: Word,
  place: WorkPlace,
  { to, toUser, isReceipt }: Receiver & { readonly isReceipt: boolean },
): Receiver | null {
  const { report } = context.reader;
  if (to !== null && toUser !== null) {
    report.add(
      "invalid_step",
      action.range,
      "A mail can be sent to addresses or to a user, not to both.",
      "Remove `to` or `to_user`.",
    );
    return null;
  }
  if (to !== null || toUser !== null) return { to, toUser };
  const fields = fieldsOf(context, place);
  if (isReceipt) {
    const emails = fields.filter(({ type }) => type.kind === "email");
    const address = emails.find(({ name }) => name === "email") ?? (emails.length === 1 ? emails[0] : undefined);
    if (address !== undefined) return { to: ofRecord(context, place, address.name), toUser: null };
    const users = fields.filter(({ type }) => type.kind === "user_ref");
    const user =
      users.find(({ name }) => name === "user_id") ??
      (users.length === 1 ? users[0] : undefined) ??
      users.find(({ name }) => name === "created_by");
    if (user !== undefined) return { to: null, toUser: ofRecord(context, place, user.name) };
  }
  report.add(
    "missing_key",
    action.range,
    `\`${action.text}\` has no recipient.`,
    'Write `with: { to: "${{ record.email }}" }`.',
  );
  return null;
}

function fieldsOf({ entities }: BackgroundContext, { entity, rows }: WorkPlace): readonly Field[] {
  return entity === null || !rows.includes("record") ? [] : (entities.get(entity)?.entity.fields ?? []);
}

function ofRecord({ schema }: BackgroundContext, place: WorkPlace, field: string): Template {
  return { kind: "value", expression: recordField({ schema }, place, field)! };
}

function recordField(
  { schema }: Pick<BackgroundContext, "schema">,
  place: WorkPlace,
  field: string,
): Expression | null {
  return checkValue(`record.${field}`, scopeOf(place, schema), null).expression;
}

/** Fields of the service that are in every record and that no customer needs. */
const bookkeeping: readonly string[] = ["updated_at", "deleted_at", "version"];

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The default content of a receipt: only fields that the API returns. */
function receiptOf(context: BackgroundContext, place: WorkPlace): Pick<EmailSend, "subject" | "text" | "html"> {
  const noun = (place.entity ?? "order").replaceAll("_", " ");
  const shown = fieldsOf(context, place).filter(
    ({ name, internal, pii, type }) =>
      !internal && !pii && !bookkeeping.includes(name) && !["secret", "json", "user_ref", "ref"].includes(type.kind),
  );
  const lines = shown.flatMap(({ name, label }): (string | Expression)[] => {
    const value = recordField(context, place, name);
    return value === null ? [] : [`\n${label ?? capitalised(name.replaceAll("_", " "))}: `, value];
  });
  const subject = literal(`Your receipt: ${noun}`);
  return { subject, text: { kind: "text", parts: [`This is your receipt for your ${noun}.\n`, ...lines] }, html: null };
}

/** If there is a template `receipt`, a receipt uses it. */
function templateOf(
  { reader, emails }: BackgroundContext,
  entry: MapEntry | undefined,
  isReceipt: boolean,
): EmailSignature | null | "wrong" {
  if (entry === undefined) return isReceipt ? (emails.get("receipt") ?? null) : null;
  const scalar = expectText(reader, entry.value, "`template`");
  if (scalar === null) return "wrong";
  const found = emails.get(scalar.text);
  if (found !== undefined) return found;
  const hint = suggestFor(scalar.text, emails.keys(), reader.report) ?? "Declare it under `emails`.";
  reader.report.add("unknown_email_template", scalar.range, `There is no e-mail template \`${scalar.text}\`.`, hint);
  return "wrong";
}

function valuesOf(
  context: BackgroundContext,
  action: Word,
  entry: MapEntry | undefined,
  template: EmailSignature,
  place: WorkPlace,
): Template | "wrong" {
  const node: MapEntry = entry ?? {
    key: { kind: "scalar", value: "values", text: "values", style: "plain", broken: false, range: action.range },
    value: { kind: "map", entries: [], range: action.range },
  };
  return readPayloadValues(context, template.variables, node, place, `The template \`${template.name}\``) ?? "wrong";
}
