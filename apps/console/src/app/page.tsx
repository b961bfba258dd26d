// The root address. In: nothing. Out: a redirect to the projects, which redirects a visitor without a session to the sign-in page.
import { redirect } from "next/navigation";

export default function Page(): never {
  redirect("/projects");
}
