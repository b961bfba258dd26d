// Cuts a text to a number of letters. In: a text and the maximum. Out: the text, or its beginning with an ellipsis.
export function shortened(text: string, lettersMax: number): string {
  return text.length <= lettersMax ? text : `${text.slice(0, Math.max(1, lettersMax - 1))}…`;
}
