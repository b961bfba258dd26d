// The way back to the list that a page's thing is one of. In: where the list is, and what it is called.
import { ArrowLeft } from "lucide-react";
import Link from "next/link";

export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className="mb-3 inline-flex items-center gap-1 text-[0.8125rem] text-ink-soft hover:text-ink">
      <ArrowLeft className="size-3.5" aria-hidden />
      {children}
    </Link>
  );
}
