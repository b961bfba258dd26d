// Diagnostics as marks of the editor. In: diagnostics, and the length of the text. Out: marks that are never empty and always within the
// text, which may have become shorter since it was checked.
import type { Diagnostic as Mark } from "@codemirror/lint";
import type { Diagnostic } from "@plinth/blueprint";

export function marksOf(diagnostics: readonly Diagnostic[], length: number): Mark[] {
  return diagnostics.map((diagnostic) => {
    const to = Math.min(Math.max(diagnostic.span.end.offset, diagnostic.span.start.offset + 1), length);
    const from = Math.max(0, Math.min(diagnostic.span.start.offset, to - 1));
    const { message, hint } = diagnostic;
    return {
      from,
      to,
      severity: diagnostic.severity,
      message: hint === null ? message : `${message} ${hint}`,
      renderMessage: () => element(message, hint),
    };
  });
}

function element(message: string, hint: string | null): HTMLElement {
  const box = document.createElement("div");
  box.textContent = message;
  if (hint !== null) {
    const below = box.appendChild(document.createElement("div"));
    below.className = "cm-diagnostic-hint";
    below.textContent = hint;
  }
  return box;
}
