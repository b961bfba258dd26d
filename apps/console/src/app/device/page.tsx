// `plinth login` leads here. In: the code after the #, or typed. Out: what waits with it, and the way to approve it.
import type { Metadata } from "next";
import { DeviceSignIn } from "../../features/tokens/device-sign-in.tsx";
import { CenteredPage } from "../../ui/centered-page.tsx";

export const metadata: Metadata = { title: "Sign in to the command line" };

export default function Page() {
  return (
    <CenteredPage wide>
      <DeviceSignIn />
    </CenteredPage>
  );
}
