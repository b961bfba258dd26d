// Shortens an id for a table or a link. In: an id. Out: its first and last characters; a short id is unchanged.
export function shortId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`;
}
