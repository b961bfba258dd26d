// The page of a link for a new password. In: the token after the `#`. Out: the form.
import type { Metadata } from "next";
import { ResetPassword } from "../../../features/account/reset-password.tsx";

export const metadata: Metadata = { title: "New password" };

export default function Page() {
  return <ResetPassword />;
}
