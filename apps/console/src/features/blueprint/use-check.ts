// Checks a blueprint while it is written, in the browser. In: text. Out: diagnostics; `settled` tells whether they are those of
// the text as it is now. The control API checks again at review.
"use client";
import type { Diagnostic } from "@plinth/blueprint";
import { useEffect, useRef, useState } from "react";
import { type CheckAnswer, type Checker, createChecker } from "./checker.ts";

/** Long enough not to run at every key, short enough to feel at once. */
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
