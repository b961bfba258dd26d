// The look of the editor. In: the colour variables of the console, so that light and dark need nothing else. Out: extensions.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-geist-mono), monospace", lineHeight: "1.65", overflow: "auto" },
  ".cm-content": { padding: "0.75rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 1rem 0 0.5rem" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--ink-faint)",
    border: "none",
    paddingLeft: "0.25rem",
  },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.25rem", fontVariantNumeric: "tabular-nums" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 25%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid var(--warn)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panels input, .cm-panels button": { fontFamily: "inherit", borderRadius: "4px" },
  ".cm-textfield": { backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", color: "var(--ink)" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)" },
  ".cm-tooltip": {
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "0.5rem",
    boxShadow: "var(--shadow-raised)",
    maxWidth: "32rem",
    overflow: "hidden",
  },
  // The explanation is next to the list, outside of its box.
  ".cm-tooltip.cm-tooltip-autocomplete": { overflow: "visible", maxWidth: "none" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--font-geist-mono), monospace",
    fontSize: "0.8125rem",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.15rem 0.75rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--ink-soft)", fontStyle: "normal", marginLeft: "0.75rem" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-tooltip.cm-completionInfo": { padding: "0" },
  ".cm-help": {
    maxWidth: "26rem",
    padding: "0.5rem 0.75rem",
    fontFamily: "var(--font-geist-sans), sans-serif",
    lineHeight: "1.5",
  },
  ".cm-help p + p, .cm-help pre": { marginTop: "0.4rem" },
  ".cm-help code, .cm-help pre": { fontFamily: "var(--font-geist-mono), monospace", fontSize: "0.75rem" },
  ".cm-diagnostic": { padding: "0.5rem 0.75rem", fontFamily: "var(--font-geist-sans), sans-serif", lineHeight: "1.5" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)" },
  ".cm-diagnostic-hint": { color: "var(--ink-soft)" },
  ".cm-lintRange-error, .cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad) 1px",
    textUnderlineOffset: "4px",
  },
  ".cm-lintRange-warning": { textDecorationColor: "var(--warn)" },
  ".cm-gutter-lint": { width: "1rem" },
  ".cm-lint-marker": {
    width: "0.5rem",
    height: "0.5rem",
    borderRadius: "50%",
    margin: "0.45rem auto 0",
    content: '""',
  },
  ".cm-lint-marker-error": { backgroundColor: "var(--bad)" },
  ".cm-lint-marker-warning": { backgroundColor: "var(--warn)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--code-key)" },
  { tag: [tags.string, tags.special(tags.string), tags.attributeValue], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.typeName], color: "var(--code-value)" },
  { tag: [tags.lineComment, tags.comment], color: "var(--ink-faint)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--ink-soft)" },
]);

export const editorLook: Extension = [theme, syntaxHighlighting(colours)];
