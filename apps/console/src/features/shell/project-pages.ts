// The pages of a project, in the order of the sidebar. In: nothing. Out: their names, addresses and keyboard letters.
import {
  Database,
  FileCode,
  GitPullRequestArrow,
  KeyRound,
  Layers2,
  LayoutGrid,
  type LucideIcon,
  Mail,
  Radio,
  Settings,
  ShieldCheck,
  Users,
  Webhook,
  Workflow,
} from "lucide-react";

export interface ProjectPage {
  readonly name: string;
  /** The part of the address after the project's id; empty for the first page. */
  readonly path: string;
  /** `g` and then this letter opens the page. */
  readonly letter: string;
  readonly Icon: LucideIcon;
}

export const projectPages: readonly ProjectPage[] = [
  { name: "Overview", path: "", letter: "o", Icon: LayoutGrid },
  { name: "Blueprint", path: "/blueprint", letter: "b", Icon: FileCode },
  { name: "Changes", path: "/changes", letter: "c", Icon: GitPullRequestArrow },
  { name: "Environments", path: "/environments", letter: "e", Icon: Layers2 },
  { name: "Data", path: "/data", letter: "d", Icon: Database },
  { name: "Users", path: "/users", letter: "u", Icon: Users },
  { name: "Permissions", path: "/permissions", letter: "r", Icon: ShieldCheck },
  { name: "Live", path: "/live", letter: "l", Icon: Radio },
  { name: "Work", path: "/work", letter: "w", Icon: Workflow },
  { name: "Webhooks", path: "/webhooks", letter: "h", Icon: Webhook },
  { name: "Mail", path: "/mail", letter: "m", Icon: Mail },
  { name: "Keys", path: "/keys", letter: "k", Icon: KeyRound },
  { name: "Settings", path: "/settings", letter: "s", Icon: Settings },
];
