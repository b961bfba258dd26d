// A moment in full, in the time zone of the browser, which it names. In: RFC 3339. Out: text for a person.
export function exactTime(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
}
