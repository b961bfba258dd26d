// A time for a person. In: RFC 3339. Out: "3 minutes ago" in a <time> with the exact time as its tooltip; it updates itself.
"use client";
import { useEffect, useState } from "react";
import { exactTime } from "./exact-time.ts";
import { relativeTime } from "./relative-time.ts";

export function Time({ at, className }: { at: string; className?: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={exactTime(at)} className={className} suppressHydrationWarning>
      {relativeTime(new Date(at).getTime(), now)}
    </time>
  );
}
