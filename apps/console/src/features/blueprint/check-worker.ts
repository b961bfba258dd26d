// Checks a blueprint on a thread of its own, so that typing in a large one never waits. In: a text. Out: the same text with its
// diagnostics.
import { checkBlueprint } from "@plinth/blueprint";
import type { CheckAnswer } from "./checker.ts";

addEventListener("message", ({ data: text }: MessageEvent<string>) => {
  const answer: CheckAnswer = { text, diagnostics: checkBlueprint(text).diagnostics };
  postMessage(answer);
});
