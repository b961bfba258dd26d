// The person's theme on every device. In: the theme. Out: the chosen theme, at once.
"use client";
import type { Theme } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { applyTheme } from "../../theme.ts";
import { useTRPC } from "../../trpc.ts";
import { Card } from "../../ui/card.tsx";
import { cn } from "../../ui/cn.ts";
import { QueryError } from "../../ui/query-error.tsx";

const choices = [
  { value: "system", name: "Like the system", Icon: Monitor },
  { value: "light", name: "Light", Icon: Sun },
  { value: "dark", name: "Dark", Icon: Moon },
] as const;

export function ThemeChoice({ theme }: { theme: Theme }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const set = useMutation(
    trpc.me.setTheme.mutationOptions({
      onMutate: ({ theme: wanted }) => applyTheme(wanted),
      onError: () => {
        applyTheme(theme);
        setShown(theme);
      },
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.me.get.queryKey() }),
    }),
  );
  const [shown, setShown] = useState(theme);
  return (
    <Card title="Theme">
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Theme</legend>
        {choices.map(({ value, name, Icon }) => (
          <label
            key={value}
            className={cn(
              "flex cursor-pointer items-center gap-2 rounded-md border border-line-strong bg-surface px-3 py-2 text-[0.8125rem] font-medium shadow-card hover:border-ink-faint",
              "has-checked:border-accent has-checked:bg-accent-soft/40 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
            )}
          >
            <input
              type="radio"
              name="theme"
              value={value}
              checked={shown === value}
              onChange={() => {
                setShown(value);
                set.mutate({ theme: value });
              }}
              className="sr-only"
            />
            <Icon className="size-4 text-ink-soft" aria-hidden />
            {name}
          </label>
        ))}
      </fieldset>
      {set.error ? (
        <div className="mt-3">
          <QueryError error={set.error} what="The theme was not saved" />
        </div>
      ) : null}
    </Card>
  );
}
