// The foot of a table with pages. In: the cursors used so far and the next one. Out: buttons for the next and the previous page. Cursors are
// opaque, so the list of used cursors leads back.
import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "./button.tsx";

export const pageSize = 25;

interface PagerProps {
  cursors: readonly string[];
  next: string | null;
  shown: number;
  onChange: (cursors: readonly string[]) => void;
}

export function Pager({ cursors, next, shown, onChange }: PagerProps) {
  const first = cursors.length * pageSize + 1;
  return (
    <div className="flex items-center justify-between gap-3 border-t px-4 py-2 text-[0.8125rem] text-ink-soft">
      <span className="tabular-nums" role="status">
        Rows {first} to {first + shown - 1}
      </span>
      <div className="flex gap-2">
        <Button
          size="small"
          disabled={cursors.length === 0}
          onClick={() => onChange(cursors.slice(0, -1))}
          icon={<ChevronLeft />}
        >
          Previous
        </Button>
        <Button
          size="small"
          disabled={next === null}
          onClick={() => (next === null ? undefined : onChange([...cursors, next]))}
        >
          Next
          <ChevronRight />
        </Button>
      </div>
    </div>
  );
}
