// The pages before a session. In: a form. Out: the form under the mark, in the middle of the page.
import type { ReactNode } from "react";
import { CenteredPage } from "../../ui/centered-page.tsx";

export default function SignedOutLayout({ children }: { children: ReactNode }) {
  return <CenteredPage>{children}</CenteredPage>;
}
