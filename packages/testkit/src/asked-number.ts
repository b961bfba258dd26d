// How much of a generated test is asked for. In: a variable of the environment. Out: its number, or the share that every run makes.
export function askedNumber(name: string, usual: number): number {
  return Number(process.env[name] ?? usual);
}
