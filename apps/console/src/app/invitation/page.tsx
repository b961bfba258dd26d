// An invitation's link leads here. In: the token after the #. Out: what it opens, and the way to accept it.
import type { Metadata } from "next";
import { AcceptInvitation } from "../../features/members/accept-invitation.tsx";
import { CenteredPage } from "../../ui/centered-page.tsx";

export const metadata: Metadata = { title: "Invitation" };

export default function Page() {
  return (
    <CenteredPage wide>
      <AcceptInvitation />
    </CenteredPage>
  );
}
