// A code after the `#` of an address: no browser sends it to a server. In: the key under which this tab stores it. Out: the code, from
// the address or typed, also after a sign-in on another page. It is removed from the address, and so from the browser's history.
"use client";
import { useEffect, useState } from "react";

interface StoredFragment {
  /** `undefined` before the address is read; null if there is no code. */
  readonly code: string | null | undefined;
  readonly enter: (code: string) => void;
  readonly forget: () => void;
}

export function useStoredFragment(storageKey: string): StoredFragment {
  const [code, setCode] = useState<string | null>();
  useEffect(() => {
    const read = (): void => {
      const fragment = location.hash.slice(1);
      if (fragment !== "") {
        sessionStorage.setItem(storageKey, fragment);
        history.replaceState(history.state, "", location.pathname);
      }
      setCode(sessionStorage.getItem(storageKey));
    };
    read();
    // Somebody may paste a second link into the same tab.
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, [storageKey]);
  return {
    code,
    enter: (typed) => {
      sessionStorage.setItem(storageKey, typed);
      setCode(typed);
    },
    forget: () => sessionStorage.removeItem(storageKey),
  };
}
