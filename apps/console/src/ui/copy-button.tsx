// Copies a text. In: the text and the button's name. Out: a button that shows "Copied" for two seconds, also to screen readers, or that the
// browser has refused access to the clipboard.
"use client";
import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

interface CopyButtonProps {
  text: string;
  label: string;
  /** Shows a text next to the icon. */
  withText?: boolean;
  className?: string;
}

export function CopyButton({ text, label, withText = false, className }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);

  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      setOutcome("refused");
    }
  }

  const icons = { copied: <Check className="text-good" />, refused: <X className="text-bad" /> };
  const words = { copied: "Copied", refused: "Copy it by hand" };
  return (
    <>
      <Button
        variant={withText ? "secondary" : "ghost"}
        size={withText ? "medium" : "icon-small"}
        aria-label={label}
        title={label}
        className={className ?? ""}
        onClick={() => void copy()}
        icon={outcome ? icons[outcome] : <Copy />}
      >
        {withText ? (outcome ? words[outcome] : "Copy") : null}
      </Button>
      <span role="status" className="sr-only">
        {outcome ? words[outcome] : ""}
      </span>
    </>
  );
}
