// Whether a project uses a module of the service. In: its release and the module's name. Out: yes or no.
import type { ActiveRelease } from "./active-release.ts";

export function hasModule({ bundle }: ActiveRelease, module: string): boolean {
  return bundle.modules.includes(module);
}
