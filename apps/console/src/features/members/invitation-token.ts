// The token of an invitation's link in the browser. In: the address's fragment. Out: the token, kept for this tab while the
// person signs in or up. The fragment reaches no server; here it leaves the address, and so the history.
"use client";
import { useEffect, useState } from "react";

const KEY = "plinth.invitation";

/** `undefined` while the address isn't read yet; null where there is no invitation. */
export function useInvitationToken(): { token: string | null | undefined; forget: () => void } {
  const [token, setToken] = useState<string | null>();
  useEffect(() => {
    const read = (): void => {
      const given = location.hash.slice(1);
      if (given !== "") {
        sessionStorage.setItem(KEY, given);
        history.replaceState(history.state, "", location.pathname);
      }
      setToken(sessionStorage.getItem(KEY));
    };
    read();
    // A second link pasted into the same tab.
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return {
    token,
    forget: () => sessionStorage.removeItem(KEY),
  };
}
