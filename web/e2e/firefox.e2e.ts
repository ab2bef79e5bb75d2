/**
 * Firefox, which Playwright drives only in an edition of its own. So it is started on a loopback
 * server that passes everything on to the real one, adds one script to the page, and hears from
 * that script how it went: the page itself is not changed.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import type { Bundle } from "../src/core/concord";
import { find, runs } from "./browser";
import { nativeDigest, ownProfile } from "./native";

interface Report {
  readonly agent: string;
  readonly rows: number;
  readonly isolated: boolean;
  readonly agreement: string;
  readonly moved: { readonly digest: string; readonly patch: string } | null;
  /** The mark, once the list has moved. */
  readonly still: string;
  readonly note: string;
  readonly failure: string | null;
}

const QUIET = [
  ["browser.shell.checkDefaultBrowser", "false"],
  ["browser.startup.homepage_override.mstone", '"ignore"'],
  ["datareporting.policy.dataSubmissionEnabled", "false"],
  ["network.captive-portal-service.enabled", "false"],
  ["network.connectivity-service.enabled", "false"],
];

test("Firefox answers, agrees with the server, re-ranks to the native core's digest and opens a note", async () => {
  const program = find("CONCORD_FIREFOX", ["firefox-esr", "firefox"]);
  if (!program || !runs(program))
    throw new Error("there is no Firefox here; install it, or set CONCORD_FIREFOX");
  const origin = new URL(inject("origin"));
  const script = readFileSync(new URL("./smoke.js", import.meta.url));
  const profile = mkdtempSync(join(tmpdir(), "concord-firefox-"));
  writeFileSync(
    join(profile, "user.js"),
    QUIET.map(([key, value]) => `user_pref("${key}", ${value});\n`).join(""),
  );
  let heard: (report: Report) => void = () => {};
  const reported = new Promise<Report>((resolve) => {
    heard = resolve;
  });
  let answered = "";
  const between = createServer((from, to) => {
    if (from.url === "/smoke.js")
      return void to.writeHead(200, { "content-type": "text/javascript" }).end(script);
    if (from.url === "/smoke") {
      let body = "";
      from.on("data", (data) => {
        body += data;
      });
      from.on("end", () => {
        to.writeHead(204).end();
        heard(JSON.parse(body) as Report);
      });
      return;
    }
    const headers = { ...from.headers, host: origin.host, "accept-encoding": "identity" };
    delete headers.origin;
    const onward = ask(
      { host: origin.hostname, port: origin.port, path: from.url, method: from.method, headers },
      (answer) => {
        if (from.url?.startsWith("/v1/vault/search")) {
          answered = "";
          answer.on("data", (data) => {
            answered += data;
          });
        }
        const isPage = answer.headers["content-type"]?.startsWith("text/html");
        if (!isPage) {
          to.writeHead(answer.statusCode ?? 502, answer.headers);
          return void answer.pipe(to);
        }
        let page = "";
        answer.on("data", (data) => {
          page += data;
        });
        answer.on("end", () => {
          const { "content-length": _, ...rest } = answer.headers;
          to.writeHead(200, rest).end(
            page.replace("</body>", '<script type="module" src="/smoke.js"></script></body>'),
          );
        });
      },
    );
    from.pipe(onward);
  });
  await new Promise<void>((done) => between.listen(0, "127.0.0.1", done));
  const { port } = between.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}/?domain=finance&q=warranty+charge+Kestrel`;
  const firefox = spawn(program, ["--headless", "--no-remote", "--profile", profile, address], {
    stdio: "ignore",
  });
  try {
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error("Firefox did not report within 50 s")), 50_000).unref(),
    );
    const report = await Promise.race([reported, late]);
    console.log(`firefox: ${report.agent}, ${report.rows} rows, agreement ${report.agreement}`);
    expect(report).toMatchObject({
      failure: null,
      isolated: true,
      agreement: "same",
      moved: { patch: '{"fuse":{"weights":{"lexical":1.7}}}' },
      still: "same",
      note: "Voltquay Storage, third quarter 2026",
    });
    expect(report.rows).toBeGreaterThan(0);
    const { receipt } = JSON.parse(answered) as { receipt: { bundle: Bundle } };
    const own = await ownProfile(inject("origin"), "finance");
    const { digest, patch } = report.moved!;
    expect(digest).toBe(nativeDigest(receipt.bundle, own, patch));
  } finally {
    firefox.kill("SIGKILL");
    between.close();
    between.closeAllConnections();
    await new Promise((done) => (firefox.exitCode === null ? firefox.once("exit", done) : done(null)));
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
