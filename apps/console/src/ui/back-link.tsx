// A link from a page back to its list. In: the address and the name of the list. Out: a link with an arrow.
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
