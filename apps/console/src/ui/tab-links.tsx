// Tabs that are separate pages. In: their names and addresses, and the current one. Out: a row of links; the current one is marked.
import Link from "next/link";
import { cn } from "./cn.ts";

interface TabLink {
  readonly name: string;
  readonly label: string;
  readonly href: string;
}

interface TabLinksProps {
  /** The name of the row for screen readers. */
  label: string;
  tabs: readonly TabLink[];
  /** The `name` of the tab that is shown. */
  current: string;
}

export function TabLinks({ label, tabs, current }: TabLinksProps) {
  return (
    <nav aria-label={label} className="mb-4 overflow-x-auto border-b">
      <ul className="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab.name}>
            <Link
              href={tab.href}
              aria-current={tab.name === current ? "page" : undefined}
              className={cn(
                "block border-b-2 border-transparent px-3 py-2 text-[0.8125rem] font-medium whitespace-nowrap text-ink-soft -outline-offset-2 hover:text-ink",
                tab.name === current && "border-accent text-ink",
              )}
            >
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
