import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { watched } from "./browser";
import { small } from "./small";

const { visit } = watched();

const QUEUE = [
  "# Waiting\n",
  "- [ ] Squat.md: strength, technique",
  "- [ ] Running.md: endurance, unheard-of",
  "- [ ] Gone.md: strength",
  "",
].join("\n");

const vault = small({
  "_taxonomy.md":
    "# Tags\n\n- strength: lifting\n- technique: how a movement is done\n- endurance: long and slow\n",
  "_review-queue.md": QUEUE,
  "Squat.md": "---\ntitle: The squat\n---\n\nHips below the knees, and up again.\n",
  "Running.md": "# Running\n\nSlowly, and for a long time.\n",
  "Bench.md": "---\ntitle: The bench\ntags: [lifting, pressing]\n---\n\nIt is pressed, #lifting says so.\n",
  "Row.md": "---\ntitle: The row\ntags: [pulling]\n---\n\nIt is pulled.\n",
});

const read = (name: string) => readFileSync(vault.path(name), "utf8");

test("proposed tags are ticked, thinned out, seen as a diff and written into the notes, by keyboard alone", async () => {
  vault.write("_review-queue.md", QUEUE);
  const before = read("Squat.md");
  const page = await visit(`/?view=review#token=${vault.token}`, { origin: vault.origin });
  await page.locator("[data-proposal]").nth(2).waitFor();
  expect(await page.locator('[data-proposal="Gone.md"]').innerText()).toContain("no such note any more");
  expect(await page.locator('[data-proposal="Running.md"] .tag.unknown').innerText()).toContain("unheard-of");
  await page.getByLabel("Give the note “The squat” its proposed tags").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
    "Take away the tag technique",
  );
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Preview 1 note …" }).press("Enter");
  await page.getByRole("heading", { name: "1 note would change" }).waitFor();
  const added = await page.locator(".diff .added .text").allTextContents();
  expect(added).toEqual(["tags:", "  - strength"]);
  expect(read("Squat.md"), "nothing is written before it was seen").toBe(before);
  await page.getByRole("button", { name: "Write the tags into 1 note" }).press("Enter");
  await page.getByText(/^Written to 1 note/).waitFor();
  expect(read("Squat.md")).toMatch(/tags:.*strength/s);
  expect(read("Squat.md")).not.toContain("technique");
  expect(await page.locator('[data-proposal="Squat.md"]').count()).toBe(0);
  await page.getByRole("button", { name: "Undo", exact: true }).press("Enter");
  await page.locator('[data-proposal="Squat.md"]').waitFor();
  expect(read("Squat.md")).toBe(before);
});

test("a queue that was edited meanwhile is not overwritten", async () => {
  vault.write("_review-queue.md", QUEUE);
  const page = await visit(`/?view=review#token=${vault.token}`, { origin: vault.origin, expected: /409/ });
  await page.getByLabel(/Running/).check();
  const edited = QUEUE.replace("endurance, unheard-of", "endurance");
  vault.write("_review-queue.md", edited);
  await page.getByRole("button", { name: "Save for later" }).click();
  await page.getByRole("button", { name: "Load it again" }).click();
  await page.locator(".tag.unknown").waitFor({ state: "detached" });
  expect(read("_review-queue.md")).toBe(edited);
  // What was ticked here is still ticked, and can be saved now.
  expect(await page.getByLabel(/Running/).isChecked()).toBe(true);
  await page.getByRole("button", { name: "Save for later" }).click();
  await page.getByText("Saved to the file.").waitFor();
  expect(read("_review-queue.md")).toMatch(/\[x\] .*Running/);
});

test("tags are renamed in all files or none, with the merge said and the way back", async () => {
  const before = ["Bench.md", "Row.md"].map(read);
  const page = await visit(`/?view=rename#token=${vault.token}`, { origin: vault.origin });
  await page.getByLabel("Tag 1", { exact: true }).fill("#lifting");
  await page.getByLabel("New name of tag 1").fill("pulling");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("heading", { name: "1 file would change" }).waitFor();
  await page.getByText(/#lifting is merged into #pulling/).waitFor();
  expect(await page.locator(".diff .added").count()).toBeGreaterThan(0);
  expect(["Bench.md", "Row.md"].map(read)).toEqual(before);
  await page.getByRole("button", { name: "Rename in 1 file" }).click();
  await page.getByText("Renamed in 1 file.").waitFor();
  expect(read("Bench.md")).not.toContain("lifting");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("1 file is as before.").waitFor();
  expect(["Bench.md", "Row.md"].map(read)).toEqual(before);
});

test("the last rename is offered to be undone where there is one, and said", async () => {
  const open = async () => {
    const page = await visit(`/?view=rename#token=${vault.token}`, {
      origin: vault.origin,
      before: (fresh) => {
        asked = fresh.waitForResponse(/undo-renames/);
      },
    });
    await asked;
    await page.waitForTimeout(100);
    return page;
  };
  let asked: Promise<unknown> = Promise.resolve();
  const offered = (page: Page) => page.getByRole("button", { name: "Undo the last rename" });
  const page = await open();
  expect(await offered(page).count()).toBe(0);
  await page.getByLabel("Tag 1", { exact: true }).fill("lifting");
  await page.getByLabel("New name of tag 1").fill("heaving");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("button", { name: "Rename in 1 file" }).click();
  await page.getByText("Renamed in 1 file.").waitFor();

  const later = await open();
  await later.getByText(/^#lifting → #heaving in 1 file, /).waitFor();
  await offered(later).click();
  await later.getByText("1 file is as before.").waitFor();
  expect(read("Bench.md")).toContain("#lifting");
  expect(await offered(later).count()).toBe(0);
  expect(await offered(await open()).count()).toBe(0);
});

test("a row that cannot be asked for says why, and nothing is sent", async () => {
  const page = await visit(`/?view=rename#token=${vault.token}`, { origin: vault.origin });
  await page.getByLabel("Tag 1", { exact: true }).fill("lifting");
  await page.getByLabel("New name of tag 1").fill("lifting");
  await page.getByText("That is the same tag.").waitFor();
  expect(await page.getByRole("button", { name: "Preview" }).isDisabled()).toBe(true);
});

test("tags are proposed for the notes that have none, from the taxonomy alone", async () => {
  vault.write("_review-queue.md", "# Waiting\n");
  const page = await visit(`/?view=review#token=${vault.token}`, { origin: vault.origin });
  await page.getByText("Nothing is waiting for review.").waitFor();
  await page.getByRole("button", { name: "Propose tags for untagged notes" }).click();
  await page.locator("[data-proposal]").first().waitFor();
  const tags = await page.locator("[data-proposal] .tag bdi").allTextContents();
  expect(tags.filter((tag) => !["strength", "technique", "endurance"].includes(tag))).toEqual([]);
  expect(read("_review-queue.md")).toContain("- [ ] ");
});

test("a rename is not undone over somebody's edit, unless the others alone are wanted", async () => {
  const page = await visit(`/?view=rename#token=${vault.token}`, { origin: vault.origin });
  const before = read("Row.md");
  vault.write("Pulley.md", "---\ntags: [pulling]\n---\n\nA wheel.\n");
  await page.getByLabel("Tag 1", { exact: true }).fill("pulling");
  await page.getByLabel("New name of tag 1").fill("drawing");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("button", { name: "Rename in 2 files" }).click();
  await page.getByText("Renamed in 2 files.").waitFor();
  vault.write("Pulley.md", `${read("Pulley.md")}\nEdited since.\n`);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText(/changed since, so nothing was taken back/).waitFor();
  expect(read("Row.md")).toContain("drawing");
  await page.getByRole("button", { name: "Take back the others" }).click();
  await page.getByText("1 file is as before.").waitFor();
  expect(read("Row.md")).toBe(before);
  expect(read("Pulley.md")).toContain("Edited since.");
});
