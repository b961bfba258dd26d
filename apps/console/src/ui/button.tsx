// The button, and a link that looks like one. In: a variant, a size, `pending`. Out: a focusable control.
// While pending it stays focusable and announced as busy, but does nothing when pressed.
import { cva, type VariantProps } from "class-variance-authority";
import { LoaderCircle } from "lucide-react";
import Link from "next/link";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./cn.ts";

const styles = cva(
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 aria-disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        primary: "bg-accent text-accent-ink shadow-card hover:bg-accent-hover",
        secondary: "border border-line-strong bg-surface text-ink shadow-card hover:bg-hover",
        ghost: "text-ink-soft hover:bg-hover hover:text-ink",
        danger: "border border-line-strong bg-surface text-bad shadow-card hover:border-bad hover:bg-bad-soft",
      },
      size: {
        small: "h-7 px-2 text-xs [&_svg]:size-3.5",
        medium: "h-8 px-3 text-[0.8125rem]",
        large: "h-9 px-4 text-sm",
        icon: "size-8",
        "icon-small": "size-7 [&_svg]:size-3.5",
      },
    },
    defaultVariants: { variant: "secondary", size: "medium" },
  },
);

type ButtonProps = ComponentProps<"button"> & VariantProps<typeof styles> & { pending?: boolean; icon?: ReactNode };

export function Button({
  variant,
  size,
  pending = false,
  icon,
  className,
  children,
  onClick,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      type={pending ? "button" : type}
      className={cn(styles({ variant, size }), className)}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
      onClick={pending ? undefined : onClick}
      {...rest}
    >
      {pending ? <LoaderCircle className="animate-spin" aria-hidden /> : icon}
      {children}
    </button>
  );
}

type ButtonLinkProps = ComponentProps<typeof Link> & VariantProps<typeof styles> & { icon?: ReactNode };

export function ButtonLink({ variant, size, icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link className={cn(styles({ variant, size }), className)} {...rest}>
      {icon}
      {children}
    </Link>
  );
}
