// The nonce of the page's content security policy, for what makes style elements in the browser: the editor, and the scroll
// lock of dialogs. In: the document. Out: its nonce, which stays while the person goes from page to page.

/** Scripts may read it; the markup, and so a style sheet, doesn't show it. */
export function pageNonce(): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}
