// A real Chromium. Out: a page; a screenshot of it is kept where a step fails.
import { type Browser, chromium } from "playwright-core";

/** Starts Chromium: `CHROME` where it is given, else the one inside @sparticuz/chromium (x64 Linux). */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROME"];
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: quietArgs });
  // The package unpacks the libraries that Chromium links against only where this names the runtime they are for.
  process.env["AWS_LAMBDA_JS_RUNTIME"] ??= "nodejs22.x";
  const { default: packaged } = await import("@sparticuz/chromium");
  // Its own arguments are left out: among them is --disable-web-security, under which a page sends no Origin.
  return chromium.launch({ executablePath: await packaged.executablePath(), args: quietArgs });
}

const quietArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
