// A page of users. In: the accounts. Out: a row for each, with a link to its page.
import type { EndUserPage } from "@plinth/control/router";
import Link from "next/link";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { Pager } from "../../ui/pager.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Time } from "../../ui/time.tsx";

interface UserTableProps {
  projectId: string;
  page: EndUserPage;
  cursors: readonly string[];
  onPage: (cursors: readonly string[]) => void;
}

export function UserTable({ projectId, page, cursors, onPage }: UserTableProps) {
  return (
    <Card flush>
      <ScrollRegion label="Users">
        <table className="w-full text-left">
          <thead className="border-b bg-sunken text-xs text-ink-soft">
            <tr>
              <th className="px-4 py-2 font-medium">User</th>
              <th className="px-4 py-2 font-medium">Roles</th>
              <th className="px-4 py-2 font-medium">Signed up</th>
              <th className="px-4 py-2 font-medium">Last sign-in</th>
              <th className="px-4 py-2 font-medium">State</th>
            </tr>
          </thead>
          <tbody className="divide-y">
            {page.users.map((user) => (
              <tr key={user.id} className="relative hover:bg-hover/60">
                <td className="max-w-72 px-4 py-2.5">
                  <Link
                    href={`/projects/${projectId}/users/${user.id}`}
                    className="block truncate font-medium -outline-offset-2 after:absolute after:inset-0"
                  >
                    {user.email}
                  </Link>
                  {user.name ? (
                    <span className="block truncate text-[0.8125rem] text-ink-soft">{user.name}</span>
                  ) : null}
                </td>
                <td className="px-4 py-2.5 font-mono text-[0.8125rem]">{user.roles.join(", ") || "user"}</td>
                <td className="px-4 py-2.5 whitespace-nowrap">
                  <Time at={user.createdAt} />
                </td>
                <td className="px-4 py-2.5 whitespace-nowrap">
                  {user.lastSignInAt ? <Time at={user.lastSignInAt} /> : <span className="text-ink-soft">Never</span>}
                </td>
                <td className="px-4 py-2.5">
                  <UserState disabledAt={user.disabledAt} hasPassword={user.hasPassword} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <Pager cursors={cursors} next={page.next} shown={page.users.length} onChange={onPage} />
    </Card>
  );
}

export function UserState({ disabledAt, hasPassword }: { disabledAt: string | null; hasPassword: boolean }) {
  if (disabledAt !== null) return <Badge tone="bad">Disabled</Badge>;
  return hasPassword ? <Badge tone="good">Enabled</Badge> : <Badge tone="warn">No password yet</Badge>;
}
