// The menu of the person who is signed in. In: the session. Out: their name, and items to open the account and to sign out.
"use client";
import { useQuery } from "@tanstack/react-query";
import { LogOut, UserRound } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTRPC } from "../../trpc.ts";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../../ui/menu.tsx";
import { signOut } from "./auth-client.ts";

export function AccountMenu() {
  const trpc = useTRPC();
  const router = useRouter();
  const me = useQuery(trpc.me.get.queryOptions());
  const person = me.data?.person;

  async function leave(): Promise<void> {
    const refused = await signOut();
    if (refused !== null) return;
    // A full page load discards all data of this session.
    location.assign("/sign-in");
  }

  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={person ? `Account: ${person.name}` : "Account"}
          className="grid size-7 place-items-center rounded-full bg-ink text-xs font-medium text-page"
        >
          {person?.name.trim().charAt(0).toUpperCase() ?? ""}
        </button>
      }
    >
      {person ? (
        <MenuLabel>
          <span className="block text-[0.8125rem] font-medium text-ink">{person.name}</span>
          {person.email}
        </MenuLabel>
      ) : null}
      <MenuSeparator />
      <MenuItem onSelect={() => router.push("/account")}>
        <UserRound aria-hidden />
        Account
      </MenuItem>
      <MenuItem onSelect={() => void leave()}>
        <LogOut aria-hidden />
        Sign out
      </MenuItem>
    </Menu>
  );
}
