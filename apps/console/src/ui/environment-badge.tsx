// Which environment one looks at. In: its kind and name. Out: a badge; production has a colour and a mark of its own.
import { Globe } from "lucide-react";
import { Badge } from "./badge.tsx";

interface EnvironmentBadgeProps {
  kind: "development" | "preview" | "production";
  name: string;
  className?: string;
}

export function EnvironmentBadge({ kind, name, className }: EnvironmentBadgeProps) {
  return (
    <Badge
      tone={kind === "production" ? "accent" : kind === "preview" ? "warn" : "neutral"}
      className={className ?? ""}
    >
      {kind === "production" ? <Globe className="size-3!" aria-hidden /> : null}
      {name}
    </Badge>
  );
}
