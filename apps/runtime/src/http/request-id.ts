// Gives a request its id. In: the caller's `X-Request-Id`. Out: that id if it is harmless, else a new one. Only plain
// characters get into logs and audit rows.

const harmless = /^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,127}$/;

export function requestIdOf(header: string | string[] | undefined, make: () => string): string {
  return typeof header === "string" && harmless.test(header) ? header : make();
}
