// The list of keyboard shortcuts. In: whether it is open, and whether the page belongs to a project. Out: a dialog.
"use client";
import { Dialog } from "../../ui/dialog.tsx";
import { projectPages } from "./project-pages.ts";

interface ShortcutListProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly inProject: boolean;
}

export function ShortcutList({ open, onOpenChange, inProject }: ShortcutListProps) {
  const shortcuts = [
    { keys: "Ctrl K", what: "Search" },
    { keys: "?", what: "Show this list" },
    { keys: "g p", what: "Projects" },
    ...(inProject ? projectPages.map(({ name, letter }) => ({ keys: `g ${letter}`, what: name })) : []),
  ];
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keyboard shortcuts"
      description="On a Mac, use Cmd instead of Ctrl."
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 text-[0.8125rem]">
        {shortcuts.map(({ keys, what }) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border bg-sunken px-1.5 py-0.5 font-sans text-xs">{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
