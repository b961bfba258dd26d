// The text editor of a blueprint. In: the text, its diagnostics, whether it is read-only. Out: every change, and a handle to move the
// cursor, undo and redo. It suggests what fits at the cursor. Tab indents; Esc and then Tab leaves the editor, so that the keyboard is
// never trapped.
"use client";
import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, redo, undo } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Transaction } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { Diagnostic } from "@plinth/blueprint";
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from "react";
import { pageNonce } from "../../nonce.ts";
import { editorAssist } from "./editor-assist.ts";
import { marksOf } from "./editor-marks.ts";
import { editorLook } from "./editor-theme.ts";
import { keepCursorVisible } from "./keep-cursor-visible.ts";
import { yamlIndent } from "./yaml-indent.ts";

export interface EditorHandle {
  /** Puts the cursor at an offset, scrolls there and takes the focus. */
  goTo(offset: number): void;
  /** False if there is no change to undo since the page was opened. */
  undo(): boolean;
  redo(): void;
  /** Replaces the text without adding it to the undo history. */
  show(text: string): void;
}

interface EditorProps {
  text: string;
  onChange: (text: string) => void;
  diagnostics: readonly Diagnostic[];
  readOnly: boolean;
  /** The first position of the cursor; null for the beginning, without the focus. */
  startAt: number | null;
  ref: Ref<EditorHandle>;
}

export default function Editor({ text, onChange, diagnostics, readOnly, startAt, ref }: EditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const report = useEffectEvent((changed: string) => onChange(changed));
  const initial = useEffectEvent(() => text);
  const start = useEffectEvent((created: EditorView) => {
    if (startAt !== null) goTo(created, startAt);
  });

  useEffect(() => {
    if (!container.current) return;
    const created = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: initial(),
        extensions: [
          EditorView.cspNonce.of(pageNonce()),
          lineNumbers(),
          highlightActiveLineGutter(),
          history(),
          drawSelection(),
          indentUnit.of("  "),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          lintGutter(),
          yamlIndent,
          yaml(),
          editorLook,
          keepCursorVisible,
          ...(readOnly ? [] : [editorAssist]),
          keymap.of([
            ...completionKeymap,
            ...defaultKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({
            tabindex: "0",
            "aria-label": "Blueprint",
            "aria-describedby": "editor-keys",
            "aria-readonly": String(readOnly),
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) report(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = created;
    start(created);
    return () => {
      created.destroy();
      view.current = null;
    };
  }, [readOnly]);

  useEffect(() => {
    // Only texts from outside (a template, the formatter): typed text is in the document already.
    const current = view.current;
    if (!current || current.state.doc.toString() === text) return;
    const head = Math.min(current.state.selection.main.head, text.length);
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: text },
      selection: { anchor: head },
    });
  }, [text]);

  useEffect(() => {
    const current = view.current;
    if (current) current.dispatch(setDiagnostics(current.state, marksOf(diagnostics, current.state.doc.length)));
  }, [diagnostics]);

  useImperativeHandle(ref, () => ({
    goTo: (offset) => void (view.current && goTo(view.current, offset)),
    undo: () => view.current !== null && undo(view.current),
    redo: () => void (view.current && redo(view.current)),
    show(changed) {
      view.current?.dispatch({
        changes: { from: 0, to: view.current.state.doc.length, insert: changed },
        annotations: Transaction.addToHistory.of(false),
      });
    },
  }));

  return (
    <>
      <div ref={container} className="h-full focus-within:outline-none" />
      <p id="editor-keys" className="sr-only">
        Tab indents. Press Escape and then Tab to leave the editor.
      </p>
    </>
  );
}

function goTo(view: EditorView, offset: number): void {
  const anchor = Math.min(offset, view.state.doc.length);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  view.focus();
}
