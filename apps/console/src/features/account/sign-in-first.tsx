// The content of a page that needs a session, for a visitor without one. In: the page's title, its path and a sentence. Out: links to sign in
// or up, which lead back to the page.
import { ButtonLink } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { withNext } from "./next-path.ts";

export function SignInFirst({ title, page, children }: { title: string; page: string; children: string }) {
  return (
    <>
      <CenteredIntro title={title}>{children}</CenteredIntro>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={withNext("/sign-in", page)} variant="primary" size="large">
          Sign in
        </ButtonLink>
        <ButtonLink href={withNext("/sign-up", page)} size="large">
          Create an account
        </ButtonLink>
      </div>
    </>
  );
}
