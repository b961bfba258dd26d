// Shows a text diff. In: hunks. Out: numbered lines with signs, and colours with the same meaning.
import { Ellipsis } from "lucide-react";
import { cn } from "../../ui/cn.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import type { DiffLine, TextDiff } from "./text-diff.ts";

const signs = { same: " ", added: "+", removed: "-" } as const;

export function TextDiffView({ diff }: { diff: TextDiff }) {
  return (
    <ScrollRegion label="Text difference" className="max-h-[32rem] font-mono text-xs leading-5">
      <table className="w-full border-collapse">
        <tbody>
          {diff.hunks.map((hunk, index) => {
            const first = hunk.lines[0];
            return [
              index > 0 ? (
                <tr key={`gap-${first?.before}-${first?.after}`} className="bg-sunken text-ink-faint">
                  <td colSpan={3} className="border-y px-3 py-1 text-center select-none">
                    <Ellipsis className="mx-auto size-3.5" aria-label="Lines that are the same" role="img" />
                  </td>
                </tr>
              ) : null,
              ...hunk.lines.map((line) => <Line key={`${line.before}:${line.after}`} line={line} />),
            ];
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Line({ line }: { line: DiffLine }) {
  return (
    <tr className={cn(line.kind === "added" && "bg-added", line.kind === "removed" && "bg-removed")}>
      <td className="w-10 pl-3 text-right align-top text-ink-faint tabular-nums select-none">{line.before}</td>
      <td className="w-10 pl-2 text-right align-top text-ink-faint tabular-nums select-none">{line.after}</td>
      <td className="pr-4 pl-4 whitespace-pre">
        <span className="mr-2 text-ink-faint select-none">{signs[line.kind]}</span>
        {line.text}
      </td>
    </tr>
  );
}
