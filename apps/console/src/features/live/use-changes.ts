// Follows a project's changes. In: entities, and whether it is paused. Out: the newest changes, and the state of the connection. It keeps its
// position during a pause or a lost connection, and then shows the changes that it missed.
"use client";
import type { FollowedEntity, RecordChange } from "@plinth/control/router";
import { useEffect, useRef, useState } from "react";
import { useTRPCClient } from "../../trpc.ts";
import { errorCode } from "../../ui/error-text.ts";

export interface ShownChange extends RecordChange {
  readonly key: number;
  /** RFC 3339: when the change arrived in the browser. */
  readonly at: string;
}

export interface FollowedChanges {
  /** Newest first. */
  readonly changes: readonly ShownChange[];
  readonly state: "starting" | "live" | "reconnecting" | "paused";
  /** The error that stopped it; null while it runs or retries. */
  readonly error: unknown;
  readonly retry: () => void;
  readonly clear: () => void;
}

export const SHOWN_MAX = 500;
/** The pause between two requests, and after an error. */
const PAUSE_MS = 200;
const RETRY_MS = 3_000;
const FINAL = ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND"];

/** @param entities Must be the same array while the entities are the same. */
export function useChanges(projectId: string, entities: readonly string[], isPaused: boolean): FollowedChanges {
  const client = useTRPCClient();
  const [changes, setChanges] = useState<readonly ShownChange[]>([]);
  const [state, setState] = useState<"starting" | "live" | "reconnecting">("starting");
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const positions = useRef(new Map<string, string | undefined>());
  const count = useRef(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt starts again.
  useEffect(() => {
    if (isPaused || entities.length === 0) return;
    const stop = new AbortController();
    const add = (found: readonly RecordChange[]): void => {
      if (found.length === 0) return;
      const at = new Date().toISOString();
      const shown = found.map((change) => ({ ...change, at, key: count.current++ })).reverse();
      setChanges((before) => [...shown, ...before].slice(0, SHOWN_MAX));
    };
    const follow = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        try {
          const followed: FollowedEntity[] = entities.map((entity) => ({
            entity,
            after: positions.current.get(entity),
          }));
          const answer = await client.data.changes.query({ projectId, entities: followed }, { signal: stop.signal });
          if (stop.signal.aborted) return;
          for (const { entity, after } of answer.entities) positions.current.set(entity, after);
          add(answer.changes);
          setState("live");
          await pause(PAUSE_MS);
        } catch (failure) {
          if (stop.signal.aborted) return;
          if (FINAL.includes(errorCode(failure) ?? "")) {
            setError(failure);
            return;
          }
          setState("reconnecting");
          await pause(RETRY_MS);
        }
      }
    };
    void follow();
    return () => stop.abort();
  }, [client, projectId, entities, isPaused, attempt]);

  return {
    changes,
    state: isPaused ? "paused" : state,
    error,
    retry: () => {
      setError(null);
      setAttempt((before) => before + 1);
    },
    clear: () => setChanges([]),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
