// The page that `plinth login` opens. In: the code after the #, or typed. Out: the waiting sign-in, and buttons to approve or deny it.
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
