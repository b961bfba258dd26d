// What is published of the SDK: an ES module and its types for each entry of package.json, and maps to the sources.
// One file of its error classes serves all entries, so that `instanceof` holds between them; for that reason there is no
// CommonJS copy beside it: Node 20.19 and later load the same file by `require`.
import { defineConfig, type UserConfig } from "tsdown";

const config: UserConfig = defineConfig({
  entry: ["src/index.ts", "src/inbound.ts", "src/live.ts", "src/react.ts"],
  format: "esm",
  platform: "neutral",
  target: "es2022",
  dts: true,
  sourcemap: true,
});
export default config;
