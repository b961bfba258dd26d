// The page for a forgotten password. Out: the form.
import type { Metadata } from "next";
import { ForgotPassword } from "../../../features/account/forgot-password.tsx";

export const metadata: Metadata = { title: "Forgotten password" };

export default function Page() {
  return <ForgotPassword />;
}
