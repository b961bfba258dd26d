// A text with names between backticks. In: text. Out: the text with the names as code.

export function MarkedText({ text }: { text: string }) {
  let at = 0;
  return text.split("`").map((part, index) => {
    const key = at;
    at += part.length + 1;
    return index % 2 === 0 ? (
      part
    ) : (
      <code key={key} className="rounded bg-hover px-1 py-px font-mono text-[0.92em]">
        {part}
      </code>
    );
  });
}
