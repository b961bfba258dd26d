// Names a request. In: what the caller sent as `X-Request-Id`. Out: that, where it is harmless, else a new id.
// It never lets a caller put anything but plain characters into logs and audit rows.

const harmless = /^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,127}$/;

export function requestIdOf(header: string | string[] | undefined, make: () => string): string {
  return typeof header === "string" && harmless.test(header) ? header : make();
}
