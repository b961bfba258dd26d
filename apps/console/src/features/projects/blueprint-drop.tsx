// Chooses a blueprint file. In: a file, dropped or chosen by mouse or keyboard. Out: its name and text, read in the browser without a
// request. A file that can't be a blueprint is refused with the reason.
"use client";
import { FileText, Upload } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";

const bytesMax = 512 * 1024;

export interface BlueprintFile {
  readonly name: string;
  readonly text: string;
}

interface BlueprintDropProps {
  file: BlueprintFile | null;
  onFile: (file: BlueprintFile) => void;
}

export function BlueprintDrop({ file, onFile }: BlueprintDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function accept(dropped: File | undefined): Promise<void> {
    setOver(false);
    if (!dropped) return;
    if (!/\.ya?ml$/i.test(dropped.name))
      return setProblem(`${dropped.name} is not a YAML file. Choose a file that ends in .yaml or .yml.`);
    if (dropped.size > bytesMax)
      return setProblem(`${dropped.name} is larger than 512 KiB, the maximum for a blueprint.`);
    setProblem(null);
    onFile({ name: dropped.name, text: await dropped.text() });
  }

  return (
    <div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is optional; the button inside does the same by keyboard. */}
      <div
        onDragOver={(event: DragEvent) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event: DragEvent) => {
          event.preventDefault();
          void accept(event.dataTransfer.files[0]);
        }}
        className={cn(
          "flex flex-wrap items-center gap-3 rounded-lg border border-dashed border-line-strong px-4 py-4 transition-colors",
          over && "border-accent bg-accent-soft/40",
        )}
      >
        {file ? (
          <FileText className="size-4 text-ink-soft" aria-hidden />
        ) : (
          <Upload className="size-4 text-ink-soft" aria-hidden />
        )}
        <p className="min-w-0 flex-1 basis-40 text-[0.8125rem] text-ink-soft">
          {file ? (
            <>
              <span className="font-mono text-ink">{file.name}</span>, {file.text.split("\n").length} lines
            </>
          ) : (
            "Drop a blueprint (.yaml) here, or choose a file."
          )}
        </p>
        <Button size="small" onClick={() => input.current?.click()}>
          {file ? "Choose another" : "Choose file"}
        </Button>
        <input
          ref={input}
          type="file"
          accept=".yaml,.yml"
          aria-label="Blueprint file"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => void accept(event.target.files?.[0])}
        />
      </div>
      {problem ? (
        <p role="alert" className="mt-1.5 text-[0.8125rem] text-bad">
          {problem}
        </p>
      ) : null}
    </div>
  );
}
