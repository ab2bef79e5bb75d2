/** A real Chromium, watched: a test in which the page complains, or asks anybody but its server, fails. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";

/** What a variable names, or the first of some programs that is on the path. */
export function find(variable: string, names: readonly string[]): string | null {
  const named = process.env[variable];
  if (named) return named;
  for (const name of names) {
    for (const folder of (process.env["PATH"] ?? "").split(":")) {
      if (existsSync(`${folder}/${name}`)) return `${folder}/${name}`;
    }
  }
  return null;
}

const CHROMIUM = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

export interface Visit extends BrowserContextOptions {
  readonly origin?: string;
  /** What is to be in place before the page is opened. */
  readonly before?: ((page: Page) => unknown) | undefined;
  /** Complaints that the test means to cause. */
  readonly expected?: RegExp | undefined;
}

export interface Watched {
  /** Opens a page of the server under test; everything it does is watched until the test ends. */
  visit(path: string, options?: Visit): Promise<Page>;
}

/** To be called at the top of a test file. */
export function watched(): Watched {
  let browser: Browser;
  const complaints: string[] = [];
  const open: Page[] = [];
  beforeAll(async () => {
    const executablePath = process.env["CHROME"] ?? find("CONCORD_CHROMIUM", CHROMIUM);
    if (!executablePath) throw new Error("there is no Chromium here; install it, or set CONCORD_CHROMIUM");
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await Promise.all(open.splice(0).map((page) => page.context().close()));
    expect(complaints.splice(0)).toEqual([]);
  });
  return {
    async visit(path, { origin = inject("origin"), before, expected, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      const page = await context.newPage();
      open.push(page);
      const complain = (text: string) => {
        if (!expected?.test(text)) complaints.push(text);
      };
      page.on("pageerror", (error) => complain(`error: ${error.message}`));
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning")
          complain(`console: ${message.text()}`);
      });
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (url.origin !== origin && url.protocol !== "data:") complain(`asked elsewhere: ${url.href}`);
      });
      await before?.(page);
      await page.goto(origin + path);
      return page;
    },
  };
}

/** The list is there, and it is the answer to this question. */
export async function answered(page: Page): Promise<void> {
  await page.locator("section[data-digest]:not(.stale) [data-row]").first().waitFor();
}

export const titles = (page: Page): Promise<string[]> => page.locator("[data-row] .title").allInnerTexts();

export const digest = async (page: Page): Promise<string> =>
  (await page.locator("[data-digest]").getAttribute("data-digest")) ?? "";

export function runs(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
