// What the console's server is told from outside. In: environment variables. Out: a typed configuration.
// It never reads the environment itself; `main.ts` hands it in.
import { BlockList, isIP, isIPv4 } from "node:net";

export interface ConsoleConfig {
  readonly port: number;
  readonly host: string;
  /** The control API as the console's server reaches it, without a slash at the end. */
  readonly controlUrl: string;
  /** Proves to the control API that the console speaks. */
  readonly consoleSecret: string;
  /** Proxies before the console, whose word on the client's address counts. */
  readonly trustedProxies: BlockList;
}

/** @throws Error that names every variable that is missing or wrong, and repeats no value. */
export function consoleConfig(env: Readonly<Record<string, string | undefined>>): ConsoleConfig {
  const problems: string[] = [];
  const port = Number(env.PLINTH_CONSOLE_PORT ?? "3000");
  if (!Number.isInteger(port) || port < 0 || port > 65535) problems.push("PLINTH_CONSOLE_PORT must be a port");
  const controlUrl = (env.PLINTH_CONTROL_URL ?? "http://127.0.0.1:4100").replace(/\/+$/, "");
  if (!/^https?:\/\//.test(controlUrl) || !URL.canParse(controlUrl)) problems.push("PLINTH_CONTROL_URL must be a URL");
  const consoleSecret = env.PLINTH_CONSOLE_SECRET ?? "";
  if (consoleSecret.length < 32) problems.push("PLINTH_CONSOLE_SECRET must have at least 32 characters");
  const trustedProxies = parseProxies(env.PLINTH_TRUSTED_PROXIES ?? "");
  if (trustedProxies === null)
    problems.push("PLINTH_TRUSTED_PROXIES must list addresses or networks, such as 10.0.0.0/8, 2001:db8::/32");
  if (problems.length > 0 || trustedProxies === null)
    throw new Error(`the console can't start: ${problems.join("; ")}`);
  return { port, host: env.PLINTH_CONSOLE_HOST ?? "127.0.0.1", controlUrl, consoleSecret, trustedProxies };
}

/** Null where an entry is neither an address nor a network. */
export function parseProxies(text: string): BlockList | null {
  const list = new BlockList();
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [address = "", bits, ...rest] = entry.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const most = family === "ipv4" ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    const valid = isIP(address) !== 0 && rest.length === 0 && bits !== "" && Number.isInteger(prefix);
    if (!valid || prefix < 0 || prefix > most) return null;
    list.addSubnet(address, prefix, family);
  }
  return list;
}
