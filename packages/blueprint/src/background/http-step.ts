// In: a call of another service, as a step or as all that a worker does. Out: it, typed; null where it is wrong, which is
// reported. Whether calls are carried out yet is said in `unserved.ts`.
import { expectText, mapEntries, refuseKey } from "../expect.ts";
import type { StepAction, Template, Values } from "../model-background.ts";
import { entryOf, type MapEntry, type MapNode, type Word } from "../syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { readWord } from "./durations.ts";
import type { ReadAction } from "./step-scope.ts";
import { literal, readTemplate } from "./templates.ts";
import { json, type WorkPlace } from "./work-scope.ts";

type HttpRequest = Extract<StepAction, { kind: "http.request" }>;

const methods: readonly HttpRequest["method"][] = ["POST", "PUT", "PATCH", "GET", "DELETE"];
const callKeys: readonly string[] = ["url", "method", "headers", "body"];

export interface HttpForm {
  /** What messages call it. */
  readonly what: string;
  /** Signed as a call of a worker to its project's own service is; such a service knows a call by its key. */
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
  const headers = read("headers", (option) => readHeaders(context, option, place));
  const body = read("body", (option) => readTemplate(context, option.value, place));
  const repeat = read("repeat", (option) => readWord(reader, option, ["idempotent", "unsafe"]));
  if (url === null) return null;
  // What a lost answer may have done twice is not done again, unless the author says that it may.
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

function readUrl(context: BackgroundContext, option: MapEntry, place: WorkPlace): Template | null {
  const { reader } = context;
  const url = expectText(reader, option.value, "`url`");
  if (url === null) return null;
  if (!/^https:\/\/[^\s/$?#]+/.test(url.text)) {
    const hint = "For example `https://example.com/jobs`.";
    reader.report.add("invalid_option", url.range, "`url` is no https address.", hint);
    return null;
  }
  return readTemplate(context, url, place);
}

function readHeaders(context: BackgroundContext, option: MapEntry, place: WorkPlace): Values {
  const headers = mapEntries(context.reader, option.value, "`headers`").map(({ key, value }): [string, Template] => {
    const text = expectText(context.reader, value, `The header \`${key.text}\``);
    const read = text === null ? null : readTemplate(context, { ...text, value: text.text }, place);
    return [key.text, read ?? literal("")];
  });
  return Object.fromEntries(headers.sort(([a], [b]) => (a < b ? -1 : 1)));
}
