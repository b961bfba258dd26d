// The size of a generated test. In: an environment variable. Out: its number, or the default share.
export function askedNumber(name: string, usual: number): number {
  return Number(process.env[name] ?? usual);
}
