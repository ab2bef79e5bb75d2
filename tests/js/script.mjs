// For Node and Bun: node script.mjs ADDRESS PACKAGE

import { createRequire } from "node:module";
import { ask } from "./ask.mjs";
import { bench } from "./bench.mjs";

const [address, path] = process.argv.slice(2);
const concord = createRequire(import.meta.url)(path);
if (new URL(address).pathname === "/bench") {
  await bench(concord, address);
} else {
  await ask(() => concord, address);
}
