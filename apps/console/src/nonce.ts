// The nonce of the page's content security policy, for code that creates style elements: the editor, and the scroll lock of dialogs. In:
// the document. Out: its nonce, which stays the same while the person moves between pages.

/** Scripts can read it, but the markup, and so a style sheet, can't. */
export function pageNonce(): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}
