// An e-mail address in a body. In: text. Out: the address in lower case, or a problem. It never checks whether anybody
// has the address.
import { z } from "zod";

/** The form of the HTML standard, with a dot in the host; the same as for an entity's e-mail fields. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

export const emailAddress: z.ZodType<string> = z
  .string()
  .max(254)
  .transform((text) => text.toLowerCase())
  .refine((text) => EMAIL.test(text), { message: "This is not an e-mail address." });
