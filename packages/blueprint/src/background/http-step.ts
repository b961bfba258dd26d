// Reads a call to another service, in a step or a worker. In: its syntax. Out: the typed call; null after its problems
// were reported. The host must be a fixed text: the diff shows it, and no value of a record can redirect the call.
import { expectText, mapEntries, refuseKey } from "../declarations/expect.ts";
import type { Egress, StepAction, Template, Values } from "../model/background.ts";
import { entryOf, type MapEntry, type MapNode, type ScalarNode, type Word } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { readWord } from "./durations.ts";
import { isPrivateHost } from "./private-host.ts";
import type { ReadAction } from "./step-scope.ts";
import { literal, readTemplate } from "./templates.ts";
import { json, type WorkPlace } from "./work-scope.ts";

type HttpRequest = Extract<StepAction, { kind: "http.request" }>;

const methods: readonly HttpRequest["method"][] = ["POST", "PUT", "PATCH", "GET", "DELETE"];
const callKeys: readonly string[] = ["url", "method", "headers", "body"];

export interface HttpForm {
  /** Its name in messages. */
  readonly what: string;
  /** The call is signed like a worker's call to the project's own service, which recognizes it by its key. */
  readonly signed: boolean;
}

export function readHttpCall(
  context: BackgroundContext,
  at: Word,
  given: MapNode | null,
  place: WorkPlace,
  { what, signed }: HttpForm,
): ReadAction | null {
  const { reader } = context;
  const keys = signed ? callKeys : [...callKeys, "repeat"];
  for (const option of given?.entries ?? [])
    if (!keys.includes(option.key.text)) refuseKey(reader, option, what, keys, []);
  const read = <T>(key: string, reading: (option: MapEntry) => T | null): T | null => {
    const option = given === null ? undefined : entryOf(given, key);
    return option === undefined ? null : reading(option);
  };
  const url = read("url", (option) => readUrl(context, option, place));
  if (given === null || entryOf(given, "url") === undefined)
    reader.report.add(
      "missing_key",
      given?.range ?? at.range,
      `${what} has no \`url\`.`,
      "Write `url: https://example.com/jobs`.",
    );
  const word = read("method", (option) => readWord(reader, option, methods));
  const method = methods.find((one) => one === word) ?? "POST";
  const headers = read("headers", (option) => readHeaders(context, option, place, signed));
  const body = read("body", (option) => readTemplate(context, option.value, place));
  const repeat = read("repeat", (option) => readWord(reader, option, ["idempotent", "unsafe"]));
  if (url === null) return null;
  // If the answer is lost, the call is not repeated unless the author allows it, because it may already have had its
  // effect.
  const usual = signed || method === "GET" || method === "PUT" || method === "DELETE" ? "idempotent" : "unsafe";
  const action: HttpRequest = {
    kind: "http.request",
    method,
    url,
    headers: headers ?? {},
    body,
    signed,
    repeat: repeat === "idempotent" || repeat === "unsafe" ? repeat : usual,
  };
  return { action, output: json };
}

/**
 * The host must be a fixed text. Plain http is only valid for this machine, if the operator allows projects to call it.
 */
const ADDRESS = /^(?:https:\/\/[^\s/$?#@\\{}]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:[/?#]|$)/;

function readUrl(context: BackgroundContext, option: MapEntry, place: WorkPlace): Template | null {
  const { reader } = context;
  const url = expectText(reader, option.value, "`url`");
  if (url === null) return null;
  if (!ADDRESS.test(url.text) || URL.parse(beforeExpressions(url.text)) === null) {
    const computed = /^https?:\/\/[^/?#]*\$\{\{/.test(url.text);
    const message = computed ? "The host of `url` must be a fixed text." : "`url` is not an https address.";
    reader.report.add("invalid_option", url.range, message, "For example `https://example.com/jobs`.");
    return null;
  }
  warnOfPrivateHost(context, url);
  return readTemplate(context, url, place);
}

/**
 * A cell refuses addresses that are not on the public internet, unless its operator allows them. Only the cell can
 * resolve a name.
 */
function warnOfPrivateHost({ reader: { report } }: BackgroundContext, { text, range }: ScalarNode): void {
  const host = URL.parse(beforeExpressions(text))?.hostname ?? "";
  if (!isPrivateHost(host)) return;
  const allow = host === "localhost" ? "127.0.0.1" : /^[\d.]+$/.test(host) ? host : "<network>";
  report.add(
    "private_host",
    range,
    `\`${host}\` is not on the public internet. The call is refused unless the operator of the cell allows it.`,
    `Call a public address, or ask the operator of the cell to set \`PLINTH_OUTBOUND_ALLOW=${allow}\`. A blueprint can't see the cell's settings, so this warning remains.`,
  );
}

function beforeExpressions(text: string): string {
  return text.split("${{")[0] ?? "";
}

/** The host of a URL, as the diff shows it. */
export function hostOf(url: Template): Pick<Egress, "host"> {
  const first = url.kind === "literal" ? url.value : url.kind === "text" ? url.parts[0] : null;
  const parsed = typeof first === "string" ? URL.parse(first) : null;
  return parsed === null ? {} : { host: parsed.host };
}

/** A token as defined in RFC 9110. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** The service sets the headers of the connection itself, RFC 9110 and 9112. */
const ownHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const signatureHeaders: ReadonlySet<string> = new Set(["webhook-id", "webhook-signature", "webhook-timestamp"]);
const credentialHeaders: ReadonlySet<string> = new Set([
  "api-key",
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-api-key",
  "x-auth-token",
]);

function readHeaders(context: BackgroundContext, option: MapEntry, place: WorkPlace, signed: boolean): Values {
  const headers = mapEntries(context.reader, option.value, "`headers`").map(({ key, value }): [string, Template] => {
    const text = expectText(context.reader, value, `The header \`${key.text}\``);
    checkHeader(context, key, text, signed);
    const read = text === null ? null : readTemplate(context, { ...text, value: text.text }, place);
    return [key.text, read ?? literal("")];
  });
  return Object.fromEntries(headers.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkHeader(
  { reader: { report } }: BackgroundContext,
  { text: name, range }: ScalarNode,
  value: ScalarNode | null,
  signed: boolean,
): void {
  const lower = name.toLowerCase();
  const shown = name.slice(0, 120);
  if (!HEADER_NAME.test(name)) {
    report.add("invalid_option", range, `\`${shown}\` is not a valid header name.`, "For example `x-request-source`.");
  } else if (ownHeaders.has(lower) || (signed && signatureHeaders.has(lower))) {
    report.add("invalid_option", range, `The service sets the header \`${shown}\` itself.`, "Remove it.");
  } else if (credentialHeaders.has(lower) && value !== null && !value.text.includes("${{")) {
    report.add(
      "literal_credential",
      value.range,
      `Everybody who can read the blueprint can read the credential in \`${shown}\`.`,
      "For your own service, use a worker with `http`: Plinth signs its calls, so they need no credential.",
    );
  }
}
