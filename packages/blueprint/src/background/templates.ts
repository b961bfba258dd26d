// In: a value that may hold `${{ ... }}`. Out: nothing but diagnostics: what stands between the braces must be CEL, and a
// step that it names must have run before.
import { parseExpression, problemIsWarning } from "@plinth/expression";
import { isBroken, type Reader } from "../expect.ts";
import { suggestFor } from "../suggestions.ts";
import { type Node, rangeWithin, type ScalarNode } from "../syntax.ts";

/** A template is parsed with every key that its author presses. */
const TEXT_MAX = 10_000;

/** `known` are the ids of the steps before. */
export function checkTemplates(reader: Reader, node: Node, known: ReadonlySet<string>): void {
  if (node.kind === "list") for (const item of node.items) checkTemplates(reader, item, known);
  else if (node.kind === "map") for (const entry of node.entries) checkTemplates(reader, entry.value, known);
  else if (typeof node.value === "string" && !isBroken(node)) checkText(reader, node, known);
}

function checkText(reader: Reader, scalar: ScalarNode, known: ReadonlySet<string>): void {
  const { report, source } = reader;
  const { text } = scalar;
  if (text.length > TEXT_MAX && text.includes("${{")) {
    report.add("too_many", scalar.range, `A text with \`\${{\` has at most ${TEXT_MAX} characters.`);
    return;
  }
  let at = 0;
  for (let open = text.indexOf("${{"); open !== -1; open = text.indexOf("${{", at)) {
    const end = closeOf(text, open + 3);
    if (end === null) {
      report.add(
        "invalid_template",
        rangeWithin(scalar, source, open, text.length),
        "`${{` is never closed.",
        "Close it with `}}`.",
      );
      return;
    }
    checkCondition(reader, scalar, { start: open + 3, end }, known);
    at = end + 2;
  }
  const stray = text.indexOf("}}", at);
  if (stray !== -1 && !text.slice(at, stray).includes("{"))
    report.add(
      "invalid_template",
      rangeWithin(scalar, source, stray, stray + 2),
      "`}}` closes nothing.",
      "A value that is computed stands in `${{ ... }}`.",
    );
}

/** The `}}` that ends an expression: none in a string of it, none that closes a map of its own. */
function closeOf(text: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      const end = endOfString(text, at, character);
      if (end === null) return null;
      at = end;
    } else if (character === "{") depth++;
    else if (character === "}") {
      if (depth === 0) return text.charAt(at + 1) === "}" ? at : null;
      depth--;
    }
  }
  return null;
}

function endOfString(text: string, from: number, quote: string): number | null {
  for (let at = from + 1; at < text.length; at++) {
    if (text.charAt(at) === "\\") at++;
    else if (text.charAt(at) === quote) return at;
  }
  return null;
}

/** Checks the grammar of an expression of a step or of `when`, which is all or a part of a scalar. */
export function checkCondition(
  { report, source }: Reader,
  scalar: ScalarNode,
  { start, end }: { readonly start: number; readonly end: number },
  known: ReadonlySet<string> | null,
): void {
  const text = scalar.text.slice(start, end);
  if (text.trim() === "") {
    report.add("invalid_template", rangeWithin(scalar, source, start, end), "Nothing stands between the braces.");
    return;
  }
  const { syntax, problems } = parseExpression(text);
  for (const problem of problems) {
    if (syntax !== null && !problemIsWarning(problem)) continue;
    const range = rangeWithin(scalar, source, start + problem.start, start + problem.end);
    report.add(problem.code, range, problem.message, problem.hint);
  }
  if (known === null) return;
  for (const match of withoutStrings(text).matchAll(/(?<![\w.])steps\.([A-Za-z_]\w*)/g)) {
    const name = match[1] ?? "";
    if (known.has(name)) continue;
    const at = start + match.index + "steps.".length;
    report.add(
      "unknown_step",
      rangeWithin(scalar, source, at, at + name.length),
      `No step before this one is called \`${name}\`.`,
      suggestFor(name, known, report) ?? (known.size > 0 ? `There are: ${[...known].slice(0, 12).join(", ")}.` : null),
    );
  }
}

/** Texts blanked out, everything else at its place. */
function withoutStrings(text: string): string {
  return text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, (found) => " ".repeat(found.length));
}
