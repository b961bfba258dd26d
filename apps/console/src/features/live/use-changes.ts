// Following a project's changes from a page. In: entities, and whether it goes on. Out: the newest changes, and whether they arrive.
// It keeps its place while it is paused and over lost connections: what happened meanwhile is shown afterwards.
"use client";
import type { FollowedEntity, RecordChange } from "@plinth/control/router";
import { useEffect, useRef, useState } from "react";
import { useTRPCClient } from "../../trpc.ts";
import { errorCode } from "../../ui/error-text.ts";

export interface ShownChange extends RecordChange {
  readonly key: number;
  /** RFC 3339: when it arrived here. */
  readonly at: string;
}

export interface FollowedChanges {
  /** Newest first. */
  readonly changes: readonly ShownChange[];
  readonly state: "starting" | "live" | "reconnecting" | "paused";
  /** Why it doesn't go on by itself. */
  readonly error: unknown;
  readonly retry: () => void;
  readonly clear: () => void;
}

export const KEPT_MAX = 500;
/** Between two answers, and behind a failure. */
const PAUSE_MS = 200;
const RETRY_MS = 3_000;
const FINAL = ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND"];

/** @param entities The same array as long as they are the same. */
export function useChanges(projectId: string, entities: readonly string[], isPaused: boolean): FollowedChanges {
  const client = useTRPCClient();
  const [changes, setChanges] = useState<readonly ShownChange[]>([]);
  const [state, setState] = useState<"starting" | "live" | "reconnecting">("starting");
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const places = useRef(new Map<string, string | undefined>());
  const count = useRef(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew.
  useEffect(() => {
    if (isPaused || entities.length === 0) return;
    const left = new AbortController();
    const add = (found: readonly RecordChange[]): void => {
      if (found.length === 0) return;
      const at = new Date().toISOString();
      const shown = found.map((change) => ({ ...change, at, key: count.current++ })).reverse();
      setChanges((before) => [...shown, ...before].slice(0, KEPT_MAX));
    };
    const follow = async (): Promise<void> => {
      while (!left.signal.aborted) {
        try {
          const asked: FollowedEntity[] = entities.map((entity) => ({ entity, after: places.current.get(entity) }));
          const answer = await client.data.changes.query({ projectId, entities: asked }, { signal: left.signal });
          if (left.signal.aborted) return;
          for (const { entity, after } of answer.entities) places.current.set(entity, after);
          add(answer.changes);
          setState("live");
          await pause(PAUSE_MS);
        } catch (failure) {
          if (left.signal.aborted) return;
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
    return () => left.abort();
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
