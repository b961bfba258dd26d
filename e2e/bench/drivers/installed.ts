// Selects the load generator of this machine. In: nothing. Out: its name and its function.
import { driveByAutocannon } from "./autocannon.ts";
import type { Drive } from "./drive.ts";
import { driveByWrk, wrkIsInstalled } from "./wrk.ts";

export function installedDriver(): { readonly name: "wrk" | "autocannon"; readonly drive: Drive } {
  return wrkIsInstalled() ? { name: "wrk", drive: driveByWrk } : { name: "autocannon", drive: driveByAutocannon };
}
