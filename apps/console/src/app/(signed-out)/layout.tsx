// The pages before a session. In: a form. Out: the form under the mark, in the middle of the page.
import type { ReactNode } from "react";
import { Logo } from "../../ui/logo.tsx";

export default function SignedOutLayout({ children }: { children: ReactNode }) {
  return (
    <main id="content" className="grid min-h-dvh place-items-center px-5 py-12">
      <div className="w-full max-w-[22rem]">
        <div className="mb-8 flex items-center gap-2.5">
          <Logo className="size-6" />
          <span className="text-base font-semibold tracking-tight">Plinth</span>
        </div>
        {children}
      </div>
    </main>
  );
}
