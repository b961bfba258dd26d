// `plinth login` leads here. In: the code after the #, or typed. Out: what waits with it, and the way to approve it.
import type { Metadata } from "next";
import { DeviceSignIn } from "../../features/tokens/device-sign-in.tsx";
import { Logo } from "../../ui/logo.tsx";

export const metadata: Metadata = { title: "Sign in to the command line" };

export default function Page() {
  return (
    <main id="content" className="grid min-h-dvh place-items-center px-5 py-12">
      <div className="w-full max-w-md">
        <div className="mb-8 flex items-center gap-2.5">
          <Logo className="size-6" />
          <span className="text-base font-semibold tracking-tight">Plinth</span>
        </div>
        <DeviceSignIn />
      </div>
    </main>
  );
}
