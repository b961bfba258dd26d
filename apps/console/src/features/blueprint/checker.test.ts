// The checker: texts that change faster than they can be checked, and a worker that fails.
import { expect, test } from "vitest";
import { type CheckAnswer, type CheckThread, createChecker } from "./checker.ts";

function answerTo(text: string): CheckAnswer {
  return { text, diagnostics: [] };
}

/** A thread that answers when the test says so. */
function createThread(): CheckThread & { readonly sent: string[]; answer(): void } {
  const sent: string[] = [];
  return {
    sent,
    onmessage: null,
    onerror: null,
    postMessage: (text) => void sent.push(text),
    terminate() {},
    answer() {
      this.onmessage?.(new MessageEvent("message", { data: answerTo(sent.at(-1) ?? "") }));
    },
  };
}

const never = (): Promise<CheckAnswer> => Promise.reject(new Error("the page must not check"));

test("one text is checked at a time, then the latest one", () => {
  const thread = createThread();
  const answers: string[] = [];
  const checker = createChecker({
    startThread: () => thread,
    checkHere: never,
    onAnswer: ({ text }) => answers.push(text),
  });
  for (const text of ["a", "ab", "abc"]) checker.check(text);
  expect(thread.sent).toEqual(["a"]);
  thread.answer();
  expect(thread.sent).toEqual(["a", "abc"]);
  thread.answer();
  expect(answers).toEqual(["a", "abc"]);
});

test("the page checks by itself if the worker can't be started or fails", async () => {
  const answers: string[] = [];
  const options = {
    checkHere: async (text: string) => answerTo(text),
    onAnswer: ({ text }: CheckAnswer) => answers.push(text),
  };
  createChecker({
    ...options,
    startThread: () => {
      throw new Error("refused");
    },
  }).check("a");
  await expect.poll(() => answers).toEqual(["a"]);

  const thread = createThread();
  const checker = createChecker({ ...options, startThread: () => thread });
  checker.check("b");
  thread.onerror?.(new Event("error") as ErrorEvent);
  await expect.poll(() => answers).toEqual(["a", "b"]);
  checker.check("c");
  await expect.poll(() => answers).toEqual(["a", "b", "c"]);
  expect(thread.sent).toEqual(["b"]);
});

test("a stopped checker reports nothing", () => {
  const thread = createThread();
  const answers: string[] = [];
  const checker = createChecker({
    startThread: () => thread,
    checkHere: never,
    onAnswer: ({ text }) => answers.push(text),
  });
  checker.check("a");
  checker.stop();
  thread.answer();
  expect(answers).toEqual([]);
});
