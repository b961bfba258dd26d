// Checks a blueprint while it is written, in the browser. In: text. Out: diagnostics and, where there is no error, the
// model; `settled` tells whether they are those of the text as it stands. The control API checks again at review.
"use client";
import type { Diagnostic, Model } from "@plinth/blueprint";
import { useEffect, useState } from "react";

/** Long enough not to run at every key, short enough to feel at once. */
const debounceMs = 150;

export interface Check {
  readonly diagnostics: readonly Diagnostic[];
  readonly model: Model | null;
  readonly settled: boolean;
}

const nothing: readonly Diagnostic[] = [];

export function useCheck(text: string | null): Check {
  const [result, setResult] = useState<{
    text: string;
    diagnostics: readonly Diagnostic[];
    model: Model | null;
  } | null>(null);

  useEffect(() => {
    if (text === null) return;
    let wanted = true;
    const timer = setTimeout(async () => {
      const { checkBlueprint } = await import("@plinth/blueprint");
      if (wanted) setResult({ text, ...checkBlueprint(text) });
    }, debounceMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [text]);

  return {
    diagnostics: result?.diagnostics ?? nothing,
    model: result?.model ?? null,
    settled: result !== null && result.text === text,
  };
}
