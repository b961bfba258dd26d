// In: the name of a part of background work. Out: a diagnostic if it is not valid.
import type { ScalarNode } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";

const PARTS_MAX_NAME = 48;

export function checkPartName(
  { text, range }: ScalarNode,
  what: string,
  { reader }: Pick<BackgroundContext, "reader">,
): void {
  if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(text) && text.length <= PARTS_MAX_NAME && text !== "constructor") return;
  reader.report.add(
    "invalid_name",
    range,
    `\`${text.slice(0, 60)}\` is not a valid name for ${what}.`,
    `Use lower-case words joined by \`_\`, at most ${PARTS_MAX_NAME} characters.`,
  );
}
