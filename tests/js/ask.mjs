// Puts the server's questions to the wasm package and posts the answers back: the same loop in
// Node, Bun and every browser.

import { answer, digest, flatten, tampered } from "./answer.mjs";
import { probe } from "./probe.mjs";

/**
 * @param load gives the wasm package
 * @param url the address that this runtime was started with: server, `runtime`, and `tamper`, the
 *   number of an answer to falsify, so that the suite can be seen to fail
 * @param progress told how many of how many were answered
 */
export async function ask(load, url, progress = () => {}) {
  const { origin, searchParams } = new URL(url);
  const runtime = searchParams.get("runtime") ?? "browser";
  const tamper = searchParams.has("tamper") ? Number(searchParams.get("tamper")) : null;
  const done = (failure) => post(`${origin}/done/${runtime}`, JSON.stringify({ agent: agent(), failure }));
  try {
    const concord = await load();
    probe(concord);
    await askAll(concord, { origin, runtime, tamper, progress });
    return await done(null);
  } catch (error) {
    const cause = error?.cause ? `: ${error.cause?.stack ?? error.cause}` : "";
    await done(`${error}${cause}`);
    throw error;
  }
}

async function askAll(concord, { origin, runtime, tamper, progress }) {
  let number = 0;
  for (let batch = 0; ; batch++) {
    const { questions, total } = await (await fetch(`${origin}/questions/${batch}`)).json();
    if (questions.length === 0) return;
    const first = number;
    const answers = questions.map((question) => {
      const lines = flatten(answer(concord, question));
      return (number++ === tamper ? tampered(lines, 0) : lines).join("");
    });
    const digests = await Promise.all(answers.map(digest));
    const { wanted } = await post(`${origin}/answers/${runtime}/${batch}`, JSON.stringify(digests));
    for (const one of wanted) {
      await post(`${origin}/whole/${runtime}/${one}`, answers[one - first], "text/plain");
    }
    progress(number, total);
  }
}

async function post(url, body, type = "application/json") {
  const response = await fetch(url, { method: "POST", body, headers: { "content-type": type } });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.status === 204 ? null : response.json();
}

export function agent() {
  if (globalThis.Bun) return `Bun ${Bun.version} (JavaScriptCore)`;
  if (globalThis.process?.versions?.node) return `Node ${process.versions.node} (V8 ${process.versions.v8})`;
  const browser = navigator.userAgent.match(/(Firefox|Chrome|Version)\/[\d.]+/g);
  return browser ? browser[0].replace("/", " ") : navigator.userAgent;
}
