// Checks a blueprint in the browser while it is written. In: the text. Out: diagnostics; `settled` is true if they belong to the present
// text. The control API checks again at review.
"use client";
import type { Diagnostic } from "@plinth/blueprint";
import { useEffect, useRef, useState } from "react";
import { type CheckAnswer, type Checker, createChecker } from "./checker.ts";

/** Avoids a check at every key, and still feels immediate. */
const debounceMs = 150;

export interface Check {
  readonly diagnostics: readonly Diagnostic[];
  readonly settled: boolean;
}

const nothing: readonly Diagnostic[] = [];

export function useCheck(text: string): Check {
  const [answer, setAnswer] = useState<CheckAnswer | null>(null);
  const checker = useRef<Checker | null>(null);

  useEffect(() => {
    const created = createChecker({ startThread, checkHere, onAnswer: setAnswer });
    checker.current = created;
    return () => created.stop();
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => checker.current?.check(text), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);

  return { diagnostics: answer?.diagnostics ?? nothing, settled: answer !== null && answer.text === text };
}

function startThread(): Worker {
  return new Worker(new URL("./check-worker.ts", import.meta.url), { type: "module" });
}

async function checkHere(text: string): Promise<CheckAnswer> {
  const { checkBlueprint } = await import("@plinth/blueprint");
  return { text, diagnostics: checkBlueprint(text).diagnostics };
}
