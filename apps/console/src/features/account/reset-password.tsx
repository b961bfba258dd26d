// Sets a new password with the token of a link. In: the token after the `#`, and a password. Out: the new password; then the person signs
// in with it, and with a code if their account has a second factor.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useStoredFragment } from "../../stored-fragment.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { NewPasswordField } from "./account-fields.tsx";
import { resetPassword } from "./auth-client.ts";
import { EntryForm } from "./entry-form.tsx";

export function ResetPassword() {
  const queryClient = useQueryClient();
  const { code: token, forget } = useStoredFragment("plinth.reset");
  const [password, setPassword] = useState("");
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isDone, setIsDone] = useState(false);

  async function submit(): Promise<void> {
    setPending(true);
    const refused = await resetPassword(token ?? "", password);
    setPending(false);
    setProblem(refused);
    if (refused !== null) return;
    forget();
    // An earlier session in this browser has ended, too.
    queryClient.clear();
    setIsDone(true);
  }

  if (token === undefined) return <SkeletonRows rows={3} />;
  if (isDone) {
    return (
      <>
        <CenteredIntro title="Your password was changed">
          You are signed out on every device and in the command line. Sign in with the new password.
        </CenteredIntro>
        <ButtonLink href="/sign-in" variant="primary" size="large">
          Sign in
        </ButtonLink>
      </>
    );
  }
  if (token === null) {
    return (
      <>
        <CenteredIntro title="No link">
          This address has no link for a new password. Open the complete link that you received.
        </CenteredIntro>
        <ButtonLink href="/forgot-password" size="large">
          Ask for a link
        </ButtonLink>
      </>
    );
  }
  return (
    <EntryForm
      title="New password"
      intro="It signs you out on every device and in the command line."
      problem={problem}
      action="Set password"
      pending={pending}
      onSubmit={() => void submit()}
      other={{ question: "Is the link too old?", link: "Ask for a new one", href: "/forgot-password" }}
    >
      <NewPasswordField label="New password" name="new-password" value={password} onChange={setPassword} />
    </EntryForm>
  );
}
