// The blueprints that a new project can start from. In: the files beside. Out: templates with a title and a description.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Template } from "./api.ts";

const catalogue: readonly Omit<Template, "text">[] = [
  {
    name: "parcel-desk",
    title: "Parcel desk",
    description: "Shipping labels for shops: each user keeps their own shipments, admins see them all.",
  },
  {
    name: "market-square",
    title: "Market square",
    description: "Classified ads: the public reads active listings, owners edit their own, strangers send inquiries.",
  },
  {
    name: "booking",
    title: "Bookings",
    description: "Rooms of several houses, booked by the hour: no two bookings overlap, and guests fit the seats.",
  },
  {
    name: "tracker",
    title: "Issue tracker",
    description: "Teams of an organization, their issues with a workflow, comments and labels. Nobody sees another's.",
  },
  {
    name: "invoicing",
    title: "Invoicing",
    description: "Customers, invoices with lines and numbers without gaps, payments. What was issued changes no more.",
  },
  { name: "blank", title: "Blank", description: "One entity of private notes, to be replaced by your own." },
];

export function readTemplates(): Promise<readonly Template[]> {
  const directory = join(import.meta.dirname, "templates");
  return Promise.all(
    catalogue.map(async (entry) => ({ ...entry, text: await readFile(join(directory, `${entry.name}.yaml`), "utf8") })),
  );
}
