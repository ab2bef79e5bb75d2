/** A domain in a process of its own, which ends and comes back. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answered, titles, watched } from "./browser";
import { concord, type Server, serve } from "./server";

const { visit } = watched();
const vault = mkdtempSync(join(tmpdir(), "concord-down-"));
let gateway: Server;
let garden: Server;
let port: string;

const start = async () => {
  garden = await serve(vault, "garden", port);
};

beforeAll(async () => {
  for (const name of ["garden", "kitchen"]) mkdirSync(join(vault, name));
  writeFileSync(join(vault, "garden/Compost.md"), "# Compost\n\nCompost is turned in the spring.\n");
  writeFileSync(join(vault, "garden/Roses.md"), "# Roses\n\nRoses are cut in the winter.\n");
  writeFileSync(join(vault, "kitchen/Bread.md"), "# Bread\n\nBread is baked in the morning.\n");
  writeFileSync(join(vault, "_domains.yaml"), "garden: {}\nkitchen: {}\n");
  concord("index", vault);
  garden = await serve(vault, "garden");
  port = new URL(garden.origin).port;
  writeFileSync(join(vault, "_domains.yaml"), `garden: { url: "${garden.origin}" }\nkitchen: {}\n`);
  gateway = await serve(vault);
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), garden?.stop()]);
  rmSync(vault, { recursive: true, force: true });
});

/** Of so few notes, the server may say that none answers; they are to be looked at all the same. */
async function listed(page: Page): Promise<void> {
  const anyway = page.getByRole("button", { name: /^Show the nearest/ });
  await page.locator("section:not(.stale) [data-row]").first().or(anyway).waitFor();
  if (await anyway.isVisible()) await anyway.click();
  await answered(page);
}

test("a domain that ends while it is used says so above what was found, and goes on once it is back", async () => {
  const page = await visit("/?domain=garden&q=compost", { origin: gateway.origin, expected: /502/ });
  await listed(page);
  await garden.stop();
  await page.getByRole("searchbox").fill("roses");
  const banner = page.getByRole("alert");
  await banner.waitFor();
  expect(await banner.innerText()).toContain(
    "The domain garden does not answer: no process listens at its address.",
  );
  expect(await banner.locator("code").allInnerTexts()).toEqual([
    "garden",
    `DOMAIN=garden concord serve --port ${port}`,
  ]);
  expect(await titles(page)).toContain("Compost");
  await start();
  await banner.getByRole("button", { name: "Try again" }).click();
  await listed(page);
  expect((await titles(page))[0]).toBe("Roses");
  expect(await banner.count()).toBe(0);
});

test("a domain that is down is told of in every view that would ask it, and asked again without a reload", async () => {
  await garden.stop();
  const page = await visit("/?domain=garden&q=compost&view=graph", { origin: gateway.origin });
  const told = page.getByRole("heading", { name: "garden cannot be asked now." });
  await told.waitFor();
  for (const view of ["Compare", "Citations", "Tags", "Search"]) {
    await page.getByRole("navigation", { name: "Views" }).getByRole("button", { name: view }).click();
    await told.waitFor();
  }
  const state = page.getByRole("alert");
  expect(await state.innerText()).toContain("no process listens at its address");
  expect(await state.locator("code").last().innerText()).toBe(`DOMAIN=garden concord serve --port ${port}`);
  await state.getByRole("button", { name: "Try again" }).click();
  await page.getByText("It is still down.").waitFor();
  await page.getByLabel("Domain").selectOption("kitchen");
  await page.getByRole("searchbox").fill("bread");
  await listed(page);
  await page.getByLabel("Domain").selectOption("garden");
  await told.waitFor();
  await start();
  await page.getByRole("searchbox").fill("compost");
  await state.getByRole("button", { name: "Try again" }).click();
  await listed(page);
  expect((await titles(page))[0]).toBe("Compost");
});
