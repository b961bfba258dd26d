// The sign-up form. In: name, email and password. Out: an account with its own organization, and a session.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearchParams } from "next/navigation";
import { useState } from "react";
import { EmailField, NameField, NewPasswordField } from "./account-fields.tsx";
import { signUp } from "./auth-client.ts";
import { EntryForm } from "./entry-form.tsx";
import { nextPath, withNext } from "./next-path.ts";

export function SignUpForm() {
  const router = useRouter();
  const next = nextPath(useSearchParams().get("next"));
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(): Promise<void> {
    setPending(true);
    setProblem(null);
    const refused = await signUp({ name, email, password });
    if (refused === null) {
      queryClient.clear();
      router.replace(next);
      return;
    }
    setProblem(refused);
    setPending(false);
  }

  return (
    <EntryForm
      title="Create your account"
      intro="Declare a backend, review what changes, deploy it."
      problem={problem}
      action="Create account"
      pending={pending}
      onSubmit={() => void submit()}
      other={{ question: "Have an account?", link: "Sign in", href: withNext("/sign-in", next) }}
    >
      <NameField value={name} onChange={setName} />
      <EmailField value={email} onChange={setEmail} />
      <NewPasswordField label="Password" name="password" value={password} onChange={setPassword} />
    </EntryForm>
  );
}
