/** Runs the core off the page's thread: decode, call, encode. Decides nothing. */
import type { SearchAnswer } from "../api/types";
import type { ConcordError, Ranking, Receipt } from "./concord";
import { default_profile, load, Ranker, replay, version } from "./concord";
import type { Agreement, CallName, Calls, Opened, Reply, Request } from "./protocol";
import { writeOn } from "./slate";

const loaded = load();
const open = new Map<number, Ranker>();
let opened = 0;

type Answers = {
  [N in CallName]: (question: Calls[N]["question"]) => Calls[N]["reply"] | Promise<Calls[N]["reply"]>;
};

const answers: Answers = {
  open({ bytes }) {
    const { receipt, ranking: _, ...answer } = JSON.parse(new TextDecoder().decode(bytes)) as SearchAnswer;
    if (!receipt) throw new Error("the server's answer has no receipt");
    const ranker = new Ranker(receipt.bundle);
    open.set(++opened, ranker);
    const again = ranker.rank(receipt.profile);
    return { number: opened, answer, ...receipt, agreement: agreement(receipt, again) } satisfies Opened;
  },
  close({ number }) {
    open.get(number)?.free();
    open.delete(number);
    return null;
  },
  rank: ({ number, profile }) => ranker(number).rank(profile),
  graph: ({ number, profile }) => ranker(number).graph(profile),
  preset: ({ name, domain }) => default_profile(name, domain),
  version: () => version(),
  parity: async ({ cases }) => (await import("./parity")).differing(cases),
};

/** The digest covers every bit; only a difference needs to be looked for. */
function agreement(receipt: Receipt, again: Ranking): Agreement {
  const recorded = receipt.ranking.digest;
  if (recorded !== again.digest) return replay(receipt);
  return { same: true, recorded, recomputed: again.digest, difference: null };
}

function ranker(number: number): Ranker {
  const found = open.get(number);
  if (!found) throw new Error("that answer was closed");
  return found;
}

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  const { id, call, question, slate } = data;
  let reply: Reply;
  try {
    await loaded;
    const answer = answers[call] as (question: unknown) => Calls[CallName]["reply"];
    reply = { id, reply: await answer(question) };
  } catch (error) {
    const { message, code, key } = error as ConcordError;
    reply = { id, failure: { message: message ?? String(error), code: code ?? "bug", key: key ?? "" } };
  }
  if (!slate || !writeOn(slate, reply)) self.postMessage(reply);
};
