// Where the console meets its environment. In: PLINTH_CONTROL_URL, read when a request needs it, so that one build
// serves any address. Out: the origin of the control API. It never hands anything of the environment to the browser.

/** The control API as the console's server reaches it, without a slash at the end. */
export function controlUrl(): string {
  return (process.env.PLINTH_CONTROL_URL ?? "http://127.0.0.1:4100").replace(/\/+$/, "");
}
