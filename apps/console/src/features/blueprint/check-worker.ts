// Checks a blueprint in a worker, so that typing in a large one never waits. In: a text. Out: the text and its diagnostics.
import { checkBlueprint } from "@plinth/blueprint";
import type { CheckAnswer } from "./checker.ts";

addEventListener("message", ({ data: text }: MessageEvent<string>) => {
  const answer: CheckAnswer = { text, diagnostics: checkBlueprint(text).diagnostics };
  postMessage(answer);
});
