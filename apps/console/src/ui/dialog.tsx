// A modal dialog. In: title, description, content. Out: a dialog that traps the focus, closes on Esc and returns the focus. With `locked`
// only its own buttons close it, for content that is shown once. After somebody has typed into it, a click outside doesn't close it either.
// The focus starts at `data-autofocus`, or at the first control.
"use client";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  children: ReactNode;
  locked?: boolean;
  /** For two columns. */
  wide?: boolean;
}

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  locked = false,
  wide = false,
}: DialogProps) {
  const opener = useRef<Element | null>(null);
  const isTyped = useRef(false);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-black/40 backdrop-blur-[1px]" />
        <div className="fixed inset-0 z-50 grid place-items-center overflow-y-auto p-4">
          <Radix.Content
            className={cn(
              "relative w-full animate-rise rounded-xl border bg-surface p-5 shadow-raised focus:outline-none",
              wide ? "max-w-2xl" : "max-w-lg",
            )}
            onInput={() => {
              isTyped.current = true;
            }}
            onOpenAutoFocus={(event) => {
              isTyped.current = false;
              opener.current = document.activeElement;
              const wanted = (event.target as HTMLElement).querySelector("[data-autofocus]");
              if (!(wanted instanceof HTMLElement)) return;
              event.preventDefault();
              wanted.focus();
            }}
            onCloseAutoFocus={(event) => {
              // Radix only knows its own triggers, but state opens these dialogs.
              event.preventDefault();
              if (opener.current instanceof HTMLElement) opener.current.focus();
            }}
            onEscapeKeyDown={(event) => {
              if (locked) event.preventDefault();
            }}
            onInteractOutside={(event) => {
              if (locked || isTyped.current) event.preventDefault();
            }}
          >
            <Radix.Title className="pr-8 text-base font-semibold tracking-tight">{title}</Radix.Title>
            <Radix.Description asChild>
              <div className="mt-1 text-ink-soft">{description}</div>
            </Radix.Description>
            <div className="mt-4">{children}</div>
            {locked ? null : (
              <Radix.Close asChild>
                <Button variant="ghost" size="icon-small" aria-label="Close" className="absolute top-4 right-4">
                  <X />
                </Button>
              </Radix.Close>
            )}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}
