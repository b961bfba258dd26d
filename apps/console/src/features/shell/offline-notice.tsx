// A notice while the browser is offline. In: the state that the browser reports. Out: a line under the top bar.
"use client";
import { WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";

export function OfflineNotice() {
  const online = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  return (
    <div role="status">
      {online ? null : (
        <p className="flex items-center justify-center gap-2 border-b bg-warn-soft px-4 py-1.5 text-[0.8125rem]">
          <WifiOff className="size-4 shrink-0 text-warn" aria-hidden />
          You are offline. The page shows data that was loaded before, and can't send changes.
        </p>
      )}
    </div>
  );
}

function subscribe(onChange: () => void): () => void {
  addEventListener("online", onChange);
  addEventListener("offline", onChange);
  return () => {
    removeEventListener("online", onChange);
    removeEventListener("offline", onChange);
  };
}
