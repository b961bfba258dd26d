// Renders a mail. In: a template of the bundle or the HTML of a step, and values. Out: subject, text and HTML. A value
// is always text: it can't become an element, an attribute, or an address that runs something.
import type { BundleEmail, BundleEmailText, Template } from "@plinth/bundle";
import { type EvaluationContext, evaluateValue, type Value } from "@plinth/expression";
import sanitizeHtml from "sanitize-html";
import { textOf } from "../project/expression-text.ts";
import { createRoom, type Room } from "../project/room.ts";

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
}

/**
 * Maximum characters of a mail's HTML for sanitizing, and of its plain text and subject together. A template may use a
 * value a thousand times, and sanitizing takes this process up to a microsecond per character.
 */
const MAIL_CHARACTERS_MAX = 100_000;

const newRoom = (): Room => createRoom(MAIL_CHARACTERS_MAX, "The template with its values has");

/**
 * @param language A tag. If there is no translation for it, one of the same language is used, or the template's own
 * text. @throws Fault `conflict` if the mail becomes too long.
 */
export function renderEmail(
  template: BundleEmail,
  values: Readonly<Record<string, Value>>,
  language: string | null,
): RenderedMail {
  const { subject, text, html } = textsOf(template, language);
  const context: EvaluationContext = { ...nothing, values };
  const htmlRoom = newRoom();
  const parts = html.map((part) => {
    if (typeof part === "string") return htmlRoom.take(part);
    const value = textOf(part.expression, context);
    return htmlRoom.take(escapeHtml(part.as === "url_part" ? encodeURIComponent(value) : value));
  });
  const room = newRoom();
  return {
    subject: lineOf(plainOf(subject, context, room)),
    text: plainOf(text, context, room),
    html: sanitizeMail(parts.join("")),
  };
}

const nothing: EvaluationContext = { rows: {}, user: { id: null, email: null, roles: [] } };

function textsOf({ texts, language: own }: BundleEmail, language: string | null): BundleEmailText {
  const find = (tag: string): BundleEmailText | undefined =>
    Object.entries(texts).find(([each]) => each.toLowerCase() === tag.toLowerCase())?.[1];
  const parts = language?.split("-") ?? [];
  const wanted = parts.map((_, at) => parts.slice(0, parts.length - at).join("-"));
  const found = wanted.map(find).find((each) => each !== undefined) ?? find(own);
  if (found === undefined) throw new Error("an e-mail template without a text in its own language");
  return found;
}

function plainOf(template: Template, context: EvaluationContext, room: Room): string {
  if (template.kind === "text")
    return template.parts.map((part) => room.take(typeof part === "string" ? part : textOf(part, context))).join("");
  return template.kind === "literal" ? String(template.value ?? "") : "";
}

/**
 * The HTML of a step. Text from the blueprint is HTML, and computed values are plain text. @throws Fault `conflict` if
 * it becomes too long.
 */
export function fillHtml(template: Template, context: EvaluationContext): string {
  const room = newRoom();
  switch (template.kind) {
    case "text":
      return template.parts
        .map((part) => room.take(typeof part === "string" ? part : escapeHtml(textOf(part, context))))
        .join("");
    case "value":
      return room.take(escapeHtml(String(evaluateValue(template.expression, context) ?? "")));
    case "literal":
      return typeof template.value === "string" ? template.value : escapeHtml(JSON.stringify(template.value));
    default:
      return "";
  }
}

/** One line: a line break would begin another header. */
export function lineOf(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, 998)
    .toWellFormed();
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Keeps what mail readers show, and removes everything that runs, loads a page or acts as a form. */
export function sanitizeMail(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: [...sanitizeHtml.defaults.allowedTags, "img", "center", "del", "ins"],
    allowedAttributes: {
      "*": ["style", "align", "valign", "width", "height", "dir", "lang", "title"],
      a: ["href", "name"],
      img: ["src", "alt"],
      table: ["border", "cellpadding", "cellspacing", "role"],
      td: ["colspan", "rowspan"],
      th: ["colspan", "rowspan", "scope"],
    },
    allowedStyles: {
      "*": Object.fromEntries(allowedStyles.map((name) => [name, [/^(?!.*(?:url|expression)\s*\().*$/i]])),
    },
    allowedSchemes: ["http", "https", "mailto", "tel"],
    allowedSchemesByTag: { img: ["https"] },
    allowProtocolRelative: false,
  });
}

const allowedStyles: readonly string[] = [
  "background-color",
  "border",
  "border-collapse",
  "border-radius",
  "color",
  "display",
  "font-family",
  "font-size",
  "font-style",
  "font-weight",
  "height",
  "line-height",
  "margin",
  "max-width",
  "padding",
  "text-align",
  "text-decoration",
  "vertical-align",
  "width",
];
