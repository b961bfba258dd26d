// Links to the pages of a project. In: the project's id. Out: a sidebar, or on small screens a row that scrolls sideways.
"use client";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { cn } from "../../ui/cn.ts";
import { projectPages } from "./project-pages.ts";

export function ProjectNavigation({ projectId }: { projectId: string }) {
  const pathname = usePathname();
  const root = `/projects/${projectId}`;
  const row = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page marks another link.
  useEffect(() => {
    const list = row.current;
    const link = list?.querySelector<HTMLElement>("[aria-current=page]");
    if (list && link) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
  }, [pathname]);
  return (
    <nav
      aria-label="Project"
      className="sticky top-0 z-20 border-b bg-surface md:static md:w-52 md:shrink-0 md:border-r md:border-b-0 md:bg-transparent"
    >
      <ul ref={row} className="flex gap-0.5 overflow-x-auto px-2 py-1.5 md:sticky md:top-0 md:flex-col md:px-3 md:py-4">
        {projectPages.map(({ name, path, Icon }) => {
          const here = path === "" ? pathname === root : pathname.startsWith(root + path);
          return (
            <li key={name}>
              <Link
                href={root + path}
                aria-current={here ? "page" : undefined}
                className={cn(
                  "flex items-center gap-2 rounded-md px-2.5 py-1.5 text-[0.8125rem] font-medium text-ink-soft transition-colors hover:bg-hover hover:text-ink",
                  here && "bg-hover text-ink",
                )}
              >
                <Icon className={cn("size-4 text-ink-faint max-md:hidden", here && "text-accent-text")} aria-hidden />
                {name}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
