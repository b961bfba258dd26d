// Help for typing a blueprint: suggestions, and explanations under the mouse. In: nothing. Out: extensions of the editor. The texts come
// from the language package in the browser, without a request.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from "@codemirror/autocomplete";
import { type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap } from "@codemirror/view";

const language = () => import("@plinth/blueprint");

async function suggest(context: CompletionContext): Promise<CompletionResult | null> {
  const { completeAt } = await language();
  const found = completeAt(context.state.doc.toString(), context.pos);
  if (found === null || context.aborted) return null;
  // Without Ctrl-Space, suggest only after the start of a word, or at the start of a value.
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
      apply: (view, _completion, from, to) => accept(view, { from, to, insert, select }),
    })),
    validFor: /^\w*$/,
  };
}

interface Accepted {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly select: { readonly from: number; readonly to: number } | undefined;
}

/** Inserts a suggestion, selects the part that the author writes next, and shows suggestions for it. */
function accept(view: EditorView, { from, to, insert, select }: Accepted): void {
  const end = insert.length;
  const chosen = select ?? { from: end, to: end };
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + chosen.from, head: from + chosen.to },
    scrollIntoView: true,
    effects: setClosing.of(chosen.to < end ? { from: from + chosen.to, to: from + end } : null),
  });
  const isOpen = select === undefined ? /[:=.\s-]\s*$/.test(insert) : select.from === select.to;
  if (isOpen) startCompletion(view);
}

interface Closing {
  readonly from: number;
  readonly to: number;
}

const setClosing = StateEffect.define<Closing | null>();

/** The brackets after the part that the author writes. */
const closing = StateField.define<Closing | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setClosing)) return effect.value;
    if (value === null) return null;
    const { changes, newDoc, newSelection } = transaction;
    const moved = { from: changes.mapPos(value.from, 1), to: changes.mapPos(value.to, -1) };
    const { head } = newSelection.main;
    const isLeft = newDoc.lineAt(head).number !== newDoc.lineAt(Math.min(moved.from, newDoc.length)).number;
    return isLeft || moved.from >= moved.to ? null : moved;
  },
});

/** If the author types the brackets too, the cursor goes over them. */
const typeOver = EditorView.inputHandler.of((view, from, to, text) => {
  const range = view.state.field(closing);
  if (range === null || from !== to || from < range.from || from >= range.to) return false;
  if (text.length !== 1 || view.state.sliceDoc(from, from + 1) !== text) return false;
  view.dispatch({ selection: { anchor: from + 1 }, userEvent: "select" });
  return true;
});

/** Tab moves the cursor behind the brackets. */
const leave = Prec.high(
  keymap.of([
    {
      key: "Tab",
      run: (view) => {
        const range = view.state.field(closing);
        if (range === null) return false;
        view.dispatch({ selection: { anchor: range.to }, effects: setClosing.of(null), userEvent: "select" });
        return true;
      },
    },
  ]),
);

const hover = hoverTooltip(async (view, position) => {
  const { hoverAt } = await language();
  const found = hoverAt(view.state.doc.toString(), position);
  if (found === null) return null;
  return { pos: found.from, end: found.to, above: true, create: () => ({ dom: paragraphs(found.text) }) };
});

/** Renders the Markdown of the language's help: paragraphs, `code`, **bold**, fences. */
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
  // Without CodeMirror's icons: they are characters that few fonts have.
  autocompletion({ override: [suggest], icons: false, activateOnTypingDelay: 60 }),
  closing,
  typeOver,
  leave,
  hover,
];
