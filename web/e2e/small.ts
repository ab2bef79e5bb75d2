/** A vault of a few notes with a server of its own: for tests that write into the vault. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { concord, type Server, serve } from "./server";

export interface Small {
  readonly origin: string;
  readonly token: string;
  /** A file's place on the disk. */
  path(name: string): string;
  write(name: string, text: string): void;
  /** Brings the index in step with the files, as `concord watch` would. */
  index(): void;
}

/** To be called at the top of a test file. */
export function small(files: Readonly<Record<string, string>>): Small {
  const vault = mkdtempSync(join(tmpdir(), "concord-small-"));
  let server: Server | null = null;
  const one: Small = {
    get origin() {
      return server?.origin ?? "";
    },
    get token() {
      return server?.token ?? "";
    },
    path: (name) => join(vault, name),
    write(name, text) {
      mkdirSync(dirname(join(vault, name)), { recursive: true });
      writeFileSync(join(vault, name), text);
    },
    index: () => void concord("index", vault),
  };
  beforeAll(async () => {
    for (const [name, text] of Object.entries(files)) one.write(name, text);
    one.index();
    server = await serve(vault);
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(vault, { recursive: true, force: true });
  });
  return one;
}
