/** The vault under test: the sample, a domain with many notes, and one whose notes mean harm. */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SAMPLE = new URL("../../native/sample-vault", import.meta.url).pathname;

/** More passages than the 200 that a drag must keep up with. */
export const MANY = 220;

export function makeVault(): string {
  const vault = join(mkdtempSync(join(tmpdir(), "concord-e2e-")), "sample-vault");
  cpSync(SAMPLE, vault, { recursive: true, filter: (path) => !path.includes(".concord") });
  appendFileSync(join(vault, "_domains.yaml"), "\nmany:\n  folder: many\n\nhostile:\n  folder: hostile\n");
  for (const folder of ["many", "hostile"]) mkdirSync(join(vault, folder));
  for (let i = 0; i < MANY; i++) writeFileSync(join(vault, "many", `Shipment ${i}.md`), shipment(i));
  for (const [name, text] of Object.entries(HOSTILE))
    writeFileSync(join(vault, "hostile", `${name}.md`), text);
  return vault;
}

const WARES = ["copper", "timber", "grain", "wool", "paper", "glass", "salt", "cement", "oil", "steel"];
const FATES = [
  "arrived late",
  "was turned back",
  "lost a tenth on the way",
  "came in under budget",
  "was insured twice",
];

/** Short notes that differ, by a few authors, citing each other: something for every stage to do. */
function shipment(i: number): string {
  const ware = WARES[i % WARES.length];
  const fate = FATES[(i * 3) % FATES.length];
  const day = `2026-${String(1 + (i % 9)).padStart(2, "0")}-${String(1 + (i % 28)).padStart(2, "0")}`;
  return [
    `---\ntitle: Shipment ${i} of ${ware}\nauthor: Clerk ${i % 7}\npublished_at: ${day}\n---\n`,
    `The shipment of ${ware} number ${i} ${fate}. It follows [[Shipment ${(i * 7 + 1) % MANY}]] in the ledger.`,
    `The harbour charged ${10 + (i % 40)} for it, as [[Shipment ${(i * 13 + 5) % MANY}]] explains in full.\n`,
  ].join("\n");
}

/** One way to do harm each. Every note has a word of its own, by which the tests find it. */
export const HOSTILE = {
  script: `---
title: "Aardvark <script>window.harm = 'title'</script>"
author: "<script>window.harm = 'author'</script>"
tags: ["<script>window.harm='tag'</script>"]
---
# <script>window.harm = 'heading'</script>

An aardvark digs. <script>window.harm = 'text'</script>

<script>window.harm = 'block'</script>

\`\`\`html
<script>window.harm = 'code'</script>
\`\`\`
`,
  handlers: `---
title: 'Bandicoot <img src=x onerror="window.harm = 1">'
---
A bandicoot hops. <img src=x onerror="window.harm = 1"> <b onmouseover="window.harm = 1">over</b>

<details open ontoggle="window.harm = 1"><summary>x</summary></details>
<iframe src="javascript:parent.harm = 1"></iframe>
`,
  svg: `---
title: 'Capybara <svg onload="window.harm = 1">'
---
A capybara swims. <svg onload="window.harm = 1"><script>window.harm = 1</script><animate onbegin="window.harm = 1" attributeName="x" dur="1s"/></svg>

<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>window.harm=1</script></svg>#x"/></svg>
`,
  links: `---
title: Dingo links
---
A dingo runs to [one](javascript:window.harm=1), to [two](JaVaScRiPt:window.harm=1), to
[three](data:text/html,<script>window.harm=1</script>), to [four](vbscript:x), to [[javascript:window.harm=1|five]] and
to [six](  javascript:window.harm=1  "t"). But [seven](https://example.org/seven) is a web page.
`,
  bidi: `---
title: "Echidna report \u202Efdp.exe\u202C"
author: "\u202Eevil author"
tags: ["\u202Egat"]
---
## \u202Eheading

An echidna curls up. \u202Ethis line is reversed\u202C and \u2066this is isolated\u2069.
`,
  megabyte: `---
title: "Fossa ${"very ".repeat(210_000)}long"
---
A fossa climbs. ${"climbs ".repeat(300)}
`,
} as const;
