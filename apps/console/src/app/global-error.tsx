// The page for an error in the layout itself, without its fonts and providers. In: the error. Out: a plain page with a button to reload.
"use client";
import "./globals.css";

export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body className="px-6 py-16 text-center font-sans">
        <h1 className="text-xl font-semibold">The console couldn't start</h1>
        <p className="my-3 text-ink-soft">Nothing was changed.</p>
        <button type="button" onClick={reset} className="rounded-md border px-3 py-1.5">
          Reload
        </button>
      </body>
    </html>
  );
}
