// A value to copy: a key, a link, a secret. In: the value and the name of the copy button. Out: the whole value, with a button that
// copies it. It wraps the value instead of shortening it, so that it can be copied by hand as well.
import { CopyButton } from "./copy-button.tsx";

interface CopyFieldProps {
  value: string;
  /** The name of the button, such as "Copy key". */
  label: string;
  testId?: string;
  /** Shows the icon without the word "Copy". */
  iconOnly?: boolean;
}

export function CopyField({ value, label, testId, iconOnly = false }: CopyFieldProps) {
  return (
    <div className="flex w-full items-start gap-2">
      <code
        data-testid={testId}
        className="min-w-0 flex-1 rounded-md border bg-sunken px-3 py-[0.3125rem] font-mono text-[0.8125rem] break-all"
      >
        {value}
      </code>
      <CopyButton text={value} label={label} withText={!iconOnly} />
    </div>
  );
}
