// The driver that this machine has. In: nothing. Out: its name, and how it drives.
import { driveByAutocannon } from "./autocannon.ts";
import type { Drive } from "./drive.ts";
import { driveByWrk, wrkIsInstalled } from "./wrk.ts";

export function installedDriver(): { readonly name: "wrk" | "autocannon"; readonly drive: Drive } {
  return wrkIsInstalled() ? { name: "wrk", drive: driveByWrk } : { name: "autocannon", drive: driveByAutocannon };
}
