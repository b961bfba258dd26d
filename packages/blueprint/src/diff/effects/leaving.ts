// Finds what leaves the project through a step. In: a mail, a call or an emitted event. Out: each receiver, with the
// values that reach it. A call of a worker's own service without a body sends the whole event.
import { type Expression, someNode, type Template } from "@plinth/expression";
import type { EmailTemplate, StepAction } from "../../model/background.ts";
import type { Model } from "../../model/model.ts";
import { printWork } from "../../model/print-background.ts";
import type { Receiver, Source, Start } from "./effect.ts";
import { expressionsIn, keyOfTemplate, type Naming, normalTemplate, sourcesOf } from "./normal-form.ts";

export interface Leaving {
  readonly receiver: Receiver;
  readonly sources: readonly Source[];
}

export function createLeaving(model: Model): (action: StepAction, naming: Naming, start: Start) => readonly Leaving[] {
  const emails = new Map((model.background.emails ?? []).map((one) => [one.name, one]));
  return (action, naming, start) => {
    switch (action.kind) {
      case "email.send":
        return mailed(action, naming, emails);
      case "http.request":
        return called(action, naming, { model, start });
      case "event.emit":
        return isSent(model, action.event)
          ? [{ receiver: endpointsOf(action.event), sources: sourcesOf(action.data, naming) }]
          : [];
      case "webhook.emit":
        return start.kind === "event" && isSent(model, start.name)
          ? [{ receiver: endpointsOf(start.name), sources: [] }]
          : [];
      default:
        return [];
    }
  };
}

function endpointsOf(event: string): Receiver {
  return { key: `endpoints ${event}`, kind: "endpoints", words: `endpoints that receive \`${event}\`` };
}

/** Whether endpoints can receive the event at all. */
function isSent({ modules, background }: Model, event: string): boolean {
  if (!modules.includes("webhooks")) return false;
  const declared = background.outboundWebhooks?.declaration as
    | { readonly enabled?: unknown; readonly events?: unknown }
    | undefined;
  if (declared?.enabled === false) return false;
  return !Array.isArray(declared?.events) || declared.events.includes(event);
}

type Mail = Extract<StepAction, { kind: "email.send" }>;

function mailed(action: Mail, naming: Naming, emails: ReadonlyMap<string, EmailTemplate>): readonly Leaving[] {
  const template = action.template === null ? undefined : emails.get(action.template);
  const content =
    template === undefined ? contentOf(action, naming) : contentOfTemplate(template, action.values, naming);
  const { sources, links } = content;
  const receivers = [
    ...(action.to === null ? [] : addressesOf(action.to, naming, "the address in")),
    ...(action.toUser === null ? [] : addressesOf(action.toUser, naming, "the user in")),
  ];
  const answered = action.replyTo === null ? [] : addressesOf(action.replyTo, naming, "the address in");
  return [
    ...receivers.map((receiver) => ({ receiver, sources })),
    ...answered.map((one): Leaving => {
      return { receiver: { ...one, key: `answers ${one.key}`, kind: "answers" }, sources: [] };
    }),
    ...links,
  ];
}

/** What a mail contains, and where its links with values lead: whoever follows one sends the value there. */
interface Content {
  readonly sources: readonly Source[];
  readonly links: readonly Leaving[];
}

function contentOf({ subject, text, html }: Mail, naming: Naming): Content {
  const templates = [subject, text, html].filter((one) => one !== null);
  const read = (expression: Expression): readonly Source[] => sourcesOf({ kind: "value", expression }, naming);
  return contentFrom(templates, read);
}

function contentOfTemplate({ texts }: EmailTemplate, values: Template | null, naming: Naming): Content {
  const all = values === null ? [] : sourcesOf(values, naming);
  const members = values?.kind === "object" ? values.members : null;
  const read = (expression: Expression): readonly Source[] => {
    if (members === null) return all;
    const names = new Set<string>();
    someNode(expression, (node) => {
      if (node.kind === "value") names.add(node.root);
      return false;
    });
    return [...names].flatMap((name) => (members[name] === undefined ? [] : sourcesOf(members[name], naming)));
  };
  return contentFrom(
    Object.values(texts).flatMap(({ subject, body }) => [subject, body]),
    read,
  );
}

function contentFrom(templates: readonly Template[], read: (expression: Expression) => readonly Source[]): Content {
  const sources = distinct(templates.flatMap(expressionsIn).flatMap(read));
  const links = templates.flatMap((template) => (template.kind === "text" ? linksIn(template.parts, read) : []));
  return { sources, links };
}

/** An address that a text ends with, before a value. */
const LINK = /https?:\/\/[^\s"'<>()]*$/i;

function linksIn(
  parts: readonly (string | Expression)[],
  read: (expression: Expression) => readonly Source[],
): readonly Leaving[] {
  return parts.flatMap((part, index) => {
    const before = parts[index - 1];
    const address = typeof part !== "string" && typeof before === "string" ? LINK.exec(before)?.[0] : undefined;
    if (address === undefined || typeof part === "string") return [];
    const host = URL.parse(address)?.host ?? address;
    const receiver: Receiver = { key: `link ${host}`, kind: "service", words: `\`${host}\` through a link in a mail` };
    return [{ receiver, sources: read(part) }];
  });
}

function addressesOf(to: Template, naming: Naming, what: string): readonly Receiver[] {
  if (to.kind === "list") return to.items.flatMap((item) => addressesOf(item, naming, what));
  if (to.kind === "literal" && Array.isArray(to.value))
    return to.value.flatMap((value) => addressesOf({ kind: "literal", value }, naming, what));
  if (to.kind === "literal")
    return [{ key: `mail ${String(to.value).toLowerCase()}`, kind: "mail", words: `\`${String(to.value)}\`` }];
  const names = expressionsIn(to).map((one) => `\`${printWork(one)}\``);
  const key = `mail ${what} ${keyOfTemplate(normalTemplate(to, naming))}`;
  return [{ key, kind: "mail", words: `${what} ${names.join(" and ")}` }];
}

type Call = Extract<StepAction, { kind: "http.request" }>;

function called(
  action: Call,
  naming: Naming,
  { model, start }: { readonly model: Model; readonly start: Start },
): readonly Leaving[] {
  const parts = [action.url, ...Object.values(action.headers), ...(action.body === null ? [] : [action.body])];
  const written = parts.flatMap((one) => sourcesOf(one, naming));
  const isWhole = action.body === null && action.signed && action.method !== "GET" && action.method !== "DELETE";
  const whole = isWhole ? wholeEvent(model, start) : [];
  return [{ receiver: serviceOf(action.url), sources: distinct([...written, ...whole]) }];
}

/** The host with the fixed part of the path: services on one host can belong to different owners. */
function serviceOf(url: Template): Receiver {
  const first = url.kind === "literal" ? url.value : url.kind === "text" ? url.parts[0] : null;
  const [address = ""] = (typeof first === "string" ? first : "").split(/[?#]/);
  const parsed = URL.parse(address);
  const isRoot = parsed === null || parsed.pathname === "/";
  const words = parsed === null ? "another service" : isRoot ? `\`${parsed.host}\`` : `\`${address}\``;
  return { key: `call ${parsed === null ? address : `${parsed.host}${parsed.pathname}`}`, kind: "service", words };
}

/** Everything but internal fields and secrets. */
function wholeEvent({ entities }: Model, { kind, carries: name }: Start): readonly Source[] {
  if (kind === "worker") return [{ origin: "input", entity: null, field: "input" }];
  if (kind !== "event") return [];
  const found = entities.find((one) => one.name === name);
  const shown = (found?.fields ?? []).filter((field) => !field.internal && field.type.kind !== "secret");
  // The event of an entity carries nothing but its record.
  const data: readonly Source[] = found === undefined ? [{ origin: "event", entity: null, field: "data" }] : [];
  return [...data, ...shown.map((field): Source => ({ origin: "record", entity: name, field: field.name }))];
}

function distinct(sources: readonly Source[]): readonly Source[] {
  return [...new Map(sources.map((one) => [`${one.origin} ${one.entity}.${one.field}`, one])).values()];
}
