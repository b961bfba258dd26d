// Which article stands before a name. In: a name, bare or between backticks. Out: `a name` or `an entry`.

export function withArticle(name: string): string {
  return `${/^`?(?!us|uni)[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}
