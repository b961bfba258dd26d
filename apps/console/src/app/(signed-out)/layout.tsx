// The layout of the pages without a session. In: a form. Out: the form below the logo, in the middle of the window.
import type { ReactNode } from "react";
import { CenteredPage } from "../../ui/centered-page.tsx";

export default function SignedOutLayout({ children }: { children: ReactNode }) {
  return <CenteredPage>{children}</CenteredPage>;
}
