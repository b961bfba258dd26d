// Writes the pages of diagnostics. In: a code of the catalogue. Out: Markdown with a wrong example, its diagnostics,
// and a right one. The diagnostics come from the check itself.
import { checkBlueprint } from "../check-blueprint.ts";
import { type DiagnosticCode, diagnosticCatalogue } from "../text/diagnostic.ts";
import { cell, table, yamlBlock } from "./markdown.ts";

export function diagnosticIndex(): string {
  const rows = Object.entries(diagnosticCatalogue).map(([code, { severity, title }]) => [
    `[\`${code}\`](${code}.md)`,
    severity,
    cell(title),
  ]);
  return `# Diagnostics

Everything that \`plinth validate\`, the editor and a deployment can say about a blueprint. All problems are reported at once, each with its place.

${table(["code", "severity", "what it says"], rows)}
`;
}

/** Longer examples (a text of a megabyte) are described, not shown. */
const SHOWN_LENGTH_MAX = 4_000;

export function diagnosticPage(code: DiagnosticCode): string {
  const { severity, title, wrong, right } = diagnosticCatalogue[code];
  const said = checkBlueprint(wrong).diagnostics.find((one) => one.code === code);
  const place =
    said === undefined ? "" : `Line ${said.span.start.line}, column ${said.span.start.column}: ${short(said.message)}`;
  const hint = said?.hint == null ? "" : `\n>\n> Hint: ${short(said.hint)}`;
  return `# ${code}

${title} (${severity}).

## Wrong

${shown(wrong)}

> ${place}${hint}

## Right

${shown(right)}
`;
}

function shown(example: string): string {
  const printable = example.replace(
    /(?!\n)[\p{Cc}\ufeff]/gu,
    (c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
  if (printable.length > SHOWN_LENGTH_MAX) return `A blueprint of ${example.length} characters.`;
  return yamlBlock(printable);
}

function short(text: string): string {
  const line = text.replaceAll("\n", " ");
  return line.length > 400 ? `${line.slice(0, 400)} ...` : line;
}
