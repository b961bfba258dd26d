// The content of the connection form as the input of the request.
import { connectorManifests } from "@plinth/connectors/manifests";
import { expect, test } from "vitest";
import { connectionInput } from "./connection-input.ts";

test("numbers are numbers, and empty fields are not sent", () => {
  const form = new FormData();
  const typed = { name: " mail ", "settings.host": "smtp.example.com", "settings.port": "465", "settings.user": "" };
  for (const [name, value] of Object.entries(typed)) form.set(name, value);
  expect(connectionInput(connectorManifests.get("smtp")!, form)).toEqual({
    name: "mail",
    settings: { host: "smtp.example.com", port: 465 },
  });
});
