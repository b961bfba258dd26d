// Keeps the line that somebody writes in view when the editor shrinks: the list of problems below it grows while they type. It never scrolls
// back to a cursor that was out of view before.
import { EditorView, ViewPlugin } from "@codemirror/view";

interface CursorPlace {
  /** The lower edge of the cursor's line, from the top of the visible part, in pixels. */
  readonly bottom: number;
  readonly heightBefore: number;
  readonly heightAfter: number;
}

/** Whether the line was visible, and no longer is. */
export function isHidden({ bottom, heightBefore, heightAfter }: CursorPlace): boolean {
  return bottom > heightAfter && bottom <= heightBefore;
}

export const keepCursorVisible = ViewPlugin.define((view) => {
  const { scrollDOM } = view;
  let heightBefore = scrollDOM.clientHeight;
  const observer = new ResizeObserver(() => {
    const heightAfter = scrollDOM.clientHeight;
    const { head } = view.state.selection.main;
    const bottom = view.lineBlockAt(head).bottom + view.documentPadding.top - scrollDOM.scrollTop;
    if (view.hasFocus && isHidden({ bottom, heightBefore, heightAfter })) {
      view.dispatch({ effects: EditorView.scrollIntoView(head, { y: "end" }) });
    }
    heightBefore = heightAfter;
  });
  observer.observe(scrollDOM);
  return { destroy: () => observer.disconnect() };
});
