// Joins class names. In: anything clsx takes. Out: one string in which a later Tailwind class beats an earlier one.
import { type ClassValue, clsx } from "clsx";
import { twMerge } from "tailwind-merge";

export function cn(...classes: ClassValue[]): string {
  return twMerge(clsx(classes));
}
