// Form fields: label, control, hint and error, connected for assistive technology. In: a label and the props of the control. Out: a control
// with a label; an error is announced and refers to its control. It validates nothing.
"use client";
import { ChevronDown } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./cn.ts";

const control =
  "w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm text-ink shadow-card transition-colors placeholder:text-ink-faint hover:border-ink-faint disabled:opacity-60 aria-invalid:border-bad";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
  /** Shows the label only to assistive technology. */
  hideLabel?: boolean;
}

type TextFieldProps = FieldProps & ComponentProps<"input">;

export function TextField({ label, hint, error, hideLabel = false, className, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <Label htmlFor={id} hidden={hideLabel}>
        {label}
      </Label>
      <input
        id={id}
        className={cn(control, "h-9", className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? `${id}-note` : undefined}
        {...rest}
      />
      <FieldNote id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

type SelectFieldProps = FieldProps & ComponentProps<"select">;

/** A native select: it works with every keyboard, screen reader and phone. */
export function SelectField({ label, hint, error, hideLabel = false, className, children, ...rest }: SelectFieldProps) {
  const id = useId();
  return (
    // A long choice makes it as wide as its container, not wider.
    <div className="flex max-w-full min-w-0 flex-col gap-1.5">
      <Label htmlFor={id} hidden={hideLabel}>
        {label}
      </Label>
      <span className="relative">
        <select
          id={id}
          className={cn(control, "h-9 appearance-none pr-8", className)}
          aria-describedby={error || hint ? `${id}-note` : undefined}
          {...rest}
        >
          {children}
        </select>
        <ChevronDown
          className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-ink-faint"
          aria-hidden
        />
      </span>
      <FieldNote id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  checked: boolean;
  onChoose: (value: string) => void;
  title: string;
  children?: ReactNode;
  disabled?: boolean;
}

/** One of several choices, as a card that can be clicked anywhere. A hidden radio button handles the keyboard. */
export function Choice({ name, value, checked, onChoose, title, children, disabled = false }: ChoiceProps) {
  return (
    <label
      className={cn(
        "relative flex cursor-pointer gap-3 rounded-lg border border-line-strong bg-surface p-3.5 shadow-card transition-colors hover:border-ink-faint",
        "has-checked:border-accent has-checked:bg-accent-soft/40 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
        disabled && "opacity-60",
      )}
    >
      <input
        type="radio"
        name={name}
        value={value}
        checked={checked}
        disabled={disabled}
        onChange={() => onChoose(value)}
        className="peer sr-only"
      />
      <span
        className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-line-strong bg-surface peer-checked:border-[5px] peer-checked:border-accent"
        aria-hidden
      />
      <span className="min-w-0">
        <span className="block font-medium">{title}</span>
        {children ? <span className="mt-0.5 block text-[0.8125rem] text-ink-soft">{children}</span> : null}
      </span>
    </label>
  );
}

function Label({ hidden, children, ...rest }: ComponentProps<"label">) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the caller passes htmlFor.
    <label className={cn("text-[0.8125rem] font-medium", hidden && "sr-only")} {...rest}>
      {children}
    </label>
  );
}

function FieldNote({ id, hint, error }: { id: string; hint: ReactNode; error: string | null | undefined }) {
  if (error) {
    return (
      <p id={id} role="alert" className="text-[0.8125rem] text-bad">
        {error}
      </p>
    );
  }
  return hint ? (
    <p id={id} className="text-[0.8125rem] text-ink-soft">
      {hint}
    </p>
  ) : null;
}
