// The operator's mail server, as an address in one variable. A wrong one is named without its password.
import { expect, it } from "vitest";
import { smtpConnection } from "./settings.ts";

const FROM = "Plinth <plinth@example.com>";

it.each([
  ["smtp://mail.example.com", { host: "mail.example.com", port: 587, security: "starttls" }, undefined],
  ["smtps://mail.example.com", { host: "mail.example.com", port: 465, security: "tls" }, undefined],
  ["smtp://10.0.0.5:2525?tls=none", { host: "10.0.0.5", port: 2525, security: "none" }, undefined],
  ["smtp://a%40b:p%3Ass@[::1]:25", { host: "::1", port: 25, security: "starttls", user: "a@b" }, "p:ss"],
])("%s is a connection", (url, settings, password) => {
  const connection = smtpConnection(url, FROM);
  expect(connection.settings).toEqual({ ...settings, from_address: "plinth@example.com", from_name: "Plinth" });
  expect(connection.secrets["password"]).toBe(password);
});

it.each([
  ["mail.example.com:587", FROM, "must be an address"],
  ["https://user:hidden@mail.example.com", FROM, "must be an address"],
  ["smtp://user:hidden@10.0.0.5?tls=none", FROM, "password without encryption"],
  ["smtp://user:hidden@10.0.0.5?tls=maybe", FROM, "?tls=none"],
  ["smtp://user:hidden@mail.example.com", undefined, "PLINTH_MAIL_FROM"],
  ["smtp://user:hidden@mail.example.com", "nobody", "PLINTH_MAIL_FROM"],
])("%s from %s is refused", (url, from, words) => {
  const refused = () => smtpConnection(url, from);
  expect(refused).toThrow(words);
  expect(refused).not.toThrow("hidden");
});
