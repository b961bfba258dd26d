// A message inside a page. In: a tone, a title, text, actions. Out: a box. Screen readers announce an error at once.
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn.ts";

const looks = {
  neutral: { box: "border-line bg-sunken", mark: "text-ink-soft", Icon: Info },
  good: { box: "border-good/30 bg-good-soft", mark: "text-good", Icon: CircleCheck },
  warn: { box: "border-line-strong bg-surface", mark: "text-warn", Icon: TriangleAlert },
  bad: { box: "border-bad/30 bg-bad-soft", mark: "text-bad", Icon: CircleAlert },
} as const;

interface NoticeProps {
  tone: keyof typeof looks;
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
}

export function Notice({ tone, title, children, actions, className }: NoticeProps) {
  const { box, mark, Icon } = looks[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={cn("flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border px-3.5 py-3", box, className)}
    >
      <Icon className={cn("mt-0.5 size-4 shrink-0", mark)} aria-hidden />
      <div className="min-w-0 flex-1 basis-56">
        {title ? <p className="font-medium">{title}</p> : null}
        {children ? <div className="text-[0.8125rem] text-ink-soft [&_p+p]:mt-1">{children}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </div>
  );
}
