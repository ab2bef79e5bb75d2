/** The real server, started on a vault and stopped again. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";

const ROOT = new URL("../..", import.meta.url).pathname;

/** What `CONCORD_BIN` names, or what cargo built last for release or debugging. */
export function program(): string {
  const named = process.env["CONCORD_BIN"];
  const found = [named, `${ROOT}target/release/concord`, `${ROOT}target/debug/concord`].find(
    (path) => path !== undefined && existsSync(path),
  );
  if (!found) throw new Error("there is no concord: run `cargo build --release`, or set CONCORD_BIN");
  return found;
}

export function concord(...args: string[]): string {
  return execFileSync(program(), args, { encoding: "utf8", maxBuffer: 1 << 28 });
}

export interface Server {
  /** Without the token. */
  readonly origin: string;
  /** Empty for a process of one domain, which prints none. */
  readonly token: string;
  stop(): Promise<void>;
}

/** The gateway, or a domain of its own. */
export function serve(vault: string, domain?: string, port = "0"): Promise<Server> {
  const child = spawn(program(), ["serve", vault, "--port", port], {
    env: domain === undefined ? process.env : { ...process.env, DOMAIN: domain },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (data: Buffer) => {
      said += data;
      const address = /(http:\/\/[^\s/]+)(?:\/#token=([0-9a-f]+))?\s/.exec(said);
      if (address?.[1]) {
        resolve({ origin: address[1], token: address[2] ?? "", stop: () => stop(child) });
      }
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", (code) => reject(new Error(`concord serve ended with ${code}: ${said}`)));
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 5000).unref();
  });
}
