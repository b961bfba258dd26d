// Reads the section `webhooks`. In: its syntax. Out: the settings of outbound deliveries, and the inbound sources.
import { expectList, expectMap, expectText, expectWords, mapEntries, refuseKey } from "../declarations/expect.ts";
import type { BackgroundPart } from "../model/background.ts";
import type { JsonValue } from "../model/model.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Node, wordOf } from "../text/syntax.ts";
import { type BackgroundContext, canonical } from "./context.ts";
import { readWord } from "./durations.ts";
import { isEventName, refuseEventName } from "./events.ts";
import { readOutbound } from "./outbound-webhooks.ts";
import { checkPartName } from "./part-name.ts";
import {
  describedServices,
  listingProviders,
  providersSign,
  providerTypes,
  signatureSchemes,
  webhookProviders,
} from "./providers.ts";

const inKeys: readonly string[] = ["verify", "each", "type", "dedupe", "events"];
const schemeKeys: readonly string[] = ["scheme", "header", "format", "message"];

export interface ReadWebhooks {
  readonly inbound: readonly BackgroundPart[];
  readonly outbound: BackgroundPart | null;
}

export function readWebhooks(context: BackgroundContext, node: Node): ReadWebhooks {
  const map = expectMap(context.reader, node, "`webhooks`");
  let inbound: readonly BackgroundPart[] = [];
  let outbound: BackgroundPart | null = null;
  for (const entry of map?.entries ?? []) {
    if (entry.key.text === "out") outbound = readOutbound(context, entry.value);
    else if (entry.key.text === "in")
      inbound = mapEntries(context.reader, entry.value, "`in`").flatMap((one) => readSource(context, one) ?? []);
    else refuseKey(context.reader, entry, "`webhooks`", ["in", "out"], []);
  }
  return { inbound, outbound };
}

function readSource(context: BackgroundContext, { key, value }: MapEntry): BackgroundPart | null {
  const { reader } = context;
  checkPartName(key, "a webhook", context);
  const map = expectMap(reader, value, `The webhook \`${key.text}\``);
  if (map === null) return null;
  const source: Record<string, JsonValue | null> = {};
  for (const option of map.entries) {
    const name = option.key.text;
    switch (name) {
      case "verify":
        source[name] = readVerify(context, option.value);
        break;
      case "each":
        source[name] = readEach(context, option);
        break;
      case "type":
      case "dedupe":
        source[name] = readPath(context, option, listsEvents(map));
        break;
      case "events":
        source[name] = readTypes(context, option.value);
        break;
      default:
        refuseKey(reader, option, "a webhook", inKeys, []);
    }
  }
  if (entryOf(map, "verify") === undefined)
    reader.report.add(
      "missing_key",
      key.range,
      `The webhook \`${key.text}\` has no \`verify\`.`,
      "Name a provider, or describe how requests are signed.",
    );
  if (entryOf(map, "events") !== undefined && entryOf(map, "type") === undefined)
    reader.report.add(
      "missing_key",
      key.range,
      `The webhook \`${key.text}\` has no \`type\`.`,
      `Say where a request has the type of its event: \`type: ${typeOf(source)}\`.`,
    );
  checkDedupe(context, map, source);
  return { name: key.text, declaration: canonical(source), egress: [] };
}

function typeOf({ verify }: Readonly<Record<string, JsonValue | null>>): string {
  const known = typeof verify === "string" && Object.hasOwn(providerTypes, verify) ? providerTypes[verify] : undefined;
  return known ?? "body.type";
}

/** Anybody who captures a request can send it again under another id, unless the id is signed too. */
function checkDedupe(
  { reader }: BackgroundContext,
  map: MapNode,
  { verify, dedupe }: Readonly<Record<string, JsonValue | null>>,
): void {
  const option = entryOf(map, "dedupe");
  if (option === undefined || typeof dedupe !== "string" || !dedupe.startsWith("headers.")) return;
  const header = dedupe.slice("headers.".length).toLowerCase();
  if (signedHeaders(verify ?? null)?.includes(header) !== false) return;
  reader.report.add(
    "unsigned_dedupe",
    option.value.range,
    `The header \`${header}\` is not signed, so anybody who captures a request can send it again under another id.`,
    typeof verify === "string"
      ? "Use an id from the body, such as `body.id`, or remove `dedupe`: requests are then compared by their whole body."
      : `Use an id from the body, such as \`body.id\`. If the service signs the header, name \`headers.${header}\` in \`message\`.`,
  );
}

/** Null if it can't be told, or if nothing of a request is signed. */
function signedHeaders(verify: JsonValue | null): readonly string[] | null {
  if (typeof verify === "string") return webhookProviders.includes(verify) ? (providersSign[verify] ?? []) : null;
  if (verify === null || typeof verify !== "object" || Array.isArray(verify)) return null;
  const { scheme, header, message } = verify as Readonly<Record<string, JsonValue | null>>;
  if (typeof scheme !== "string" || scheme === "token" || typeof header !== "string") return null;
  const named = Array.isArray(message) ? message.map(String).filter((word) => word.startsWith("headers.")) : [];
  return [header, ...named.map((word) => word.slice("headers.".length).toLowerCase())];
}

function readVerify(context: BackgroundContext, node: Node): JsonValue | null {
  const { reader } = context;
  if (node.kind === "map") return readScheme(context, node);
  const scalar = expectText(reader, node, "`verify`");
  if (scalar !== null && !webhookProviders.includes(scalar.text))
    reader.report.add(
      "invalid_webhook",
      scalar.range,
      `The signatures of \`${scalar.text.slice(0, 60)}\` are not known to Plinth.`,
      descriptionHint(scalar.text) ??
        suggestFor(scalar.text, webhookProviders, reader.report) ??
        `Known providers: ${webhookProviders.join(", ")}. For any other, describe the signature: \`{ scheme, header, format, message }\`.`,
    );
  return scalar?.text ?? null;
}

function descriptionHint(name: string): string | null {
  const word = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return Object.hasOwn(describedServices, word) ? `Write \`verify: ${describedServices[word]}\`.` : null;
}

function readScheme({ reader }: BackgroundContext, map: MapNode): JsonValue {
  const scheme: Record<string, JsonValue | null> = {};
  for (const option of map.entries) {
    const key = option.key.text;
    switch (key) {
      case "scheme":
        scheme[key] = readWord(reader, option, signatureSchemes);
        break;
      case "header": {
        const header = expectText(reader, option.value, "`header`");
        if (header !== null && !/^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(header.text))
          reader.report.add(
            "invalid_webhook",
            header.range,
            "`header` is not a valid header name.",
            "For example `x-signature`.",
          );
        scheme[key] = header?.text.toLowerCase() ?? null;
        break;
      }
      case "format": {
        const format = expectText(reader, option.value, "`format`");
        if (format !== null && format.text.length > FORMAT_MAX)
          reader.report.add(
            "invalid_webhook",
            format.range,
            `\`format\` can have at most ${FORMAT_MAX} characters.`,
            "For example `sha256={hex}`, or `{base64}`.",
          );
        else if (format !== null && !/\{(?:hex|base64|raw)\}/.test(format.text))
          reader.report.add(
            "invalid_webhook",
            format.range,
            "`format` doesn't say where the signature is.",
            "For example `sha256={hex}`, or `{base64}`.",
          );
        else if (format?.text.includes("{timestamp}") && !TIMESTAMP_FIRST.test(format.text))
          reader.report.add(
            "invalid_webhook",
            format.range,
            "`{timestamp}` must come before the signature, with `,`, `;` or a space between the two.",
            "For example `t={timestamp},v1={hex}`. The header itself can have them in any order.",
          );
        scheme[key] = format?.text ?? null;
        break;
      }
      case "message":
        scheme[key] = readMessage(reader, option.value);
        break;
      default:
        refuseKey(reader, option, "`verify`", schemeKeys, []);
    }
  }
  for (const needed of ["scheme", "header"])
    if (entryOf(map, needed) === undefined)
      reader.report.add(
        "missing_key",
        map.range,
        `\`verify\` has no \`${needed}\`.`,
        `Write \`${needed === "scheme" ? "scheme: hmac-sha256" : "header: x-signature"}\`.`,
      );
  checkTimestamp(reader, map, scheme);
  return canonical(scheme);
}

const FORMAT_MAX = 200;
const TIMESTAMP_FIRST = /^[^{}]*\{timestamp\}\s*[,; ][^{}]*\{(?:hex|base64|raw)\}[^{}]*$/;

/** A timestamp that is not signed proves nothing, and a signed timestamp must have a place in the request. */
function checkTimestamp(
  { report }: BackgroundContext["reader"],
  map: MapNode,
  { format, message }: Readonly<Record<string, JsonValue | null>>,
): void {
  const isGiven = typeof format === "string" && format.includes("{timestamp}");
  const isSigned = Array.isArray(message) && message.includes("timestamp");
  if (isGiven === isSigned) return;
  report.add(
    "invalid_webhook",
    map.range,
    isGiven ? "`message` doesn't name the `timestamp`." : "`format` doesn't say where the `timestamp` is.",
    'For example `format: "t={timestamp},v1={hex}"` and `message: [timestamp, ".", body]`. If the timestamp has its own header, use `headers.x-timestamp`.',
  );
}

/** The maximum number of parts of a signed message. Each request is assembled before its sender is known. */
const MESSAGE_MAX = 20;

/** The signed parts: the body, headers, or texts between them. */
function readMessage(reader: BackgroundContext["reader"], node: Node): JsonValue | null {
  const list = expectList(reader, node, "`message`");
  if (list === null) return null;
  const words = expectWords(reader, list, "`message`");
  if (words.length > MESSAGE_MAX || words.filter((word) => word.text === "body").length > 1)
    reader.report.add(
      "invalid_webhook",
      list.range,
      `\`message\` can have at most ${MESSAGE_MAX} parts, and the body only once.`,
      'For example `[timestamp, ".", body]`.',
    );
  if (!words.some((word) => word.text === "body"))
    reader.report.add(
      "invalid_webhook",
      list.range,
      "The signature doesn't cover the body, so it proves nothing.",
      "Write `[body]`.",
    );
  return words.map((word) => word.text);
}

/** `body`, or `body.events`: a list. */
function readEach({ reader }: BackgroundContext, option: MapEntry): JsonValue | null {
  const scalar = expectText(reader, option.value, "`each`");
  if (scalar !== null && !/^body(?:\.[A-Za-z_][\w-]*|\.\d+)*$/.test(scalar.text))
    reader.report.add(
      "invalid_webhook",
      scalar.range,
      `\`${scalar.text.slice(0, 60)}\` is not a valid path to a list.`,
      "For example `body`, or `body.events`.",
    );
  return scalar?.text ?? null;
}

/** Whether `item` has a meaning: the source says where its list is, or its provider always sends one. */
function listsEvents(map: MapNode): boolean {
  const verify = entryOf(map, "verify")?.value;
  const isListing = verify?.kind === "scalar" && listingProviders.includes(verify.text);
  return isListing || entryOf(map, "each") !== undefined;
}

/** `body.data.id`, `headers.x-event`, or `item.id` for the members of a list. */
function readPath({ reader }: BackgroundContext, option: MapEntry, isList: boolean): JsonValue | null {
  const scalar = expectText(reader, option.value, `\`${option.key.text}\``);
  if (scalar?.text.startsWith("item.") === true && !isList)
    reader.report.add(
      "invalid_webhook",
      scalar.range,
      "`item` is a member of a list, but this source has no list.",
      "Say where the list is: `each: body`. If there is no list, write `body.type`.",
    );
  else if (scalar !== null && !PLACE.test(scalar.text))
    reader.report.add(
      "invalid_webhook",
      scalar.range,
      `\`${scalar.text.slice(0, 60)}\` is not a valid path in a request.`,
      "For example `body.type`, or `headers.x-event`.",
    );
  return scalar?.text ?? null;
}

const PLACE = /^(?:(?:body|item)(?:\.[A-Za-z_][\w-]*|\.\d+)+|headers\.[A-Za-z][\w-]*)$/;

function readTypes({ reader }: BackgroundContext, node: Node): JsonValue {
  const types: Record<string, JsonValue> = {};
  for (const entry of mapEntries(reader, node, "`events`")) {
    const name = expectText(reader, entry.value, "An event");
    if (name === null) continue;
    if (!isEventName(name.text)) refuseEventName(reader, wordOf(name));
    types[entry.key.text] = name.text;
  }
  return canonical(types);
}
