import { expect, test } from "vitest";
import { answered, watched } from "./browser";

const { visit } = watched();
const MOST = 500 * 1024;

test("the first result costs less than 500 KB, core and all", async () => {
  const sizes = new Map<string, number>();
  let started = 0;
  const page = await visit("/?domain=finance&q=warranty+charge+Kestrel", {
    before: (fresh) => {
      // Of the context, so that what the worker asks for is counted, too.
      fresh.context().on("requestfinished", async (request) => {
        const { responseBodySize, responseHeadersSize } = await request.sizes();
        sizes.set(new URL(request.url()).pathname, responseBodySize + responseHeadersSize);
      });
      started = performance.now();
    },
  });
  await answered(page);
  const first = performance.now() - started;
  await page.waitForTimeout(500);
  const parts = [...sizes].filter(([path]) => !path.startsWith("/v1/"));
  const total = parts.reduce((sum, [, size]) => sum + size, 0);
  console.log(
    `page weight: ${(total / 1024).toFixed(0)} KB in ${parts.length} files; first result after ${first.toFixed(0)} ms`,
  );
  expect(parts.map(([path]) => path).filter((path) => path.endsWith(".wasm"))).toHaveLength(1);
  expect(total).toBeLessThanOrEqual(MOST);
});

test("what is not on the first view is not in the first load", async () => {
  const scripts: string[] = [];
  const page = await visit("/?domain=finance&q=margin", {
    before: (fresh) => fresh.on("request", (request) => scripts.push(new URL(request.url()).pathname)),
  });
  await answered(page);
  const count = () => scripts.filter((path) => path.endsWith(".js")).length;
  const before = count();
  await page.getByRole("button", { name: "Graph", exact: true }).click();
  await page.locator(".dot").first().waitFor();
  expect(count()).toBeGreaterThan(before);
});
