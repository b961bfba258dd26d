// Checks texts one after the other. In: texts, as fast as they are typed. Out: the diagnostics of the latest text; texts in between are
// skipped. A worker does the work, or the page if no worker can be started.
import type { Diagnostic } from "@plinth/blueprint";

export interface CheckAnswer {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Checker {
  readonly check: (text: string) => void;
  readonly stop: () => void;
}

/** The used part of a `Worker`; tests replace it. */
export interface CheckThread {
  postMessage(text: string): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<CheckAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface CheckerOptions {
  readonly startThread: () => CheckThread;
  readonly checkHere: (text: string) => Promise<CheckAnswer>;
  readonly onAnswer: (answer: CheckAnswer) => void;
}

export function createChecker({ startThread, checkHere, onAnswer }: CheckerOptions): Checker {
  let thread: CheckThread | null = null;
  let running: string | null = null;
  let next: string | null = null;
  let stopped = false;

  function answered(answer: CheckAnswer): void {
    if (stopped) return;
    running = null;
    onAnswer(answer);
    const waiting = next;
    next = null;
    if (waiting !== null) check(waiting);
  }

  function failed(): void {
    if (stopped) return;
    thread?.terminate();
    thread = null;
    if (running !== null) void checkHere(running).then(answered);
  }

  try {
    thread = startThread();
    thread.onmessage = ({ data }) => answered(data);
    thread.onerror = failed;
  } catch {
    // The browser has no workers, or allows none: the page checks by itself.
    thread = null;
  }

  function check(text: string): void {
    if (running !== null) {
      next = text;
      return;
    }
    running = text;
    if (thread === null) void checkHere(text).then(answered);
    else thread.postMessage(text);
  }

  return {
    check,
    stop() {
      stopped = true;
      thread?.terminate();
    },
  };
}
