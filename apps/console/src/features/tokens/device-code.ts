// The code of a waiting command line in the browser. In: the address's fragment, or what the person typed. Out: the code, kept for this
// tab while the person signs in. The fragment reaches no server; here it leaves the address, and so the history.
"use client";
import { useEffect, useState } from "react";

const KEY = "plinth.device-code";

interface DeviceCode {
  /** `undefined` while the address isn't read yet; null where there is none. */
  readonly code: string | null | undefined;
  readonly enter: (code: string) => void;
  readonly forget: () => void;
}

export function useDeviceCode(): DeviceCode {
  const [code, setCode] = useState<string | null>();
  const enter = (given: string): void => {
    sessionStorage.setItem(KEY, given);
    setCode(given);
  };
  useEffect(() => {
    const read = (): void => {
      const given = location.hash.slice(1);
      if (given !== "") {
        sessionStorage.setItem(KEY, given);
        history.replaceState(history.state, "", location.pathname);
      }
      setCode(sessionStorage.getItem(KEY));
    };
    read();
    // A second link pasted into the same tab.
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return { code, enter, forget: () => sessionStorage.removeItem(KEY) };
}
