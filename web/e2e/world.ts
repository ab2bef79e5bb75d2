/** Once for all tests: a vault is made, indexed and served. */
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { concord, serve } from "./server";
import { makeVault } from "./vault";

declare module "vitest" {
  interface ProvidedContext {
    origin: string;
    token: string;
    vault: string;
  }
}

export default async function world(project: TestProject): Promise<() => Promise<void>> {
  const vault = makeVault();
  concord("index", vault);
  const server = await serve(vault);
  project.provide("origin", server.origin);
  project.provide("token", server.token);
  project.provide("vault", vault);
  return async () => {
    await server.stop();
    rmSync(dirname(vault), { recursive: true, force: true });
  };
}
