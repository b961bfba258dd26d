// A page with one task and no top bar, such as signing in. In: the content and its width. Out: the content below the logo, in the middle
// of the window.
import type { ReactNode } from "react";
import { cn } from "./cn.ts";
import { Logo } from "./logo.tsx";

export function CenteredPage({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <main id="content" className="grid min-h-dvh place-items-center px-5 py-12">
      <div className={cn("w-full", wide ? "max-w-md" : "max-w-[22rem]")}>
        <div className="mb-8 flex items-center gap-2.5">
          <Logo className="size-6" />
          <span className="text-base font-semibold tracking-tight">Plinth</span>
        </div>
        {children}
      </div>
    </main>
  );
}

/** The heading of such a page, and a sentence below it. */
export function CenteredIntro({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 mb-6 break-words text-ink-soft">{children}</p>
    </>
  );
}
