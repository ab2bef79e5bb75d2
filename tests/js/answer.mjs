// What a runtime answers to a case, and the form in which answers are compared.
// The counterpart of tests/src/case.rs: the same questions through the wasm package.

/** @param concord the wasm package */
export function answer(concord, question) {
  const answered = {};
  if (question.bundle !== null) Object.assign(answered, ranked(concord, question));
  if (question.quotations !== null) {
    answered.citations = outcome(() => concord.verify_many(question.quotations));
  }
  if (question.walk !== null) {
    const { world, policy } = question.walk;
    answered.walk = outcome(() => concord.traverse(world, policy));
  }
  if (question.receipt !== null) {
    answered.receipt = outcome(() => concord.replay(question.receipt));
  }
  return answered;
}

function ranked(concord, { bundle, profile: patch }) {
  let ranker;
  try {
    ranker = new concord.Ranker(bundle);
    const profile = concord.complete_profile(patch ?? {}, bundle.domain);
    const ranking = ranker.rank(patch);
    return {
      ranking,
      graph: outcome(() => ranker.graph(patch)),
      replay: outcome(() => concord.replay({ bundle, profile, ranking })),
    };
  } catch (error) {
    return { ranking: refusal(error), graph: null, replay: null };
  } finally {
    ranker?.free();
  }
}

function outcome(ask) {
  try {
    return ask();
  } catch (error) {
    return refusal(error);
  }
}

// Code and key must agree everywhere; the wording of a message may follow the runtime.
function refusal(error) {
  if (!(error instanceof Error) || typeof error.code !== "string") throw error;
  return { refused: { code: error.code, key: error.key } };
}

const view = new DataView(new ArrayBuffer(8));

function bits(number) {
  view.setFloat64(0, number);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

/** Lines `key value`, in the order of the keys; numbers as their bits. */
export function flatten(value, key = "", lines = []) {
  if (Array.isArray(value)) {
    value.forEach((item, i) => flatten(item, `${key}[${i}]`, lines));
    lines.push(`${key} list of ${value.length}\n`);
  } else if (value !== null && typeof value === "object") {
    const dot = key === "" ? "" : ".";
    for (const name of Object.keys(value).sort()) flatten(value[name], key + dot + name, lines);
  } else {
    const shown = typeof value === "number" ? bits(value) : JSON.stringify(value);
    lines.push(`${key} ${shown}\n`);
  }
  return lines;
}

export async function digest(text) {
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The text with the last bit of its `nth` score turned over: to see that a suite can fail. */
export function tampered(lines, nth) {
  const numbers = lines.flatMap((line, i) => (/score [0-9a-f]{16}\n$/.test(line) ? [i] : []));
  const at = numbers[nth % numbers.length];
  const copy = [...lines];
  copy[at] = copy[at].replace(/([0-9a-f])\n$/, (_, digit) => `${(parseInt(digit, 16) ^ 1).toString(16)}\n`);
  return copy;
}
