// The sign-in page. In: `?next=`, the page to open afterwards. Out: the form.
import type { Metadata } from "next";
import { Suspense } from "react";
import { SignInForm } from "../../../features/account/sign-in-form.tsx";

export const metadata: Metadata = { title: "Sign in" };

export default function Page() {
  return (
    <Suspense>
      <SignInForm />
    </Suspense>
  );
}
