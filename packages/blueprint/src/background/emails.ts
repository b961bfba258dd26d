// Reads the section `emails`. In: its syntax. Out: its templates with typed variables, and a subject and a Markdown
// body for each language. Expressions between the braces can only use the variables.
import { expectMap, expectText, mapEntries, refuseKey } from "../declarations/expect.ts";
import type { EmailTemplate, EmailText } from "../model/background.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { checkPartName } from "./part-name.ts";
import { readPayload } from "./payload.ts";
import { readTemplate } from "./templates.ts";
import { fieldsShape, type WorkPlace } from "./work-scope.ts";

const EMAILS_MAX = 200;
const emailKeys: readonly string[] = ["variables", "language", "subject", "body", "translations", "help"];
const textKeys: readonly string[] = ["subject", "body"];
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;
const USUAL_LANGUAGE = "en";

/** Names with another meaning in all expressions. */
const taken: readonly string[] = [
  "record",
  "old",
  "new",
  "event",
  "input",
  "steps",
  "run",
  "each",
  "error",
  "now",
  "today",
];
const alsoTaken: readonly string[] = ["current_user", "current_org", "request"];

export function readEmails(context: BackgroundContext, node: Node): readonly EmailTemplate[] {
  const entries = mapEntries(context.reader, node, "`emails`");
  const over = entries[EMAILS_MAX];
  if (over !== undefined)
    context.reader.report.add(
      "too_many",
      over.key.range,
      `A blueprint can have at most ${EMAILS_MAX} e-mail templates.`,
    );
  return entries.slice(0, EMAILS_MAX).flatMap((entry) => {
    checkPartName(entry.key, "an e-mail template", context);
    const map = expectMap(context.reader, entry.value, `The e-mail template \`${entry.key.text}\``);
    return map === null ? [] : [readEmail(context, entry, map)];
  });
}

function readEmail(context: BackgroundContext, { key }: MapEntry, map: MapNode): EmailTemplate {
  const { reader } = context;
  for (const option of map.entries)
    if (!emailKeys.includes(option.key.text)) refuseKey(reader, option, "an e-mail template", emailKeys, []);
  const given = entryOf(map, "variables");
  const variables = given === undefined ? [] : readPayload(context, given.value, "`variables`");
  for (const { name } of variables)
    if (given !== undefined && [...taken, ...alsoTaken].includes(name)) {
      const message = `\`${name}\` has another meaning in expressions.`;
      reader.report.add(
        "reserved_name",
        given.key.range,
        message,
        `Choose another name, for example \`${name}_value\`.`,
      );
    }
  const { members } = fieldsShape(variables) as Extract<ReturnType<typeof fieldsShape>, { kind: "object" }>;
  const place: WorkPlace = { entity: null, rows: [], roots: members, steps: null, user: false };
  const language = languageOf(context, entryOf(map, "language"));
  const texts: Record<string, EmailText> = { [language]: readText(context, key, map, place) };
  const translations = entryOf(map, "translations");
  for (const one of translations === undefined ? [] : mapEntries(reader, translations.value, "`translations`")) {
    const tag = one.key.text;
    if (!LANGUAGE.test(tag)) refuseLanguage(context, one.key);
    if (tag === language)
      reader.report.add(
        "duplicate_value",
        one.key.range,
        `\`${tag}\` is already the language of the template itself.`,
        "Remove this translation.",
      );
    const translated = expectMap(reader, one.value, `The translation \`${tag.slice(0, 40)}\``);
    if (translated === null) continue;
    for (const option of translated.entries)
      if (!textKeys.includes(option.key.text)) refuseKey(reader, option, "a translation", textKeys, []);
    texts[tag] ??= readText(context, one.key, translated, place);
  }
  const help = entryOf(map, "help");
  return {
    name: key.text,
    variables,
    language,
    texts: Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))),
    help: help === undefined ? null : (expectText(reader, help.value, "`help`")?.text ?? null),
  };
}

function languageOf(context: BackgroundContext, entry: MapEntry | undefined): string {
  const scalar = entry === undefined ? null : expectText(context.reader, entry.value, "`language`");
  if (scalar === null) return USUAL_LANGUAGE;
  if (LANGUAGE.test(scalar.text)) return scalar.text;
  refuseLanguage(context, scalar);
  return USUAL_LANGUAGE;
}

function refuseLanguage({ reader }: BackgroundContext, { text, range }: MapEntry["key"]): void {
  const hint = "For example `de` or `pt-BR`.";
  reader.report.add("invalid_option", range, `\`${text.slice(0, 40)}\` is not a valid language tag.`, hint);
}

function readText(context: BackgroundContext, owner: MapEntry["key"], map: MapNode, place: WorkPlace): EmailText {
  const read = (key: keyof EmailText): EmailText["body"] => {
    const entry = entryOf(map, key);
    if (entry === undefined) {
      const message = `\`${owner.text.slice(0, 60)}\` has no \`${key}\`.`;
      context.reader.report.add("missing_key", owner.range, message, `Write \`${key}: ...\`.`);
    }
    const scalar = entry === undefined ? null : expectText(context.reader, entry.value, `\`${key}\``);
    const template = scalar === null ? null : readTemplate(context, { ...scalar, value: scalar.text }, place);
    return template ?? { kind: "literal", value: "" };
  };
  return { subject: read("subject"), body: read("body") };
}
