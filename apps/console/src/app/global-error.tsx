// The last resort: the layout itself failed, so nothing of it (fonts, styles, providers) can be relied on.
// In: what was thrown. Out: a bare page that can be reloaded.
"use client";

export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body style={{ fontFamily: "system-ui", padding: "4rem 1.5rem", textAlign: "center" }}>
        <h1 style={{ fontSize: "1.25rem" }}>The console couldn't start</h1>
        <p>Nothing of yours was changed.</p>
        <button type="button" onClick={reset}>
          Reload
        </button>
      </body>
    </html>
  );
}
