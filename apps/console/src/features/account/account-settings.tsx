// The account of the person. In: the session. Out: profile, theme, password, second factor, access tokens, sessions, and the deletion of the
// account.
"use client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTRPC } from "../../trpc.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { PasswordForm } from "./password-form.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { SessionList } from "./session-list.tsx";
import { ThemeChoice } from "./theme-choice.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

/** `tokens`: the card about access tokens, from another feature. */
export function AccountSettings({ tokens }: { tokens: ReactNode }) {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  const person = me.data?.person;
  return (
    <>
      <PageHeader title="Account" description={person ? `${person.name}, ${person.email}` : null} />
      {person ? (
        <div className="flex flex-col gap-6">
          <ProfileForm key={`${person.name} ${person.email}`} person={person} />
          <ThemeChoice theme={person.theme} />
          <PasswordForm email={person.email} />
          <TwoFactorCard isOn={person.twoFactor} />
          {tokens}
          <SessionList />
          <DeleteAccount email={person.email} />
        </div>
      ) : (
        <SkeletonRows rows={4} className="h-40" />
      )}
    </>
  );
}
