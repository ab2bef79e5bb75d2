import { expect, test } from "vitest";
import { answered, watched } from "./browser";

const { visit } = watched();
const MOST = 500 * 1024;

test("the first result costs less than 500 KB, core and all", async () => {
  const page = await visit("/favicon.svg");
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: true,
  });
  const sizes = new Map<string, number>();
  // Sizes on the wire, the worker's and the core's among them.
  page.context().on("requestfinished", async (request) => {
    const { responseBodySize, responseHeadersSize } = await request
      .sizes()
      .catch(() => ({ responseBodySize: 0, responseHeadersSize: 0 }));
    sizes.set(request.url(), responseBodySize + responseHeadersSize);
  });
  const started = performance.now();
  await page.goto(`${new URL(page.url()).origin}/?domain=finance&q=warranty+charge+Kestrel`);
  await answered(page);
  const first = performance.now() - started;
  await page.waitForTimeout(500);
  const parts = [...sizes]
    .map(([url, size]) => [new URL(url).pathname, size] as const)
    .filter(([path]) => !path.startsWith("/v1/"));
  const total = parts.reduce((sum, [, size]) => sum + size, 0);
  console.log(
    `page weight: ${(total / 1024).toFixed(0)} KB in ${parts.length} files; first result after ${first.toFixed(0)} ms`,
  );
  expect(parts.some(([path]) => path.endsWith(".wasm"))).toBe(true);
  expect(total).toBeLessThanOrEqual(MOST);
});

test("what is not on the first view is not in the first load", async () => {
  const page = await visit("/favicon.svg");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${new URL(page.url()).origin}/?domain=finance&q=margin`);
  await answered(page);
  const before = asked.filter((path) => path.endsWith(".js")).length;
  await page.getByRole("button", { name: "Graph", exact: true }).click();
  await page.locator(".dot").first().waitFor();
  expect(asked.filter((path) => path.endsWith(".js")).length).toBeGreaterThan(before);
});
