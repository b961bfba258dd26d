// Tabs for a few views of the same thing. In: the tabs with their content. Out: tabs that work with arrow keys.
"use client";
import { Tabs } from "radix-ui";
import type { ReactNode } from "react";

interface Tab {
  readonly value: string;
  readonly label: string;
  readonly content: ReactNode;
}

export function Segmented({ tabs, label, extra }: { tabs: readonly Tab[]; label: string; extra?: ReactNode }) {
  return (
    <Tabs.Root defaultValue={tabs[0]?.value ?? ""}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <Tabs.List aria-label={label} className="inline-flex rounded-md bg-hover p-0.5">
          {tabs.map((tab) => (
            <Tabs.Trigger
              key={tab.value}
              value={tab.value}
              className="rounded-[5px] px-2.5 py-1 text-xs font-medium text-ink-soft transition-colors hover:text-ink data-[state=active]:bg-surface data-[state=active]:text-ink data-[state=active]:shadow-card"
            >
              {tab.label}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {extra}
      </div>
      {tabs.map((tab) => (
        <Tabs.Content key={tab.value} value={tab.value} tabIndex={-1}>
          {tab.content}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
