// The root address. In: nothing. Out: the way to the projects; whoever isn't signed in is led on from there.
import { redirect } from "next/navigation";

export default function Page(): never {
  redirect("/projects");
}
