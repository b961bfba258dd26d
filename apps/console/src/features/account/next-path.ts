// Where to go after signing in. In: the `next` parameter of the address. Out: a path of this console, never another site.

export function nextPath(next: string | null): string {
  // "//host" and "/\host" would leave this origin in a browser's eyes.
  return next !== null && /^\/(?![/\\])/.test(next) ? next : "/projects";
}
