// Adds the right article to a name. In: a name, with or without backticks. Out: `a name` or `an entry`.

export function withArticle(name: string): string {
  return `${/^`?(?!us|uni)[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}
