// An invitation's link leads here. In: the token after the #. Out: what it opens, and the way to accept it.
import type { Metadata } from "next";
import { AcceptInvitation } from "../../features/members/accept-invitation.tsx";
import { Logo } from "../../ui/logo.tsx";

export const metadata: Metadata = { title: "Invitation" };

export default function Page() {
  return (
    <main id="content" className="grid min-h-dvh place-items-center px-5 py-12">
      <div className="w-full max-w-md">
        <div className="mb-8 flex items-center gap-2.5">
          <Logo className="size-6" />
          <span className="text-base font-semibold tracking-tight">Plinth</span>
        </div>
        <AcceptInvitation />
      </div>
    </main>
  );
}
