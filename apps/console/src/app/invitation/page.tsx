// The page of an invitation's link. In: the token after the #. Out: the offer, and a button to accept it.
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
