// The sign-up page. In: `?next=`, the page to open afterwards. Out: the form.
import type { Metadata } from "next";
import { Suspense } from "react";
import { SignUpForm } from "../../../features/account/sign-up-form.tsx";

export const metadata: Metadata = { title: "Create account" };

export default function Page() {
  return (
    <Suspense>
      <SignUpForm />
    </Suspense>
  );
}
