// The history of a draft. In: the project's id. Out: a menu with undo, redo and earlier saves; `onOpen` gets the text of a chosen save.
"use client";
import { useQuery } from "@tanstack/react-query";
import { History, Redo2, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../../ui/menu.tsx";
import { Time } from "../../ui/time.tsx";

interface DraftHistoryProps {
  projectId: string;
  onUndo: () => void;
  onRedo: () => void;
  onOpen: (text: string) => void;
  onFailed: (why: string) => void;
}

export function DraftHistory({ projectId, onUndo, onRedo, onOpen, onFailed }: DraftHistoryProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [open, setOpen] = useState(false);
  const history = useQuery(trpc.drafts.history.queryOptions({ projectId }, { enabled: open, staleTime: 0 }));

  async function show(version: number): Promise<void> {
    try {
      onOpen((await client.drafts.earlier.query({ projectId, version })).text);
    } catch (error) {
      onFailed(errorText(error));
    }
  }

  return (
    <Menu
      onOpenChange={setOpen}
      trigger={
        <Button icon={<History />} aria-label="History of the draft">
          History
        </Button>
      }
    >
      <MenuItem onSelect={onUndo}>
        <Undo2 aria-hidden />
        Undo
      </MenuItem>
      <MenuItem onSelect={onRedo}>
        <Redo2 aria-hidden />
        Redo
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>Earlier saves of this draft</MenuLabel>
      {history.error ? <MenuLabel>{errorText(history.error)}</MenuLabel> : null}
      {history.data?.length === 0 ? <MenuLabel>None yet</MenuLabel> : null}
      {history.data?.map(({ version, savedAt, bytes }) => (
        <MenuItem key={version} onSelect={() => void show(version)}>
          <span className="flex-1">
            <Time at={savedAt} />
          </span>
          <span className="text-xs text-ink-soft tabular-nums">{(bytes / 1024).toFixed(1)} KiB</span>
        </MenuItem>
      ))}
    </Menu>
  );
}
