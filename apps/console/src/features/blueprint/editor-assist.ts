// Helps while a blueprint is typed: suggestions and, under the mouse, what a word means. In: nothing. Out: extensions of the
// editor. What they say comes from the language itself; nothing is asked of a server.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";

const language = () => import("@plinth/blueprint");

async function suggest(context: CompletionContext): Promise<CompletionResult | null> {
  const { completeAt } = await language();
  const found = completeAt(context.state.doc.toString(), context.pos);
  if (found === null || context.aborted) return null;
  // Unasked, only once something of a word stands there, or where a value begins.
  const typed =
    context.pos > found.from ||
    /[:=.([{,-]\s?$/.test(context.state.sliceDoc(Math.max(0, context.pos - 2), context.pos));
  if (!context.explicit && !typed) return null;
  return {
    from: found.from,
    to: Math.max(found.to, context.pos),
    options: found.suggestions.map(({ label, insert, select, detail, help }, index) => ({
      label,
      detail,
      boost: -index / 10,
      ...(help === "" ? {} : { info: () => paragraphs(help) }),
      apply: (view, _completion, from, to) => {
        const chosen = select ?? { from: insert.length, to: insert.length };
        const selection = { anchor: from + chosen.from, head: from + chosen.to };
        view.dispatch({ changes: { from, to, insert }, selection, scrollIntoView: true });
        // A key is followed by its value, a call by its arguments: their suggestions are shown at once.
        const isOpen = select === undefined ? /[:=.\s-]\s*$/.test(insert) : select.from === select.to;
        if (isOpen) startCompletion(view);
      },
    })),
    validFor: /^\w*$/,
  };
}

const hover = hoverTooltip(async (view, position) => {
  const { hoverAt } = await language();
  const found = hoverAt(view.state.doc.toString(), position);
  if (found === null) return null;
  return { pos: found.from, end: found.to, above: true, create: () => ({ dom: paragraphs(found.text) }) };
});

/** The little Markdown that the language's help is written in: paragraphs, `code`, **bold**, fences. */
export function paragraphs(text: string): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-help";
  for (const part of text.split(/\n\n(?!.*```$)/)) {
    const fence = /^```\w*\n([\s\S]*?)\n?```$/.exec(part);
    const block = box.appendChild(document.createElement(fence === null ? "p" : "pre"));
    if (fence !== null) {
      block.textContent = fence[1] ?? "";
      continue;
    }
    for (const piece of part.split(/(`[^`]*`|\*\*[^*]*\*\*)/)) {
      if (piece.startsWith("`")) block.appendChild(document.createElement("code")).textContent = piece.slice(1, -1);
      else if (piece.startsWith("**"))
        block.appendChild(document.createElement("strong")).textContent = piece.slice(2, -2);
      else block.append(piece);
    }
  }
  return box;
}

export const editorAssist: Extension = [
  // Without CodeMirror's pictures: they are letters that few fonts have.
  autocompletion({ override: [suggest], icons: false, activateOnTypingDelay: 60 }),
  hover,
];
