// The last resort: the layout itself failed, so nothing of it (fonts, providers) can be relied on.
// In: what was thrown. Out: a bare page that can be reloaded.
"use client";
import "./globals.css";

export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body className="px-6 py-16 text-center font-sans">
        <h1 className="text-xl font-semibold">The console couldn't start</h1>
        <p className="my-3 text-ink-soft">Nothing of yours was changed.</p>
        <button type="button" onClick={reset} className="rounded-md border px-3 py-1.5">
          Reload
        </button>
      </body>
    </html>
  );
}
