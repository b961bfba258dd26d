// The filters of a list, kept in the address, so that one can share a view. In: the address. Out: the value of each filter, and a function
// that changes one. A changed filter replaces the entry in the history.
"use client";
import { usePathname, useRouter, useSearchParams } from "next/navigation";

export interface UrlFilters<Name extends string = string> {
  readonly of: (name: Name) => string | undefined;
  /** Null or an empty text removes the filter. */
  readonly set: (name: Name, value: string | null) => void;
  /** Differs whenever a filter differs. */
  readonly key: string;
}

export function useUrlFilters<Name extends string = string>(): UrlFilters<Name> {
  const parameters = useSearchParams();
  const pathname = usePathname();
  const router = useRouter();
  return {
    key: parameters.toString(),
    of: (name) => parameters.get(name) || undefined,
    set: (name, value) => {
      const changed = new URLSearchParams(parameters);
      if (value === null || value === "") changed.delete(name);
      else changed.set(name, value);
      router.replace(changed.size === 0 ? pathname : `${pathname}?${changed}`, { scroll: false });
    },
  };
}
