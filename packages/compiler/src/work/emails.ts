// Compiles e-mail templates. In: templates with Markdown bodies. Out: for each language a subject, a plain text, and
// HTML with placeholders that say how to escape a value: a value is never read as Markdown or HTML.
import type { EmailTemplate, Template } from "@plinth/blueprint";
import type { BundleEmail, BundleEmailText, EmailHtmlPart } from "@plinth/bundle";
import type { Expression } from "@plinth/expression";
import MarkdownIt from "markdown-it";
import { exampleOf } from "../requests/example-values.ts";
import { createSchemaOf } from "../requests/schemas.ts";

/** No HTML from authors: a mail contains only what Markdown produces. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** Private-use characters, in pairs around the number of a placeholder: Markdown leaves them unchanged. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];
const GAP = /\ue000(\d+)\ue001|%EE%80%80(\d+)%EE%80%81/g;

export function emailOf({ name, help, variables, language, texts }: EmailTemplate): BundleEmail {
  const made = Object.entries(texts).map(([tag, { subject, body }]) => [tag, textOf(subject, body)] as const);
  return {
    name,
    help,
    valuesSchema: createSchemaOf(variables, null),
    example: exampleOf(variables) as BundleEmail["example"],
    language,
    texts: Object.fromEntries(made),
  };
}

function textOf(subject: Template, body: Template): BundleEmailText {
  const gaps: Expression[] = [];
  const source = partsOf(body)
    .map((part) =>
      typeof part === "string" ? part.replace(/[\ue000\ue001]/g, "") : `${OPEN}${gaps.push(part) - 1}${CLOSE}`,
    )
    .join("");
  return {
    subject: { kind: "text", parts: partsOf(subject) },
    text: {
      kind: "text",
      parts: joinedParts(plainOf(source), gaps).map((part) => (typeof part === "string" ? part : part.expression)),
    },
    html: joinedParts(markdown.render(source), gaps),
  };
}

function partsOf(template: Template): readonly (string | Expression)[] {
  switch (template.kind) {
    case "text":
      return template.parts;
    case "value":
      return [template.expression];
    case "literal":
      return [typeof template.value === "string" ? template.value : JSON.stringify(template.value)];
    default:
      throw new Error("a text of a mail can't be a list or an object");
  }
}

/** A placeholder in an address is percent-encoded, which Markdown does to no other. */
function joinedParts(made: string, gaps: readonly Expression[]): EmailHtmlPart[] {
  const parts: EmailHtmlPart[] = [];
  let at = 0;
  for (const match of made.matchAll(GAP)) {
    if (match.index > at) parts.push(made.slice(at, match.index));
    const expression = gaps[Number(match[1] ?? match[2])];
    const isFirst = made[match.index - 1] === '"';
    if (expression !== undefined)
      parts.push({ expression, as: match[1] !== undefined ? "text" : isFirst ? "url" : "url_part" });
    at = match.index + match[0].length;
  }
  if (at < made.length) parts.push(made.slice(at));
  return parts;
}

/** The same as plain text: the marks of Markdown are removed, and addresses of links follow them. */
function plainOf(source: string): string {
  const lines: string[] = [];
  let list: (number | null)[] = [];
  let isFirst = false;
  for (const token of markdown.parse(source, {})) {
    switch (token.type) {
      case "bullet_list_open":
        list = [...list, null];
        break;
      case "ordered_list_open":
        list = [...list, Number(token.attrGet("start") ?? 1)];
        break;
      case "bullet_list_close":
      case "ordered_list_close":
        list = list.slice(0, -1);
        if (list.length === 0) lines.push("");
        break;
      case "list_item_open":
        isFirst = true;
        break;
      case "hr":
        lines.push("---", "");
        break;
      case "fence":
      case "code_block":
        lines.push(token.content.trimEnd(), "");
        break;
      case "inline": {
        const depth = list.length;
        const number = list.at(-1) ?? null;
        const mark =
          depth === 0
            ? ""
            : isFirst
              ? `${"  ".repeat(depth - 1)}${number === null ? "-" : `${number}.`} `
              : "  ".repeat(depth);
        if (isFirst && number !== null) list = [...list.slice(0, -1), number + 1];
        isFirst = false;
        lines.push(mark + inlineOf(token.children ?? []));
        if (depth === 0) lines.push("");
        break;
      }
    }
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

type Token = ReturnType<typeof markdown.parse>[number];

function inlineOf(tokens: readonly Token[]): string {
  const links: string[] = [];
  let text = "";
  let from = 0;
  for (const token of tokens) {
    if (token.type === "softbreak" || token.type === "hardbreak") text += "\n";
    else if (token.type === "link_open") {
      links.push(String(token.attrGet("href") ?? ""));
      from = text.length;
    } else if (token.type === "link_close") {
      const href = links.pop() ?? "";
      // If the text of the link is its address, it is written once.
      if (![text.slice(from), `mailto:${text.slice(from)}`, encodeURI(text.slice(from))].includes(href))
        text += ` (${href})`;
    } else text += token.content;
  }
  return text;
}
