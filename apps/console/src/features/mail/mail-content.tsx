// The content of a mail. In: HTML and plain text. Out: the HTML in a frame without scripts, and the text next to it.
"use client";

export function MailContent({ html, text }: { html: string | null; text: string | null }) {
  return (
    <div className="grid gap-4 border-t bg-sunken p-4 lg:grid-cols-2">
      {html === null ? null : (
        <iframe
          title="The mail as HTML"
          // No scripts, no forms, and not the origin of this page.
          sandbox=""
          referrerPolicy="no-referrer"
          srcDoc={html}
          className="h-80 w-full rounded-md border bg-white"
        />
      )}
      <pre className="h-80 overflow-auto rounded-md border bg-surface p-3 font-mono text-xs whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  );
}
