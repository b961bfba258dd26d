// Names of events, as people type them. In: names with spaces or commas in between. Out: the names.
export function eventNames(text: string): string[] {
  return text.split(/[\s,]+/).filter((one) => one !== "");
}
