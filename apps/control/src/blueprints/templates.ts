// The templates for new projects. In: the files in the folder. Out: templates with a title and a description.
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
    description:
      "Teams of an organization, their issues with a workflow, comments and labels. Nobody sees those of another organization.",
  },
  {
    name: "invoicing",
    title: "Invoicing",
    description: "Customers, invoices with lines and numbers without gaps, payments. Issued invoices can't be changed.",
  },
  { name: "blank", title: "Blank", description: "One entity of private notes, to be replaced by your own." },
];

export function readTemplates(): Promise<readonly Template[]> {
  const directory = join(import.meta.dirname, "templates");
  return Promise.all(
    catalogue.map(async (entry) => ({ ...entry, text: await readFile(join(directory, `${entry.name}.yaml`), "utf8") })),
  );
}
