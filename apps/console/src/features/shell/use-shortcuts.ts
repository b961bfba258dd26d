// Keyboard shortcuts for every page. In: a function for each. Out: nothing; it listens while the component is mounted. It ignores keys while
// somebody types in a field, and while a dialog or a menu is open.
import { useEffect, useEffectEvent } from "react";

interface Shortcuts {
  /** Ctrl+K, or Cmd+K on a Mac. */
  readonly onSearch: () => void;
  /** `?` */
  readonly onHelp: () => void;
  /** `g` and then a letter. */
  readonly onGo: (letter: string) => void;
}

/** The maximum time between the two keys of `g o`. */
const SEQUENCE_MS_MAX = 1_500;

export function useShortcuts(shortcuts: Shortcuts): void {
  const onKey = useEffectEvent((event: KeyboardEvent, startedAt: number | null): number | null => {
    const { key, metaKey, ctrlKey, altKey, timeStamp } = event;
    if ((metaKey || ctrlKey) && !altKey && key.toLowerCase() === "k") {
      event.preventDefault();
      shortcuts.onSearch();
      return null;
    }
    if (metaKey || ctrlKey || altKey || isTyping(event.target) || isCovered()) return null;
    if (startedAt !== null && timeStamp - startedAt < SEQUENCE_MS_MAX) {
      shortcuts.onGo(key.toLowerCase());
      return null;
    }
    if (key === "?") shortcuts.onHelp();
    return key === "g" ? timeStamp : null;
  });
  useEffect(() => {
    let startedAt: number | null = null;
    const listen = (event: KeyboardEvent): void => {
      // Shift alone doesn't end a sequence: it may be held for `?`.
      if (event.key !== "Shift") startedAt = onKey(event, startedAt);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable=true]") !== null;
}

function isCovered(): boolean {
  return document.querySelector("[role=dialog], [role=alertdialog], [role=menu]") !== null;
}
